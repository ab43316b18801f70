"""Privileges that the engine's role lacks, as far as its own grants tell.

Snowflake gives one answer for what does not exist and for what may not be seen; the role's grants tell which it is. Only
what is granted to the role itself is looked at (Snowpipe Streaming is documented for direct grants only), and where it
holds other roles this prefers reporting nothing to a false report.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Self

from firnline_ingest.identifiers import shown_parts, written_name
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
class ListedGrant:
    """A row of SHOW GRANTS TO ROLE."""

    privilege: str
    kind: str
    """As GRANT spells it, with spaces: ICEBERG TABLE. Which word SHOW has for a kind differs between releases."""
    name: tuple[str, ...]
    """The stored names from the database down; a pipe's or a function's may have more parts."""
    shown_name: str
    is_grantable: bool = False
    granted_by: str = ""

    @classmethod
    def of(cls, row: Mapping[str, Any]) -> Self:
        return cls(
            privilege=str(row["privilege"]),
            kind=str(row["granted_on"]).replace("_", " "),
            name=shown_parts(str(row["name"])),
            shown_name=str(row["name"]),
            is_grantable=str(row.get("grant_option", "false")).lower() == "true",
            granted_by=str(row.get("granted_by") or ""),
        )

    def is_on(self, kind: str, name: tuple[str, ...]) -> bool:
        return self.name == name and same_kind(self.kind, kind)


@dataclass(frozen=True, slots=True)
class RoleGrants:
    """The grants of a role that holds no other role."""

    held: frozenset[ListedGrant]

    @classmethod
    def read(cls, rows: Collection[Mapping[str, Any]]) -> Self | None:
        """Returns None if the rows don't say everything: none are listed, or the role holds another one."""
        held = frozenset(map(ListedGrant.of, rows))
        if not held or any(grant.kind in ("ROLE", "DATABASE ROLE") for grant in held):
            return None
        return cls(held)

    def mentions(self, *name: str) -> bool:
        """Returns whether anything is granted on the object itself."""
        return name in {grant.name for grant in self.held}

    def lacking(self, wanted: Iterable[WantedPrivilege]) -> list[WantedPrivilege]:
        return [one for one in wanted if self.lacks(one)]

    def lacks(self, wanted: WantedPrivilege) -> bool:
        """Owning an object is every privilege on it."""
        return not any(
            grant.privilege in (wanted.privilege, OWNERSHIP) and grant.is_on(wanted.kind, wanted.name)
            for grant in self.held
        )


def same_kind(listed: str, wanted: str) -> bool:
    """All kinds of tables are one: SHOW GRANTS may call an Iceberg table either. It calls an external volume VOLUME."""
    if wanted.endswith("TABLE"):
        return listed.endswith("TABLE")
    return listed in (wanted, wanted.removeprefix("EXTERNAL "))
