"""Snowflake names in a specification and in the SQL made of it.

The rules (what is valid, what is stored, how it is quoted) are the engine's: both halves have to mean the same table.
SQL that Firnline writes always quotes.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Self

from firnline_ingest.identifiers import quoted, stored_name, written_name


@dataclass(frozen=True, order=True, slots=True)
class Identifier:
    """The name of one object, as Snowflake stores it; `str` writes it the plainest way."""

    name: str

    @staticmethod
    @lru_cache(maxsize=4096)
    def parse(written: str) -> "Identifier":
        """Raises InvalidIdentifier."""
        return Identifier(stored_name(written))

    @property
    def sql(self) -> str:
        return quoted(self.name)

    def __str__(self) -> str:
        return written_name(self.name)


@dataclass(frozen=True, order=True, slots=True)
class QualifiedName:
    """The name of an object with those of what it is in: a schema, a table."""

    parts: tuple[Identifier, ...]

    @classmethod
    def of(cls, *written: str) -> Self:
        """Raises InvalidIdentifier."""
        return cls(tuple(Identifier.parse(part) for part in written))

    @property
    def sql(self) -> str:
        return ".".join(part.sql for part in self.parts)

    def __str__(self) -> str:
        return ".".join(str(part) for part in self.parts)
