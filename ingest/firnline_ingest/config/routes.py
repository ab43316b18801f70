"""Routes to several tables: a record goes to one by the value of one of its first-level keys (docs/routes.md)."""

import hashlib
from enum import StrEnum
from typing import Annotated

from pydantic import AfterValidator, Field, field_validator

from firnline_ingest.config.document import Section
from firnline_ingest.identifiers import InvalidIdentifier, routed_channel, stored_name

MOST_TABLES = 20  # each is a channel of every shard


class Unmatched(StrEnum):
    """Treatment of a record whose value has no table, or that has no such key."""

    DEAD_LETTER = "dead_letter"
    """It can't be a row."""
    OWN_TABLE = "own_table"
    """It goes to the pipeline's own table."""


def plain_key(key: str) -> str:
    """Raises ValueError for a key that a document of Spark's or Snowflake's would have to escape."""
    if not key.isprintable() or '"' in key or "\\" in key:
        raise ValueError("a key without quotes, backslashes and control characters")
    return key


RouteKey = Annotated[str, Field(min_length=1), AfterValidator(plain_key)]


class Routes(Section):
    """One record goes to one table. Every shard has a channel into each of them."""

    key: RouteKey
    """The first-level key that is looked at, as it is when the record's transforms are done. Its case counts."""
    tables: Annotated[dict[str, str], Field(min_length=1)]
    """Tables by the key's value, a text: in the pipeline's database and schema, each with its default pipe or one of its name."""
    unmatched: Unmatched = Field(default=Unmatched.DEAD_LETTER, strict=False)
    """`dead_letter` by default: a value without a route should be seen."""

    @field_validator("tables")
    @classmethod
    def _are_tables(cls, tables: dict[str, str]) -> dict[str, str]:
        for value, table in tables.items():
            try:
                stored_name(table)
            except InvalidIdentifier as error:
                raise ValueError(f"{value!r}: {error.what}") from error
        if len(set(map(stored_name, tables.values()))) > MOST_TABLES:
            raise ValueError(f"more than {MOST_TABLES} tables; split the stream's records over several streams")
        names = dict.fromkeys(map(stored_name, tables.values()))
        if len({routed_channel("", name) for name in names}) < len(names):
            raise ValueError(
                f"two of {', '.join(names)} would have channels of one name; rename one of those in quotes"
            )
        return tables

    @property
    def names(self) -> tuple[str, ...]:
        """The tables' stored names, each once."""
        return tuple(dict.fromkeys(map(stored_name, self.tables.values())))

    @property
    def hash(self) -> str:
        """Changes with what sends a record elsewhere."""
        said = self.model_dump_json(include={"key", "unmatched"}) + repr(sorted(self._by_value.items()))
        return hashlib.sha256(said.encode()).hexdigest()

    @property
    def _by_value(self) -> dict[str, str]:
        return {value: stored_name(table) for value, table in self.tables.items()}

    def table_of(self, value: str | None) -> str | None:
        """The stored name; empty for the pipeline's own; None where it is to be a dead letter."""
        own = "" if self.unmatched is Unmatched.OWN_TABLE else None
        return own if value is None else self._by_value.get(value, own)
