"""What exists and can't be seen by the role that asks: to Snowflake, that is the same as what does not exist.

A grant on an object ends with the object. So one that a role of the environment still has on an object that SHOW does not
list says that it is there: somebody gave it to another owner, or took a right from who asks.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts.accounts import current_role
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.previewing import out_of_sight
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS
from firnline_infra.observe.errors import ObjectsHidden
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.grants import grants_to_role
from firnline_infra.observe.lookup import listed
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_ingest.checks import Finding, Verdict

GRANTED = {"DATABASE", "SCHEMA", "TABLE", "PIPE", "WAREHOUSE", "EXTERNAL VOLUME", "USER"}


@dataclass(frozen=True)
class HiddenObject:
    noun: str
    """What a finding calls its kind: snowflake table."""
    name: QualifiedName
    word: str
    """What GRANT calls its kind: TABLE."""

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.name.parts)

    @property
    def called(self) -> str:
        return f"{self.noun} {'.'.join(self.parts)}"

    def finding(self, role: str) -> Finding:
        """The finding that nothing is known of it."""
        step = "compare in the role that deploys, or let this one see it; docs/drift.md says how a team lives with it"
        name, found = ".".join(self.parts), f"it is there, and {role} can't see it"
        return Finding(
            kind=self.noun, name=name, path="sight", found=found, verdict=Verdict.UNKNOWN, next_step=step, rule="stack"
        )

    def is_behind(self, inputs: Mapping[str, Any]) -> bool:
        """Whether a resource of these inputs is the object, in it, or a grant or statement about it."""
        where = tuple(str(inputs[each]) for each in ("database", "schema", "name") if inputs.get(each))
        if where[: len(self.parts)] == self.parts:
            return True
        return len(self.parts) > 1 and f"{self.name.sql}" in json.dumps(inputs).replace('\\"', '"')


def hidden_objects(blueprint: Blueprint, session: Any) -> Iterator[HiddenObject]:
    """The objects that the blueprint makes and the session's role can't see. Raises SnowflakeRefused."""
    names = blueprint.names
    roles = (*(each.name for each in blueprint.landing.roles), names.deploy_role, names.preview_role)
    named = {(_noun(each.kind), each.name) for role in roles for each in grants_to_role(session, role) or ()}
    by_design = out_of_sight(blueprint.landing) if current_role(session) == names.preview_role.name else {}
    for kind in SNOWFLAKE_KINDS:
        for wanted in kind.made(blueprint):
            each = HiddenObject(kind.noun(wanted), kind.name(wanted), kind.word(wanted))
            exists = kind.title in GRANTED and (_noun(each.word), each.parts) in named
            if (kind.title not in GRANTED and str(each.name) in by_design) or (
                exists and listed(session, each.word, each.name) is None
            ):
                yield each


def _noun(word: str) -> str:
    """TABLE of ICEBERG TABLE: which word SHOW GRANTS has for a table differs. A role may have a user's name."""
    return word.rpartition(" ")[2]


def check_visible(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> None:
    """Raises ObjectsHidden for what the state knows and a refresh would take for gone; not in the role of previews, which
    does without a refresh then.
    """
    if current_role(session) == blueprint.names.preview_role.name:
        return
    known = StackResources.of(state)
    if not known.resources:
        return
    hidden = [each for each in hidden_objects(blueprint, session) if known.knows(each.name)]
    if hidden:
        said = [(each.called, each.word, each.name.sql) for each in hidden]
        raise ObjectsHidden(said, role=Identifier(current_role(session)))


def resources_behind(hidden: Collection[HiddenObject], state: Mapping[str, Any]) -> tuple[str, ...]:
    """The URNs of a state's resources that can't be compared, because Pulumi would take them for gone."""
    resources = state.get("deployment", {}).get("resources") or ()
    snowflakes = (each for each in resources if each["type"].startswith("snowflake:"))
    return tuple(each["urn"] for each in snowflakes if any(one.is_behind(each.get("inputs") or {}) for one in hidden))
