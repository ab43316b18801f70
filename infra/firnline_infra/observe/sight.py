"""Finds objects that exist and that the current role can't see: Snowflake reports those as missing.

Two signs show that an object exists though SHOW does not list it. A grant on an object ends with the object, so a grant that a
role of the environment still has is one; the owner's grant of OWNERSHIP, listed with that role's grants, is the other. Neither
proves that an object is gone: before anything is created or dropped, `invisible.py` asks by a statement.
"""

import json
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any

from firnline_infra.accounts.accounts import current_role
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.previewing import described_users, out_of_sight
from firnline_infra.kinds.snowflake import SNOWFLAKE_KINDS
from firnline_infra.observe.errors import ObjectsHidden
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.grants import Owners, grants_to_role, noun
from firnline_infra.observe.lookup import listed
from firnline_infra.observe.ownership import check_ownership
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_ingest.checks import Finding, Verdict

USER, ICEBERG = "USER", "ICEBERG TABLE"
REFRESHED_AS = {
    USER: ("User", "UserAuthenticationPolicyAttachment"),
    ICEBERG: ("IcebergTable", "Execute"),
}
"""The ends of the types whose refresh reads the listing that hides the object."""
GRANTED = {"DATABASE", "SCHEMA", "TABLE", "DYNAMIC TABLE", "STAGE", "PIPE", "WAREHOUSE", "EXTERNAL VOLUME", "USER"}
UNSEEN_BY_PREVIEWS = {"NETWORK POLICY", "AUTHENTICATION POLICY", "STAGE"}
OWNED = GRANTED | UNSEEN_BY_PREVIEWS
"""Kinds that a role sees by what it holds; roles show themselves to everybody."""


@dataclass(frozen=True)
class HiddenObject:
    noun: str
    """What a finding calls its kind: snowflake table."""
    name: QualifiedName
    word: str
    """What GRANT calls its kind: TABLE."""
    owner: str = ""
    """The role that owns it, where its grants are listed."""
    is_described: bool = False
    """Shown to DESCRIBE: a comparison may do without the provider's refresh."""

    @property
    def parts(self) -> tuple[str, ...]:
        return tuple(part.name for part in self.name.parts)

    @property
    def display_name(self) -> str:
        return f"{self.noun} {'.'.join(self.parts)}"

    @property
    def described(self) -> str:
        return f"{self.display_name}, which role {Identifier(self.owner)} owns" if self.owner else self.display_name

    def given_back(self, role: Identifier) -> str:
        """The statement by which its owner gives it to the role."""
        return f"GRANT OWNERSHIP ON {self.word} {self.name.sql} TO ROLE {role.sql} COPY CURRENT GRANTS"

    def finding(self, role: str) -> Finding:
        """The finding that nothing is known of it."""
        step = "compare in the role that deploys, or let this one see it; docs/drift.md says how a team lives with it"
        found = f"it is there, and {role} can't see it"
        if self.owner and self.owner != role:
            found = f"it is there, role {Identifier(self.owner)} owns it, and {role} can't see it"
        name = ".".join(self.parts)
        return Finding(
            kind=self.noun, name=name, path="sight", found=found, verdict=Verdict.UNKNOWN, next_step=step, rule="stack"
        )

    def is_behind(self, inputs: Mapping[str, Any]) -> bool:
        """Returns whether a resource of these inputs is the object, in it, or a grant or statement about it."""
        where = tuple(str(inputs[each]) for each in ("database", "schema", "name") if inputs.get(each))
        if where[: len(self.parts)] == self.parts:
            return True
        return len(self.parts) > 1 and f"{self.name.sql}" in json.dumps(inputs).replace('\\"', '"')


