"""One stream into several tables: by the value of one of a record's keys (docs/routes.md)."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field

from firnline_infra.specification.columns import Column
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import IdentifierText
from firnline_infra.specification.table import Pipe, TableKind, TablePrivilege
from firnline_ingest.config.document import Section
from firnline_ingest.config.others import MOST_TABLES, Others


def _plain(key: str) -> str:
    if not key.isprintable() or '"' in key or "\\" in key:
        raise ValueError("a key without quotes, backslashes and control characters")
    return key


class RoutedTable(Section):
    """A table that some of the records go to. What is left out is as the pipeline has it for its own table."""

    table: IdentifierText
    """In the pipeline's database and schema. Upper-cased; quote it to keep its case."""
    values: list[str] = Field(min_length=1)
    """The key's values whose records go there."""
    table_origin: ObjectOrigin | None = Field(default=None, strict=False)
    """`adopt` fills a table that exists, and never alters it."""
    table_kind: TableKind | None = Field(default=None, strict=False)
    """It can't be changed: another kind is another table. Given, external_volume, iceberg_version and structured_metadata are
    those that are given with it."""
    table_privilege: TablePrivilege | None = Field(default=None, strict=False)
    """What the engine may do with it."""
    external_volume: IdentifierText | None = None
    """Where an Iceberg table lies."""
    iceberg_version: Literal[2, 3] | None = None
    """Of an Iceberg table's format."""
    structured_metadata: bool | None = None
    """Of an Iceberg table: whether its metadata column is an OBJECT with its keys and types."""
    columns: list[Column] = Field(default_factory=list)
    """Columns that the table has from the beginning; those of the pipeline are its own table's alone."""
    cluster_by: list[IdentifierText] = Field(default_factory=list)
    """Columns of an interactive table by which it is sorted."""
    pipe: Pipe | None = None
    """A pipe with the table's name in place of its default pipe."""
    schema_evolution: bool | None = None
    """First-level keys without a column get one."""
    error_logging: bool | None = None
    """Keeps rows that Snowflake rejects in the table's error table."""
    row_timestamp: bool | None = None
    """Lets METADATA$ROW_LAST_COMMIT_TIME say when a row became visible."""

    @property
    def given(self) -> Mapping[str, Any]:
        """What it says of its table: the pipeline's options by their names."""
        said = {name: getattr(self, name) for name in self.model_fields_set - {"values"}}
        return {name: value for name, value in said.items() if value is not None}


class Routes(Section):
    """Sends each record to the table that one of its keys names, and to no other."""

    key: Annotated[str, Field(min_length=1), AfterValidator(_plain)]
    """The first-level key that is looked at, as it is when the record's transforms are done. Its case counts."""
    tables: list[RoutedTable] = Field(min_length=1, max_length=MOST_TABLES)
    """Each is one more channel of every shard."""
    others: Others = Field(default=Others.DEAD_LETTER, strict=False)
    """What a record does whose value has no table, is no text, or that has no such key. `dead_letter` by default: a value that
    nobody thought of should be seen."""
