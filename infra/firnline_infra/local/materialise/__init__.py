"""Makes, reads and removes what a blueprint names in the embedded AWS and Snowflake, through their real clients.

It is the only way anything comes to exist there. One file per kind of object, each with `make` (which may be repeated),
`read` (None where there is none) and `remove` (which may be repeated); a kind without a file is refused by name.
"""

from contextlib import closing
from typing import Any, Protocol

from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.ledger_table import LedgerTable
from firnline_infra.blueprint.snowflake import Database, PrivilegeGrant, Role, RoleGrant, Schema, Table, User
from firnline_infra.blueprint.stream import Stream
from firnline_infra.local.endpoints import Endpoints, Login
from firnline_infra.local.errors import UnknownKind
from firnline_infra.local.materialise import (
    ledger_table,
    snowflake_database,
    snowflake_grant,
    snowflake_role,
    snowflake_role_grant,
    snowflake_schema,
    snowflake_table,
    snowflake_user,
    stream,
)
from firnline_infra.local.materialise.clients import Clients


class Materialiser(Protocol):
    """What each file of this folder offers for its kind."""

    def make(self, definition: Any, clients: Clients, /) -> None: ...
    def read(self, definition: Any, clients: Clients, /) -> dict[str, Any] | None: ...
    def remove(self, definition: Any, clients: Clients, /) -> None: ...


MATERIALISERS: dict[str, Materialiser] = {
    Stream.kind: stream,
    LedgerTable.kind: ledger_table,
    Database.kind: snowflake_database,
    Schema.kind: snowflake_schema,
    Table.kind: snowflake_table,
    Role.kind: snowflake_role,
    User.kind: snowflake_user,
    PrivilegeGrant.kind: snowflake_grant,
    RoleGrant.kind: snowflake_role_grant,
}


def materialiser(kind: str) -> Materialiser:
    """Raises UnknownKind: nothing is made believe."""
    try:
        return MATERIALISERS[kind]
    except KeyError:
        raise UnknownKind(kind, known=sorted(MATERIALISERS)) from None


def materialise(blueprint: Blueprint, endpoints: Endpoints, administrator: Login) -> None:
    """Makes everything, in the blueprint's order. Raises UnknownKind before anything is made, or NotMaterialised."""
    makers = [(materialiser(definition.kind), definition) for definition in blueprint.definitions]
    with closing(Clients(endpoints, administrator)) as clients:
        for maker, definition in makers:
            maker.make(definition, clients)


def dematerialise(blueprint: Blueprint, endpoints: Endpoints, administrator: Login) -> None:
    """Removes everything, last made first."""
    with closing(Clients(endpoints, administrator)) as clients:
        for definition in reversed(blueprint.definitions):
            materialiser(definition.kind).remove(definition, clients)


__all__ = ["MATERIALISERS", "Clients", "Materialiser", "dematerialise", "materialise", "materialiser"]
