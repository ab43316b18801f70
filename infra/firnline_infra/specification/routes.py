"""One stream into several tables: by the value of one of a record's keys (docs/routes.md)."""

from collections.abc import Mapping
from typing import Any

from pydantic import Field

from firnline_infra.specification.table import TableOptions
from firnline_ingest.config.document import Section
from firnline_ingest.config.identifier import IdentifierText
from firnline_ingest.config.routes import MOST_TABLES, RouteKey, Unmatched


class RoutedTable(TableOptions):
    """A table that some of the records go to. What it does not say of its table is as the pipeline has it for its own; but
    columns, cluster_by, base_location and pipe, which are one table's, and, with another table_kind, what is of a table's kind.
    """

    table: IdentifierText
    """In the pipeline's database and schema. Upper-cased; quote it to keep its case."""
    values: list[str] = Field(min_length=1)
    """The key's values whose records go there."""

    @property
    def given(self) -> Mapping[str, Any]:
        """Options that it sets of its table: the pipeline's by their names."""
        return {name: getattr(self, name) for name in self.model_fields_set - {"values"}}


class Routes(Section):
    """Sends each record to the table that one of its keys names, and to no other."""

    key: RouteKey
    """The first-level key that is looked at, as it is when the record's transforms are done. Its case counts."""
    tables: list[RoutedTable] = Field(min_length=1, max_length=MOST_TABLES)
    """Each is one more channel of every shard."""
    unmatched: Unmatched = Field(default=Unmatched.DEAD_LETTER, strict=False)
    """What a record does whose value has no table, is not text, or that has no such key. `dead_letter` by default: a
    value without a route should be seen."""
