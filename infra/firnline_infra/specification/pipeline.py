"""One stream into one table, or into several by its routes."""

import re
from collections.abc import Iterable
from enum import StrEnum
from typing import Any, Self

from pydantic import Field, model_validator

from firnline_infra.specification.aws import StreamName
from firnline_infra.specification.iceberg_types import WITH_VARIANT
from firnline_infra.specification.reader import Reader
from firnline_infra.specification.routes import RoutedTable, Routes
from firnline_infra.specification.snowflake import ServiceUser
from firnline_infra.specification.table import (
    OF_ITS_KIND,
    OF_ONE_TABLE,
    ONLY_OF_ICEBERG,
    SNOWFLAKE_STORAGE,
    TableKind,
    TableOptions,
)
from firnline_ingest.config.identifier import IdentifierText
from firnline_ingest.config.patterns import NamePattern, wildcard
from firnline_ingest.config.pipeline import PipelineOptions
from firnline_ingest.config.rows import MetadataForm, PipeRows
from firnline_ingest.config.transform import refuse_key_of_no_record
from firnline_ingest.identifiers import stored_name

NEVER_ROUTED = {"routes", "schema_contract", "adds_columns", "stream_pattern", "oversize_rows", *OF_ONE_TABLE}


class SchemaContract(StrEnum):
    """Treatment of keys that a pipeline's table has no column for."""

    EVOLVE = "evolve"
    """A new key gets a column: by Snowflake's schema evolution, or with `schema_evolution: false` by the engine."""
    FREEZE = "freeze"
    """The table stays as it is. The values of new keys are not kept; they are counted, and each is named once."""
    ASK = "ask"
    """A person decides (`firnline columns`); until then the records wait in the stream."""


OF_CONTRACT: dict[SchemaContract, dict[str, object]] = {
    SchemaContract.EVOLVE: {},
    SchemaContract.FREEZE: {"schema_evolution": False, "adds_columns": False},
    SchemaContract.ASK: {"schema_evolution": False, "adds_columns": "approved"},
}
"""What each of them means in the options that it stands for."""


