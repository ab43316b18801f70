"""The inputs of drift checks. A part of the suite is a function that yields the checks of a context."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.accounts import rows_if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.drift.errors import OutOfSight
from firnline_infra.environment import Environment
from firnline_infra.kinds.comparison import Subject


@dataclass(frozen=True, kw_only=True)
class DriftContext:
    blueprint: Blueprint
    accounts: Accounts
    session: Any
    """Of whoever compares, in Snowflake."""
    outputs: dict[str, Any]
    """The stack's."""
    state: Mapping[str, Any] = field(default_factory=dict, repr=False)

    @property
    def environment(self) -> Environment:
        return self.blueprint.environment

    def subject(self, wanted: Any, kind: str = "", name: str = "") -> Subject:
        """`kind` and `name` are what an error calls an object of Snowflake."""
        return Subject(
            wanted=wanted,
            blueprint=self.blueprint,
            clients=self.accounts.aws,
            rows=lambda statement: shown(self.session, statement, kind, name),
            out_of_sight=lambda unseen: OutOfSight(f"{kind} {name}", unseen),
            outputs=self.outputs,
            made_at=self._made_at,
        )

    def _made_at(self, token: str, name: str) -> datetime | None:
        """Pulumi writes a resource's `created` where an `up` made or imported it (sdk/go/common/apitype, ResourceV3); our
        module has Terraform keep it."""
        for each in self.state.get("deployment", {}).get("resources") or ():
            if each["type"] == token and (each.get("inputs") or {}).get("name") == name and each.get("created"):
                return datetime.fromisoformat(each["created"])
        return None


def shown(session: Any, statement: str, kind: str, name: str) -> list[dict[str, Any]]:
    """Returns what Snowflake answers about an object. Raises OutOfSight or SnowflakeRefused."""
    found = rows_if_there(session, statement)
    if found is None:
        raise OutOfSight(f"{kind} {name}")
    return found
