"""What the looks are given, and what a look is: one thing to ask, with a name for the case that it can't be seen."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.accounts import rows_if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.drift.finding import Finding
from firnline_infra.specification import EnvironmentSpec


@dataclass(frozen=True, kw_only=True)
class Scene:
    spec: EnvironmentSpec
    blueprint: Blueprint
    accounts: Accounts
    session: Any
    """Of whoever compares, in Snowflake."""
    outputs: dict[str, Any]
    """The stack's."""


@dataclass(frozen=True, kw_only=True)
class Look:
    what: str
    """For a person: the rights of iam role firnline-dev-engine."""
    run: Callable[[], Iterable[Finding]]
    """Raises a FirnlineError where it can't see. What does not exist is told by the stack's comparison."""


def shown(session: Any, statement: str, kind: str, name: str) -> list[dict[str, Any]]:
    """What Snowflake answers about an object. Raises OutOfSight or SnowflakeRefused."""
    found = rows_if_there(session, statement)
    if found is None:
        raise OutOfSight(kind, name)
    return found