class Pipeline(TableOptions, PipelineOptions):
    """One stream into one table, or into several by its routes."""

    stream: StreamName
    """One of the streams; each is read by one pipeline."""
    stream_pattern: NamePattern | None = None
    """A regular expression of whole names: the account's other streams whose names match are polled into the same table, with
    these options; nothing of them is made here. It has to begin or end as all of them do, `clicks-.*` or `.*_cat`, because the
    engine may read those alone. One that another pipeline names is that pipeline's (docs/many-streams.md)."""
    table: IdentifierText | None = None
    shared_table: bool = False
    """Says that another pipeline fills the same table, on purpose; both have to say it."""
    routes: Routes | None = None
    """Sends records to other tables by what is in them (docs/routes.md); all go into one by default."""
    ingest: ServiceUser | None = None
    """A user and a role of this pipeline's own, which may write its tables and nothing else, with a key pair of its own
    (`firnline keys create ENV STREAM`); `{}` names them after the stream. Pipelines without share snowflake.ingest, which is
    not made where all have their own."""
    reader: Reader = "polling"
    """`polling` by default: it needs no consumer, and costs nothing beside the stream. `{fan_out: {consumer: NAME}}` where
    other readers share the shards' throughput, or where the milliseconds between two polls matter (docs/fan-out.md)."""

    schema_contract: SchemaContract | None = Field(default=None, strict=False)
    """One word for `schema_evolution` and `adds_columns`, with the alarms that go with it: `evolve`, `freeze` or `ask`. Where
    absent those two say it, and there are no such alarms."""

    @model_validator(mode="before")
    @classmethod
    def _the_contract_says_the_rest(cls, document: Any) -> Any:
        """An option that the contract stands for may be said as well, if it says the same."""
        said = document.get("schema_contract") if isinstance(document, dict) else None
        if said not in list(SchemaContract):
            return document  # another word is refused with the field
        means = dict(OF_CONTRACT[SchemaContract(said)])
        if said == SchemaContract.EVOLVE and document.get("schema_evolution") is False:
            means["adds_columns"] = True
        for name, value in means.items():
            if (given := document.get(name, value)) != value:
                import json

                raise ValueError(
                    f"schema_contract: {said} means {name}: {json.dumps(value)}, not {json.dumps(given)}; remove one"
                )
        return {**document, **means}

    def refuse_what_its_kind_lacks(self) -> None:
        """Raises ValueError."""
        if self.external_volume == SNOWFLAKE_STORAGE and self.base_location is not None:
            raise ValueError(
                f"base_location: {SNOWFLAKE_STORAGE} is Snowflake's own storage, which has none; remove it"
            )
        if (self.table_kind is TableKind.ICEBERG) != (self.external_volume is not None):
            raise ValueError("give external_volume with table_kind: iceberg, and only then")
        if self.table_kind is not TableKind.ICEBERG:
            if given := sorted((self.model_fields_set & ONLY_OF_ICEBERG) - {"external_volume"}):
                raise ValueError(f"{' and '.join(given)}: only of table_kind: iceberg; remove it")
        elif self.iceberg_version < WITH_VARIANT and self.structured_metadata is False:
            raise ValueError(
                "structured_metadata: iceberg_version: 2 has no VARIANT; remove it, or give iceberg_version: 3"
            )
        if self.structured_metadata and self.metadata.form is not MetadataForm.OBJECT:
            raise ValueError(
                f"structured_metadata: it belongs to metadata.form: object, not {self.metadata.form}; remove it"
            )
        if self.cluster_by and self.table_kind is TableKind.ICEBERG:
            raise ValueError("give cluster_by with table_kind: standard or interactive, and only then")
        if self.pipe is not None and self.pipe.cluster_at_ingest_time and not self.cluster_by:
            raise ValueError("pipe.cluster_at_ingest_time: there is no clustering key to sort by; give cluster_by")
        if self.table_kind is TableKind.INTERACTIVE and not (self.cluster_by or self.pipe_selects):
            raise ValueError("an interactive table needs cluster_by, unless its columns have a select")
        if self.file_replay and (self.table_kind is TableKind.INTERACTIVE or self.pipe is not None):
            raise ValueError("file_replay: only of a standard or an Iceberg table without a pipe of its own; remove it")
        if self.goes_by_file and not self.file_replay:
            raise ValueError(
                "oversize_rows: file goes through the table's own stage and pipe; give file_replay: true, which a standard or an "
                "Iceberg table without a pipe of its own may have; or remove oversize_rows"
            )

    @model_validator(mode="after")
    def _its_parts_go_together(self) -> Self:
        self.refuse_what_its_kind_lacks()
        if self.routes is not None:
            refuse_key_of_no_record(self.routes.key, self.transforms, self.content_keys, self.metadata_keys)
        if self.pipe is not None and self.pipe.rows is not PipeRows.ONE and (self.routes or self.query):
            other = "routes" if self.routes else "query"
            raise ValueError(f"pipe.rows: {self.pipe.rows} does not go with {other}; remove one of them")
        if any(each.pipe is not None and each.pipe.rows is not PipeRows.ONE for each in self.routed):
            raise ValueError("routes.tables: the pipe of a route's table makes one row of each; remove pipe.rows")
        if self.stream_pattern is not None and self.reader != "polling":
            raise ValueError("leave out stream_pattern or reader.fan_out: a consumer belongs to one stream")
        if self.stream_pattern is not None and wildcard(self.stream_pattern) == "*":
            raise ValueError("stream_pattern has to begin or end as all its streams' names do, as clicks-.* or .*_cat")
        return self

    @model_validator(mode="after")
    def _its_contract_holds_for_all_of_its_tables(self) -> Self:
        if self.schema_contract is None:
            return self
        if self.content_column is not None or self.pipe_selects:
            raise ValueError(
                "schema_contract: keys become no columns with content_column, or behind a SELECT; remove it"
            )
        for number, table in enumerate(self.routes.tables if self.routes else ()):
            if table.given.get("schema_evolution", self.schema_evolution) != self.schema_evolution:
                raise ValueError(
                    f"routes.tables[{number}] ({table.table}): schema_evolution differs from what schema_contract: "
                    f"{self.schema_contract} means; remove it there"
                )
        return self

    @model_validator(mode="after")
    def _routed_tables_have_what_their_kinds_need(self) -> Self:
        for number, table in enumerate(self.routed):
            try:
                table.refuse_what_its_kind_lacks()
            except ValueError as error:
                raise ValueError(f"routes.tables[{number}] ({table.table}): {error}") from error
        return self

    @property
    def routed(self) -> "tuple[Pipeline, ...]":
        """A pipeline for each table that the routes name, as if every row went there."""
        return tuple(map(self._into, self.routes.tables)) if self.routes else ()

    def _into(self, table: RoutedTable) -> "Pipeline":
        given = table.given
        own = self.model_fields_set.difference(NEVER_ROUTED, OF_ITS_KIND if "table_kind" in given else ())
        return Pipeline.model_construct(**{**{name: getattr(self, name) for name in own}, **given})

    @property
    def pipe_selects(self) -> bool:
        """True if a SELECT of the pipe or of the table takes values out of records."""
        of_the_pipe = self.pipe is not None and self.pipe.select is not None
        return of_the_pipe or any(each.select is not None for each in self.columns)

    @property
    def has_structured_metadata(self) -> bool:
        if self.metadata.form is not MetadataForm.OBJECT:
            return False
        if self.structured_metadata is None:
            return self.table_kind is TableKind.ICEBERG and self.iceberg_version < WITH_VARIANT
        return self.structured_metadata


def others_of(pipeline: Pipeline, streams: Iterable[str]) -> list[str]:
    """The streams among these that `stream_pattern` finds."""
    return [
        stream
        for stream in streams
        if pipeline.stream_pattern and re.fullmatch(pipeline.stream_pattern, stream, re.ASCII)
    ]


def content_column(pipeline: Pipeline) -> tuple[str, str] | None:
    """The stored name and the type of the column that takes all of a row's content. None where keys become columns, and where the
    column is declared.
    """
    if pipeline.content_column is None:
        return None
    name = stored_name(pipeline.content_column)
    declared = {stored_name(each.name).upper() for each in pipeline.columns}
    return None if name.upper() in declared else (name, pipeline.format.content_type)
