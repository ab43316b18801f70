"""Sets back what Pulumi does not see: properties that statements have set, and tables and stages that a statement made."""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.blueprint import Blueprint
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.readback import EXISTS, read_back
from firnline_ingest.checks import Finding


@dataclass(frozen=True)
class TableReadback:
    blueprint: Blueprint
    say: Callable[[str], None]

    def findings(self, session: Any, state: Mapping[str, Any]) -> list[Finding]:
        """Empty before the first `up`, which has made nothing yet."""
        is_made = any("/execute:" in each["type"] for each in StackResources.of(state).resources)
        return read_back(self.blueprint, session) if is_made else []

    def make_again(self, session: Any, state: Mapping[str, Any]) -> None:
        """Makes what a statement of the stack had made, and somebody dropped: Pulumi grants rights on it, and can't make it
        again. What contained it may be gone too; Pulumi makes that, and the next `up` this.
        """
        made = statements(state)
        with suppress(SnowflakeRefused):  # then in the role that the deployer has: it has to own what it grants
            rows(session, f"USE ROLE {self.blueprint.names.deploy_role.sql}")
        for finding in read_back(self.blueprint, session):
            if finding.path == EXISTS and finding.repair in made:
                with suppress(SnowflakeRefused):  # Pulumi has its turn; what it can't correct either, it says
                    rows(session, finding.repair)
                    self.say(f"{finding}: recreated, empty. {finding.afterwards}".rstrip())

    def set_back(self, session: Any) -> None:
        for finding in read_back(self.blueprint, session):
            if finding.repair:
                rows(session, finding.repair)
            self.say(f"{finding}: {'set back' if finding.repair else 'no statement sets that back'}.")


def statements(state: Mapping[str, Any]) -> list[str]:
    """The statements that a stack has executed."""
    inputs = (each.get("inputs") or {} for each in state.get("deployment", {}).get("resources") or ())
    return [each["execute"] for each in inputs if each.get("execute")]
