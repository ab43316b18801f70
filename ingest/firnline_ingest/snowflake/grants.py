"""Which privilege the engine's role lacks, as far as its own grants tell.

Snowflake gives one answer for what does not exist and for what may not be seen; the role's grants tell which it is. Only
what is granted to the role itself is looked at (Snowpipe Streaming is documented for direct grants only), and where it
holds other roles this prefers reporting nothing to a false report.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from firnline_ingest.identifiers import written_name
from firnline_ingest.permissions.snowflake import OWNERSHIP, Privilege


@dataclass(frozen=True, slots=True)
class WantedPrivilege:
    """One privilege on one object; `kind` is as GRANT spells it, `name` the stored names from the database down."""

    privilege: str
    kind: str
    name: tuple[str, ...]

    @classmethod
    def of(cls, declared: Privilege, *name: str, kind: str | None = None) -> Self:
        return cls(declared.privilege, kind or declared.on, name)

    def __str__(self) -> str:
        return f"{self.privilege} on {self.kind.lower()} {self.object}"

    @property
    def object(self) -> str:
        return ".".join(written_name(part) for part in self.name)

    def grant(self, role: str) -> str:
        return f"GRANT {self.privilege} ON {self.kind} {self.object} TO ROLE {role};"


def grant_statements(missing: Iterable[WantedPrivilege], role: str) -> str:
    return " ".join(wanted.grant(role) for wanted in missing)


@dataclass(frozen=True, slots=True)
class RoleGrants:
    """What SHOW GRANTS TO ROLE lists: privilege, kind (TABLE, ICEBERG_TABLE) and name without quotes."""

    held: frozenset[tuple[str, str, str]]

    @classmethod
    def read(cls, rows: Collection[Mapping[str, Any]]) -> Self | None:
        """None where they don't tell everything: none are listed, or the role holds another one."""
        held = frozenset((str(row["privilege"]), str(row["granted_on"]), _bare(str(row["name"]))) for row in rows)
        if not held or any(kind in ("ROLE", "DATABASE_ROLE") for _, kind, _ in held):
            return None
        return cls(held)

    def mentions(self, *name: str) -> bool:
        """Whether anything is granted on the object itself."""
        return ".".join(name).replace('"', "") in {held for _, _, held in self.held}

    def lacking(self, wanted: Iterable[WantedPrivilege]) -> list[WantedPrivilege]:
        return [one for one in wanted if self.lacks(one)]

    def lacks(self, wanted: WantedPrivilege) -> bool:
        """Owning an object is every privilege on it."""
        name = ".".join(part.replace('"', "") for part in wanted.name)
        return not any(
            privilege in (wanted.privilege, OWNERSHIP) and _same_kind(kind, wanted.kind) and name == held
            for privilege, kind, held in self.held
        )


def _same_kind(listed: str, wanted: str) -> bool:
    """All kinds of tables are one: SHOW GRANTS may call an Iceberg table either. It calls an external volume VOLUME."""
    if wanted.endswith("TABLE"):
        return listed.endswith("TABLE")
    return listed.replace("_", " ") in (wanted, wanted.removeprefix("EXTERNAL "))


def _bare(name: str) -> str:
    """Quotes are written where a name needs them; without them every spelling is the same."""
    return name.replace('"', "")
