"""Firnline without an account: Kinesis, the AWS around it, Snowflake and two Pulumi providers, on loopback.

What is listed here is promised and changes with a version only; every other name may move. For example, in a test of
yours:

    with LocalEnvironment(folder, load_spec(file)) as environment:
        environment.put_events("orders", [{"order_id": 1}])

`firnline_local.kinesis` promises FakeKinesis, a Kinesis inside of a test's own process.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firnline_local.accounts import EmbeddedAccounts as EmbeddedAccounts
    from firnline_local.environment import LocalEnvironment as LocalEnvironment
    from firnline_local.running import RunningEnvironment as RunningEnvironment

__all__ = ["EmbeddedAccounts", "LocalEnvironment", "RunningEnvironment"]

_HOMES = {"EmbeddedAccounts": "accounts", "LocalEnvironment": "environment", "RunningEnvironment": "running"}


def __getattr__(name: str) -> Any:
    """Loads a promised name when it is first used, so that importing the package costs nothing."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
