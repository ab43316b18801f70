"""The toolkit of a pipeline from Amazon Kinesis to Snowflake: its specification, and what follows from it.

What is listed here, and in `firnline_infra.pulumi` for programs, is promised and changes with a version only; so are the
commands of `firnline`, the fields of a specification and the ids of errors. Every other name may move. For example:

    spec = load_spec(Path("stacks/environments/dev.yaml"))
    for table in blueprint_of(spec).landing.tables:
        print(table.name, table.kind)
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from firnline_infra.blueprint.environment import Blueprint as Blueprint
    from firnline_infra.blueprint.environment import blueprint_of as blueprint_of
    from firnline_infra.specification.load import load_spec as load_spec
    from firnline_infra.specification.load import parse_spec as parse_spec
    from firnline_infra.specification.model import EnvironmentSpec as EnvironmentSpec

__all__ = ["Blueprint", "EnvironmentSpec", "blueprint_of", "load_spec", "parse_spec"]

_HOMES = {
    "Blueprint": "blueprint.environment",
    "EnvironmentSpec": "specification.model",
    "blueprint_of": "blueprint.environment",
    "load_spec": "specification.load",
    "parse_spec": "specification.load",
}


def __getattr__(name: str) -> Any:
    """Loads a promised name when it is first used, so that importing the package costs nothing."""
    if name in _HOMES:
        return getattr(import_module(f"{__name__}.{_HOMES[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
