"""One stream into one table, or into several by its routes."""

import re
from collections.abc import Iterable
from typing import Literal, Self

from pydantic import Field, model_validator

from firnline_infra.specification.aws import StreamName
from firnline_infra.specification.columns import Column
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.iceberg_types import WITH_VARIANT
from firnline_infra.specification.identifier import IdentifierText
from firnline_infra.specification.reader import Reader
from firnline_infra.specification.routes import RoutedTable, Routes
from firnline_infra.specification.table import Pipe, TableKind, TablePrivilege
from firnline_ingest.config.abreast import Abreast
from firnline_ingest.config.aggregation import Aggregation
from firnline_ingest.config.document import Section
from firnline_ingest.config.formats import (
    EmptyRecords,
    Format,
    JsonFormat,
    keys_made_by,
    makes_several_rows,
    refuse_metadata_columns,
)
from firnline_ingest.config.idle import IDLE_AFTER_SECONDS, IdleAfter
from firnline_ingest.config.kinds import AnyTransform
from firnline_ingest.config.patterns import NamePattern, literal_beginning
from firnline_ingest.config.position import InitialPosition
from firnline_ingest.config.row_bytes import MAX_ROW_BYTES, MaxRowBytes
from firnline_ingest.config.rows import Metadata, MetadataForm, Tolerance, UnusableRecords
from firnline_ingest.config.transform import (
    refuse_another_case,
    refuse_key_of_no_record,
    refuse_metadata_keys,
)

OF_ITS_KIND = ("external_volume", "iceberg_version", "structured_metadata")
NEVER_ROUTED = ("columns", "cluster_by", "pipe", "routes", "adds_columns", "letters_by_file", "also")


