"""What a GRANT or REVOKE is about: `ON TABLE t`, `ON ALL TABLES IN SCHEMA s`, `ON FUTURE TABLES IN DATABASE d`."""

from dataclasses import dataclass

from firnline_infra.local.snowflake.catalog import CatalogObject, Database, Schema, kinds
from firnline_infra.local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_infra.local.snowflake.catalog.kinds import KINDS, Kind
from firnline_infra.local.snowflake.sql.scope import Context
from firnline_infra.local.snowflake.sql.statements.alter import ALTERABLE
from firnline_infra.local.snowflake.sql.words import Words

PLURALS = {kind.plural: kind for kind in KINDS.values()}
GRANTABLE = tuple(sorted(ALTERABLE, key=len, reverse=True))


@dataclass(frozen=True, slots=True)
class Target:
    """Objects that exist, or those that will come to exist in a container."""

    kind: Kind
    objects: tuple[CatalogObject, ...] = ()
    future_in: CatalogObject | None = None

    def check(self, privileges: list[str]) -> list[str]:
        """ALL PRIVILEGES spelt out. Raises NotKnown for what can't be granted on the kind."""
        if privileges in (["ALL"], ["ALL PRIVILEGES"]):
            return sorted(self.kind.privileges)
        for privilege in privileges:
            if privilege not in self.kind.privileges and privilege != "OWNERSHIP":
                raise NotKnown(f"the privilege {privilege} on a {self.kind.name}")
        return privileges


def read_target(context: Context, words: Words) -> Target:
    """Reads what stands behind ON."""
    if words.accept("ACCOUNT"):
        return Target(kinds.ACCOUNT, (context.account,))
    quantity = words.accept_one("ALL", "FUTURE")
    if quantity is None:
        kind = words.accept_one(*GRANTABLE)
        if kind is None:
            raise NotKnown(f"grants on {words.rest()[:40]}")
        return Target(ALTERABLE[kind].kind, (context.find(ALTERABLE[kind], words.name()),))
    plural = words.accept_one(*PLURALS)
    if plural is None:
        raise NotKnown(f"grants on {quantity} {words.rest()[:40]}")
    kind_found, container = PLURALS[plural], read_container(context, words)
    if quantity == "FUTURE":
        return Target(kind_found, future_in=container)
    inside = tuple(found for found in container.walk() if found.kind is kind_found and found is not container)
    return Target(kind_found, inside)


def read_container(context: Context, words: Words) -> CatalogObject:
    """`IN DATABASE d` or `IN SCHEMA s`"""
    words.expect("IN")
    match words.accept_one("DATABASE", "SCHEMA"):
        case "DATABASE":
            return context.find(Database, words.name())
        case "SCHEMA":
            return context.find(Schema, words.name())
        case _:
            raise CompilationFault("IN DATABASE or IN SCHEMA is expected here")
