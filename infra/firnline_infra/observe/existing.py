"""Finds objects that `up` would create and that exist already, though they are not in the stack's state.

Asked before an `up`, because the cloud would refuse one object at a time, with half an environment made.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum, auto
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.aws import MISSING, aws_call
from firnline_infra.blueprint import Blueprint
from firnline_infra.kinds import KINDS, Kind, Lookup
from firnline_infra.kinds.snowflake import ICEBERG_TABLE, SNOWFLAKE_KINDS, STATEMENT, TABLE
from firnline_infra.observe.lookup import listed
from firnline_infra.specification.identifier import QualifiedName

State = Mapping[str, Any]
NAMED = (
    "name", "bucket", "serviceAccount", "dashboardName", "namespaceName", "workgroupName", "clusterIdentifier",
)  # fmt: skip
"""The inputs by which the types of AWS are named."""
FORBIDDEN = {"403", "Forbidden"}


def already_there(blueprint: Blueprint, accounts: Accounts, session: Any, state: State) -> Iterator[str]:
    """A description of each object. Raises AwsRefused or SnowflakeRefused if AWS or Snowflake can't be asked.

    In Snowflake a role sees what it has a privilege on, and, having CREATE USER, every user: a database that nobody let it see
    is not found, and its creation is refused.
    """
    known = StackResources.of(state)
    yield from _existing_in_aws(blueprint, accounts, known)
    for kind in SNOWFLAKE_KINDS:
        for wanted in kind.instances(blueprint):
            name, word = kind.name(wanted), kind.word(wanted)
            if not known.has_object(kind.token, name) and listed(session, word, name) is not None:
                yield f"{word.lower()} {name} in Snowflake"


@dataclass(frozen=True)
class StackResources:
    """The resources in a stack's state, and those that a killed `up` was creating."""

    resources: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, state: State) -> "StackResources":
        deployment = state.get("deployment", {})
        begun = [operation["resource"] for operation in deployment.get("pending_operations") or ()]
        return cls((*(deployment.get("resources") or ()), *begun))

    def has(self, type_: str, name: str) -> bool:
        return any(name in [each.get(field) for field in NAMED] for each in self._inputs_of(type_))

    def has_object(self, type_: str, name: QualifiedName) -> bool:
        """Returns whether the state has the object, by the names of its containers too."""
        if type_ in (TABLE.token, STATEMENT.token):
            return self.has_table(name)
        parts = tuple(part.name for part in name.parts)
        where = ("database", "schema")[: len(parts) - 1]
        return any(tuple(each.get(field) for field in (*where, "name")) == parts for each in self._inputs_of(type_))

    def knows(self, name: QualifiedName) -> bool:
        """Returns whether a resource of any type is the object, or a statement made it."""
        parts = tuple(part.name for part in name.parts)
        where = ("database", "schema")[: len(parts) - 1]
        found = ({**each.get("outputs", {}), **each.get("inputs", {})} for each in self.resources)
        return self.has_table(name) or any(tuple(each.get(key) for key in (*where, "name")) == parts for each in found)

    def id_of(self, type_: str) -> str | None:
        """The id of the resource of a type that a stack has at most one of; None where it has none."""
        return next((each["id"] for each in self.resources if each["type"] == type_ and each.get("id")), None)

    def has_table(self, name: QualifiedName) -> bool:
        """Returns whether a resource of its own made the table, or a statement that creates it; so of a stage.

        A statement that only alters it outlives a table that went to another owner, and doesn't count.
        """
        parts = tuple(part.name for part in name.parts)
        made = [each for kind in (TABLE, ICEBERG_TABLE) for each in self._inputs_of(kind.token)]
        if any((each.get("database"), each.get("schema"), each.get("name")) == parts for each in made):
            return True
        executed = (str(each.get("execute")) for each in self._inputs_of(STATEMENT.token))
        return any(statement.startswith("CREATE ") and f" {name.sql} " in statement for statement in executed)

    def _inputs_of(self, type_: str) -> Iterator[Mapping[str, Any]]:
        for resource in self.resources:
            if resource["type"] == type_:
                yield {**resource.get("outputs", {}), **resource.get("inputs", {})}


def _existing_in_aws(blueprint: Blueprint, accounts: Accounts, known: StackResources) -> Iterator[str]:
    for kind in KINDS:
        if kind.exists is None:
            continue
        for wanted in kind.instances(blueprint):
            if known.has(kind.token, kind.name(wanted)):
                continue
            match presence(kind, wanted, accounts):
                case Presence.THERE:
                    yield kind.display_name(wanted)
                case Presence.FOREIGN:
                    yield f"{kind.display_name(wanted)}, in another's account: {kind.title} names are globally unique"


class Presence(Enum):
    THERE = auto()
    ABSENT = auto()
    FOREIGN = auto()
    """Another account has an object of that name."""


def presence(kind: Kind, wanted: Any, accounts: Accounts) -> Presence:
    """`wanted` is a row, a definition, or anything else with the name. Raises AwsRefused if AWS can't be asked."""
    from botocore.exceptions import ClientError

    assert kind.exists is not None, f"{kind.token} has no lookup"
    client = accounts.aws(kind.exists.client)
    with aws_call(f"looking for {kind.title}", kind.name(wanted)):
        try:
            return Presence.THERE if _is_answered(kind, kind.exists, client, wanted) else Presence.ABSENT
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in MISSING:
                return Presence.ABSENT
            if code in FORBIDDEN and kind.exists.names_are_global:
                return Presence.FOREIGN
            raise


def _is_answered(kind: Kind, lookup: Lookup, client: Any, wanted: Any) -> bool:
    arguments = lookup.arguments(kind.name(wanted), wanted)
    if not lookup.answer:
        getattr(client, lookup.operation)(**arguments)
        return True
    pages = client.get_paginator(lookup.operation).paginate(**arguments)
    entries = (entry for page in pages for entry in page[lookup.answer])
    return any(lookup.matches is None or lookup.matches(entry, wanted) for entry in entries)
