"""The inputs of drift checks. A part of the suite is a function that yields the checks of a context."""

from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.accounts import rows_if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.kinds.comparison import Subject
from firnline_infra.specification import EnvironmentSpec


@dataclass(frozen=True, kw_only=True)
class DriftContext:
    spec: EnvironmentSpec
    blueprint: Blueprint
    accounts: Accounts
    session: Any
    """Of whoever compares, in Snowflake."""
    outputs: dict[str, Any]
    """The stack's."""

    def subject(self, wanted: Any, kind: str = "", name: str = "") -> Subject:
        """`kind` and `name` are what an error calls an object of Snowflake."""
        return Subject(
            wanted=wanted,
            spec=self.spec,
            blueprint=self.blueprint,
            clients=self.accounts.aws,
            rows=lambda statement: shown(self.session, statement, kind, name),
            out_of_sight=lambda what: OutOfSight(kind, name, what=what),
            outputs=self.outputs,
        )


def shown(session: Any, statement: str, kind: str, name: str) -> list[dict[str, Any]]:
    """What Snowflake answers about an object. Raises OutOfSight or SnowflakeRefused."""
    found = rows_if_there(session, statement)
    if found is None:
        raise OutOfSight(kind, name)
    return found