class Pipeline(Section):
    """One stream into one table, or into several by its routes."""

    stream: StreamName
    """One of the streams; each is read by one pipeline."""
    also: NamePattern | None = None
    """A regular expression of whole names: the account's other streams whose names match are polled into the same table, with
    these options; nothing of them is made here. It has to begin as all of them do, because the engine may read those alone. One
    that another pipeline names is that pipeline's (docs/many-streams.md)."""
    database: IdentifierText
    """It is made here, with the environment's comment, unless snowflake.databases adopts it."""
    schema_: IdentifierText = Field(alias="schema")
    """It is made here, unless the database's schemas adopt it."""
    table: IdentifierText | None = None
    """The stream's name where absent, with a number after it if that is no identifier. Upper-cased; quote it to keep its case."""
    table_origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` fills a table that exists, and never alters it: what is said of it here (metadata column, schema_evolution,
    error_logging, row_timestamp) has to be true of it, and its owner is told what is not."""
    shares_table: bool = False
    """Says that another pipeline fills the same table, on purpose; both have to say it."""
    table_kind: TableKind = Field(default=TableKind.STANDARD, strict=False)
    """It can't be changed: another kind is another table."""
    table_privilege: TablePrivilege = Field(default=TablePrivilege.INSERT, strict=False)
    """The least by default: who can neither drop nor read a table can neither lose nor leak what is in it."""
    external_volume: IdentifierText | None = None
    """Where an Iceberg table lies: the name of one of the environment's external volumes."""
    iceberg_version: Literal[2, 3] = 3
    """Of an Iceberg table's format. 3 by default: it has VARIANT, which is what nested keys become; 2 for readers that know no
    other. It can't be changed: another version is another table."""
    structured_metadata: bool | None = None
    """Whether an Iceberg table's metadata column is an OBJECT with its keys and types, which every reader of Iceberg knows, and
    not VARIANT. Absent, it is with iceberg_version: 2, which has no VARIANT."""
    columns: list[Column] = Field(default_factory=list)
    """Columns that the table has from the beginning, after the metadata column; with schema_evolution: false the only ones.
    An interactive table has no others either, so it needs them."""
    cluster_by: list[IdentifierText] = Field(default_factory=list)
    """Columns of an interactive table by which it is sorted; it needs one at least."""
    pipe: Pipe | None = None
    """The table's default pipe where absent: it needs no name, no grant and no care."""
    schema_evolution: bool = True
    """First-level keys without a column get one. Where off, their values are not kept; the log names each such key once, with the
    record that brought it first and the statement that would add its column."""
    adds_columns: bool = False
    """Whether the engine itself adds columns for such keys: with schema_evolution: false and table_privilege: ownership. Values
    that came before their column are counted, and not kept."""
    error_logging: bool = True
    """Keeps rows that Snowflake rejects in the table's error table; without it they can't be told from loaded ones."""
    row_timestamp: bool = True
    """Lets METADATA$ROW_LAST_COMMIT_TIME say when a row became visible: the latency report needs it."""
    tolerance: Tolerance = Field(default=Tolerance.NONE, strict=False)
    """`none`: a row that Snowflake rejects stops its shard, so that a person sees it. `all`: it stays in the error
    table."""
    fail_on_data_loss: bool = True
    """Whether records that left the stream's retention unread stop their shard; the loss is measured and kept in the
    ledger either way. True by default, because nobody should learn of it from a report."""
    letters_by_file: bool = False
    """Makes a stage and a pipe beside the table, `<TABLE>_LETTERS`, through which letters go into it in files, also those whose
    row is too large to be streamed (docs/files.md). Off by default: the engine's role gets SELECT on the table with it. Only
    of a standard table that is made here and has no pipe of its own."""
    unusable_records: UnusableRecords = Field(default=UnusableRecords.KEEP, strict=False)
    """What a record does that can't be a row. `keep` by default: its bytes, its place and the reason are kept."""
    max_unusable_per_minute: int | None = Field(default=None, ge=1)
    """Unusable records of one shard that arrived in one minute; more of them stop the shard, because a producer turned
    bad. No limit by default: watch `dead_letters` and `skipped` in the engine's progress lines."""
    aggregation: Aggregation = Field(default=Aggregation.AUTO, strict=False)
    """`auto`: what the Kinesis Producer Library packed into one record becomes a row for each of its user records. `off`: it
    is a record like any other."""
    initial_position: InitialPosition = InitialPosition.left_out()
    """Where a shard is begun that was never read before; TRIM_HORIZON, because nothing should be missed silently."""
    format: Format = JsonFormat.left_out()
    """What the bytes of a record are; one JSON object by default."""
    max_row_bytes: MaxRowBytes = MAX_ROW_BYTES
    """Bytes of one row as sent, metadata included; a larger one becomes a dead letter. From 1,048,000 on the SDK uploads a row
    to a bucket of Snowflake's, which the workers' network has to let through."""
    empty_records: EmptyRecords = Field(default=EmptyRecords.REJECT, strict=False)
    """What a record without content does. `reject` by default, because it is not known to be meant as a deletion."""
    content_column: IdentifierText | None = None
    """Keeps all of a row's content in this column instead of a column for each first-level key: VARIANT, of text VARCHAR, of
    bytes BINARY, unless `columns` declares it otherwise."""
    transforms: list[AnyTransform] = Field(default_factory=list)
    """What becomes of a record before it is a row, one behind the other (docs/transforms.md); nothing by default."""
    routes: Routes | None = None
    """Sends records to other tables by what is in them (docs/routes.md); all go into one where absent."""
    idle_after_seconds: IdleAfter = IDLE_AFTER_SECONDS
    """A shard whose records stop for so long, while it is read to its tip, is shown as idle by `firnline status` and counted in
    `IdleShards`. Nothing else follows from it."""
    abreast: Abreast | None = None
    """Keeps the stream's shards together by the time of arrival (docs/abreast.md); each goes as fast as it can where absent."""
    reader: Reader = "polling"
    """`polling` by default: it needs no consumer, and costs nothing beside the stream. `{fan_out: {consumer: NAME}}` where other
    readers share the shards' throughput, or where the milliseconds between two polls matter (docs/fan-out.md)."""
    metadata: Metadata = Metadata.left_out()
    """What a row says of its record, and in which columns, which every table begins with."""
    without_audit: bool = False
    """Says that the audit can't prove this table, on purpose: rows lack a part of their record's position, or the pipe's SELECT
    leaves it out."""

    def refuse_what_its_kind_lacks(self) -> None:
        """Raises ValueError."""
        if (self.table_kind is TableKind.ICEBERG) != (self.external_volume is not None):
            raise ValueError("give external_volume with table_kind: iceberg, and only then")
        if self.table_kind is not TableKind.ICEBERG:
            if given := sorted(self.model_fields_set & {"iceberg_version", "structured_metadata"}):
                raise ValueError(f"{' and '.join(given)}: only of table_kind: iceberg; remove it")
        elif self.iceberg_version < WITH_VARIANT and self.structured_metadata is False:
            raise ValueError(
                "structured_metadata: iceberg_version: 2 has no VARIANT; remove it, or give iceberg_version: 3"
            )
        if self.structured_metadata and self.metadata.form is not MetadataForm.OBJECT:
            raise ValueError(
                f"structured_metadata: it is of metadata.form: object, not {self.metadata.form}; remove it"
            )
        if (self.table_kind is TableKind.INTERACTIVE) != bool(self.cluster_by):
            raise ValueError("give cluster_by with table_kind: interactive, and only then")

    @model_validator(mode="after")
    def _its_parts_go_together(self) -> Self:
        self.refuse_what_its_kind_lacks()
        refuse_metadata_columns(self.format, self.metadata, self.content_column)
        made = keys_made_by(self.format, self.content_column)
        taken = (
            self.metadata.columns(are_numbered=makes_several_rows(self.format)) if self.content_column is None else ()
        )
        refuse_another_case(self.transforms, made)
        if self.transforms and self.content_column is None:
            refuse_metadata_keys(self.transforms, taken)
        if self.routes is not None:
            refuse_key_of_no_record(self.routes.key, self.transforms, made, taken)
        if self.also is not None and self.reader != "polling":
            raise ValueError("leave out also or reader.fan_out: a consumer belongs to one stream")
        if self.also is not None and not literal_beginning(self.also):
            raise ValueError("also has to begin with what all its streams' names begin with, for example clicks-.*")
        return self

    @model_validator(mode="after")
    def _letters_by_file_have_a_table_for_it(self) -> Self:
        is_made = self.table_kind is TableKind.STANDARD and self.table_origin is not ObjectOrigin.ADOPT
        if self.letters_by_file and (not is_made or self.pipe is not None):
            raise ValueError("letters_by_file: only of a standard table that is made here, without a pipe of its own")
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
        """For each table that its routes name: the pipeline as if all went there."""
        return tuple(map(self._into, self.routes.tables)) if self.routes else ()

    def _into(self, table: RoutedTable) -> "Pipeline":
        given = table.given
        own = self.model_fields_set.difference(NEVER_ROUTED, OF_ITS_KIND if "table_kind" in given else ())
        return Pipeline.model_construct(**{**{name: getattr(self, name) for name in own}, **given})

    @property
    def selects(self) -> bool:
        """Whether a SELECT of the pipe or of the table takes values out of records."""
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
    """Those of the streams that `also` finds."""
    return [stream for stream in streams if pipeline.also and re.fullmatch(pipeline.also, stream, re.ASCII)]
