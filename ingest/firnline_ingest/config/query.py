"""A pipeline's query: SQL over its rows, or a function of DataFrames. Spark runs it between a shard's records and its channel."""

import re
from typing import Annotated, Any, Self

from pydantic import Field, model_validator

from firnline_ingest.config.callables import IMPORT_PATH, code_of
from firnline_ingest.config.document import Section
from firnline_ingest.errors import Fatal, FirnlineError, declared

POSITION = "_position"
"""The column by which a row that a query made is known as its record's."""
NOW = r"""(?i)\b(?:date|timestamp(?:_ltz|_ntz)?)\s*r?(['"])\s*(?:now|today|tomorrow|yesterday)\b[^'"]*\1"""
"""Times that Spark's parser makes constants of, so that its plan does not tell them from others."""
TIME_OF_DAY = r"\s*(?:[Tt]|[0-9]{1,2}:)"
"""How a text begins of which Spark makes a time of the present day, when it makes a TIMESTAMP of it."""
OF_THIS_DAY = rf"""(?i)\btimestamp(?:_ltz)?\s*r?(['"]){TIME_OF_DAY}[^'"]*\1"""
ROWS = "rows"
"""What a query calls the rows of its pipeline."""


@declared
class QueryNotRunHere(FirnlineError, Fatal):
    """Records of a pipeline with a query can't be made rows of where no Spark is."""

    stream: str

    id = "FL-4143"
    message = "The rows of {stream}'s records are decided by the pipeline's query, which Spark alone runs."
    next_step = (
        "nothing is lost, and nothing was written. Put the records into the stream once more, corrected or not: "
        "firnline dead-letters replay … --into-stream; the engine makes rows of them."
    )
    causes = (
        "Rows of a pipeline with `query` were to be made by something that runs no Spark, as a replay of dead letters"
    )
    remedy = (
        "put the records into the stream once more: `firnline dead-letters replay --into-stream` (docs/dead-letters.md); the "
        "engine makes rows of them"
    )


@declared
class SeveralRowsOfOneRecord(FirnlineError, Fatal):
    """A query made several rows of a record, where its rows can't be told apart."""

    stream: str
    number: int

    id = "FL-4144"
    message = (
        "The query of {stream} made {number:,} rows of one record, and rows of its format have no number to tell them "
        "apart."
    )
    next_step = (
        "use a format that makes several rows of a record (format: {{type: json, several_objects: true}}), or make "
        "one row of it."
    )
    causes = "A pipeline's `query` made several rows of one record, and the pipeline's format makes one"
    remedy = "a format that makes several (json with several_objects, docs/records.md), or a query that makes one"


class PipelineQuery(Section):
    """Narrow SQL, or a narrow function: what it makes of a record follows from that record alone (docs/query.md)."""

    schema_: Annotated[str, Field(alias="schema", min_length=1)]
    """The columns of the rows, as Spark's DDL has them: `order_id STRING, amount DECIMAL(10, 2)`. Each is filled from the
    record's key of that name, or of that name in capitals. A record whose value does not fit becomes a dead letter."""
    sql: Annotated[str, Field(min_length=1)] | None = None
    """A SELECT of Spark's SQL from `rows`. It keeps the column `_position`: `SELECT _position, upper(name) AS name FROM rows
    WHERE amount > 0`."""
    function: Annotated[str, IMPORT_PATH] | None = None
    """Where a function is imported from that is given the rows as a DataFrame, and returns one with their `_position`."""
    version: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """Of the function and of all that it uses: give another one when they change. Where absent, the file of its module counts as
    its version, and nothing that the module imports."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> Self:
        if (self.sql is None) == (self.function is None):
            raise ValueError("give exactly one of sql, function")
        if self.version is not None and self.function is None:
            raise ValueError("version belongs to function: the text of sql is its own version")
        if not self.schema_.strip():
            raise ValueError("schema: must name at least one column: name TYPE, name TYPE")
        if re.search(rf"(?i)(?:^|,)\s*`?{POSITION}\b", self.schema_):
            raise ValueError(f"schema: {POSITION} is there by itself; leave it out")
        if self.sql is not None and (found := re.search(NOW, self.sql)) is not None:
            raise ValueError(
                f"sql: {found[0]} is the time at which it is read, and another one at the next start; write the time itself"
            )
        if self.sql is not None and (found := re.search(OF_THIS_DAY, self.sql)) is not None:
            raise ValueError(
                f"sql: {found[0]} is of the day on which it is read, and of another one at the next start; write the day too"
            )
        if self.sql is not None and re.search(rf"(?i){POSITION}|\*|\|>|\btable\b", self.sql) is None:
            raise ValueError(
                f"sql: its rows lack {POSITION}, by which each is known as its record's; add it to the SELECT"
            )
        return self

    @property
    def hash_text(self) -> str:
        """Changes with what it makes of a record. Raises CallableUnusable."""
        code = code_of(self.function) if self.function is not None and self.version is None else ""
        return self.model_dump_json() + code


def refuse_beside_query(options: Any) -> None:
    """Raises ValueError for an option of a pipeline that does not go with its query."""
    if options.query is None:
        return
    reader, routes = getattr(options, "reader", "polling"), getattr(options, "routes", None)
    refused = {
        "adds_columns": options.adds_columns
        and "the query says which columns there are; make them, or let the table's own schema evolution",
        "content_column": options.content_column is not None and "the query says which columns there are",
        "oversize_rows: file": options.goes_by_file and "files are made of dead letters, without Spark",
        "reader.fan_out": reader != "polling"
        and "Spark is asked once a page, and fan-out's pages are small; use polling",
        "routes": routes is not None and "a query has one table; filter in the query, or use a pipeline for each table",
    }
    for name, why in refused.items():
        if why:
            raise ValueError(f"query: {name} does not go with it: {why}")
