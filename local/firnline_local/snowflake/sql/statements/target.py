"""What a GRANT or REVOKE is about: `ON TABLE t`, `ON ALL TABLES IN SCHEMA s`, `ON FUTURE TABLES IN DATABASE d`."""

from dataclasses import dataclass

from firnline_local.snowflake.catalog import CatalogObject, kinds
from firnline_local.snowflake.catalog.errors import CompilationFault, NotKnown
from firnline_local.snowflake.catalog.kinds import KINDS, Kind
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.statements.named import NAMED, find_securable
from firnline_local.snowflake.sql.words import Words

PLURALS = {
    **{kind.plural: (kind, kind.name) for kind in KINDS.values()},
    **{f"{variety}S": (kinds.TABLE, variety) for variety in kinds.TABLE_VARIETIES},
}


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
        word = words.accept_one(*NAMED)
        if word is None:
            raise NotKnown(f"grants on {words.rest()[:40]}")
        return Target(NAMED[word].kind, (find_securable(context, word, words.name()),))
    plural = words.accept_one(*PLURALS)
    if plural is None:
        raise NotKnown(f"grants on {quantity} {words.rest()[:40]}")
    (kind, word), container = PLURALS[plural], read_container(context, words)
    if quantity == "FUTURE" and word != kind.name:
        raise NotKnown(f"grants on FUTURE {plural}: grant on FUTURE {kind.plural}")
    if quantity == "FUTURE":
        return Target(kind, future_in=container)
    inside = (found for found in container.walk() if found.kind is kind and found is not container)
    return Target(kind, tuple(found for found in inside if word in (kind.name, getattr(found, "variety", ""))))


def read_container(context: Context, words: Words) -> CatalogObject:
    """`IN DATABASE d` or `IN SCHEMA s`"""
    words.expect("IN")
    match words.accept_one("DATABASE", "SCHEMA"):
        case "DATABASE":
            return find_securable(context, "DATABASE", words.name())
        case "SCHEMA":
            return find_securable(context, "SCHEMA", words.name())
        case _:
            raise CompilationFault("IN DATABASE or IN SCHEMA is expected here")