def hidden_objects(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[HiddenObject]:
    """The objects that the blueprint makes and the session's role can't see. Of those that the state knows, it is asked of all
    roles who owns them. Raises SnowflakeRefused.
    """
    names, known, owners = blueprint.names, StackResources.of(state), Owners(session)
    roles = (*(each.name for each in blueprint.landing.roles), names.deploy_role, names.preview_role)
    named = {(noun(each.kind), each.name) for role in roles for each in grants_to_role(session, role) or ()}
    asking = current_role(session)
    looks = asking == names.preview_role.name
    by_design = out_of_sight(blueprint.landing) if looks else {}
    described = described_users(blueprint.landing) if looks else frozenset()
    for title, each in made_objects(blueprint):
        if title in UNSEEN_BY_PREVIEWS and str(each.name) in by_design:
            yield each
            continue
        is_granted = title in GRANTED and (noun(each.word), each.parts) in named
        if not (is_granted or known.knows(each.name)):
            continue
        row = listed(session, each.word, each.name)
        if row is not None and not _is_hidden(each, row, session):
            continue
        owner = owners.of(each.word, each.parts)
        if row is not None or is_granted or owner not in ("", asking):
            is_described = looks and (each.word == ICEBERG or each.parts[0] in described)
            yield replace(each, owner=owner, is_described=row is not None and is_described)


def made_objects(blueprint: Blueprint) -> Iterator[tuple[str, HiddenObject]]:
    """Yields what the blueprint makes of kinds that can be hidden, each with its kind's title."""
    for kind in SNOWFLAKE_KINDS:
        if kind.title in OWNED:
            for wanted in kind.instances(blueprint):
                yield kind.title, HiddenObject(kind.noun(wanted), kind.name(wanted), kind.word(wanted))


def _is_hidden(each: HiddenObject, row: Mapping[str, Any], session: Any) -> bool:
    """SHOW USERS has a row without anything but the name for who neither owns the user nor manages grants. SHOW TABLES has
    an Iceberg table for who has any privilege on it, and SHOW ICEBERG TABLES, which the providers read, for who has SELECT
    (`sql-reference/sql/show-iceberg-tables`, 2026-11-28).
    """
    if each.word == ICEBERG:
        return listed(session, ICEBERG, each.name, plural="ICEBERG TABLES") is None
    return each.word == USER and row.get("created_on") is None


def check_visible(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> None:
    """Raises ObjectsHidden for what the state knows and a refresh would take for gone; not in the role of previews, which
    does without a refresh then. Raises OwnerOutOfReach.
    """
    check_ownership(session, state)
    if current_role(session) == blueprint.names.preview_role.name:
        return
    known = StackResources.of(state)
    if not known.resources:
        return
    refuse([each for each in hidden_objects(blueprint, session, state) if known.knows(each.name)], session)


def unseen(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[HiddenObject]:
    """Yields what the state knows and no listing has: gone, or another's without a sign. Raises SnowflakeRefused."""
    known = StackResources.of(state)
    for _, each in made_objects(blueprint):
        if known.knows(each.name) and listed(session, each.word, each.name) is None:
            yield each


def refuse(hidden: Collection[HiddenObject], session: Any) -> None:
    """Raises ObjectsHidden where there are any."""
    if hidden:
        role = Identifier(current_role(session))
        raise ObjectsHidden([(each.described, each.given_back(role)) for each in hidden], role=role)


def resources_behind(hidden: Collection[HiddenObject], state: Mapping[str, Any]) -> tuple[str, ...]:
    """The URNs of a state's resources that can't be compared, because Pulumi would take them for gone."""
    resources = state.get("deployment", {}).get("resources") or ()
    snowflakes = (each for each in resources if each["type"].startswith("snowflake:"))
    return tuple(each["urn"] for each in snowflakes if any(_is_behind(one, each) for one in hidden))


def _is_behind(hidden: HiddenObject, resource: Mapping[str, Any]) -> bool:
    """A role may have a user's name, and grants on what is described are shown."""
    is_told_apart = hidden.word == USER or (hidden.word == ICEBERG and hidden.is_described)
    if is_told_apart and not str(resource["type"]).endswith(REFRESHED_AS[hidden.word]):
        return False
    return hidden.is_behind(resource.get("inputs") or {})
