"""The options of a pipeline: how a stream is read, what its records become, where the rows go.

This is the only place where one of them is declared, described and defaulted. A pipeline of an engine's configuration, a
pattern of streams and a pipeline of an environment's specification inherit them.
"""

import hashlib
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section
from firnline_ingest.config.format import EmptyRecords, refuse_metadata_columns
from firnline_ingest.config.identifier import IdentifierText, OwnColumn
from firnline_ingest.config.kinds import DEFAULT_FORMAT, AnyFormat, AnyTransform
from firnline_ingest.config.login import ServiceLogin
from firnline_ingest.config.position import InitialPosition
from firnline_ingest.config.query import PipelineQuery, refuse_beside_query
from firnline_ingest.config.reader import Reader
from firnline_ingest.config.rows import Metadata, PipeRows, Tolerance, UnusableRecords
from firnline_ingest.config.transform import refuse_another_case, refuse_metadata_keys, transforms_hash

IDLE_AFTER_SECONDS = 300
"""Longer than producers pause between two batches, mostly; short enough to be news."""
MAX_ROW_BYTES = 1_000_000

CONVERSION_VERSION = 1
"""Rises with every change of what the engine itself makes of a record (its checks, its metadata, a format), so that rows in
flight are counted as they were made (docs/design/ledger.md, section 5). A transform has a version of its own (`code_version`)."""


class Aggregation(StrEnum):
    """Treatment of KPL aggregates (the Kinesis Producer Library's): taken apart, or not."""

    AUTO = "auto"
    """A record that is an aggregate, by its magic and its checksum, becomes its user records; any other is as it is."""
    OFF = "off"
    """No record is looked into: for payloads of your own that are aggregates by accident or by nature."""


class Alignment(Section):
    """Shards kept together, for queries in the order of arrival while a backlog is taken in."""

    max_ahead_seconds: int = Field(ge=60, le=7 * 86_400)
    """No shard takes in a record that arrived so much later than what the slowest shard has come to. Where that is, is looked
    at for each epoch: so a backlog is taken in by at most so much an epoch."""
    ignore_stalled_after_seconds: int | None = Field(default=None, ge=60, le=7 * 86_400)
    """A shard that has not come further for so long (it has stopped, or no engine reads it) holds the others back no more.
    Without a number it does for as long as it takes. A shard without records is not such a shard: it comes further with the
    service's time."""


class PipelineOptions(Section):
    """Options of a pipeline, whoever writes them down."""

    database: IdentifierText
    """Where the table is. A name is upper-cased, unless it stands between double quotes. An environment makes the database,
    with its comment, unless snowflake.databases adopts it."""
    schema_: Annotated[IdentifierText, Field(alias="schema")]
    """The same of the table's schema. An environment makes it, unless the database's schemas adopt it."""
    table: str | None = None
    """The table's name. Where absent it is the stream's name, with a hash after it if that is not an identifier. Upper-cased;
    quote it to keep its case. Of a pattern, a template."""
    initial_position: InitialPosition = InitialPosition.default()
    """Where a shard is begun that was never read before; TRIM_HORIZON, because nothing should be missed silently. `LATEST` alone
    is short for `{at: LATEST}`."""
    idle_after_seconds: int = Field(default=IDLE_AFTER_SECONDS, ge=10, le=7 * 86_400)
    """A shard whose records stop for so long, while it is read to its tip, is shown as idle by `firnline status` and counted in
    `IdleShards`. Nothing else follows from it."""
    alignment: Alignment | None = None
    """Keeps the stream's shards together by the time of arrival (docs/alignment.md); each goes as fast as it can by
    default."""
    tolerance: Tolerance = Field(default=Tolerance.NONE, strict=False)
    """`none`: a row that Snowflake rejects stops its shard, so that a person sees it. `all`: it stays in the error table,
    which must be on."""
    on_error: UnusableRecords = Field(default=UnusableRecords.DEAD_LETTER, strict=False)
    """What a record does that can't be a row. `dead_letter` by default: its bytes, its place and the reason are kept as a
    dead letter."""
    max_unusable_per_minute: int | None = Field(default=None, ge=1)
    """Unusable records of one shard that arrived in one minute; more of them stop the shard, because a producer turned
    bad. No limit by default: watch `dead_letters` and `skipped` in the engine's progress lines. What goes by file
    (`oversize_rows`) does not count."""
    fail_on_data_loss: bool = True
    """True if records that left the stream's retention unread stop their shard; the loss is measured and kept in the ledger
    either way. True by default, because a report is too late a place to learn of it."""
    aggregation: Aggregation = Field(default=Aggregation.AUTO, strict=False)
    """`auto`: what the Kinesis Producer Library packed into one record becomes a row for each of its user records. `off`: it
    is a record like any other."""
    adds_columns: bool | Literal["approved"] = False
    """Whether the engine itself adds columns for keys that have none, where the table's own schema evolution is off; it needs
    OWNERSHIP of the table. Rows wait until each of their keys has a column; those of keys that are refused one go on, and the
    keys are counted. `approved`: only once a person has approved them (`firnline columns`); until then their records wait in the
    stream."""
    audit: bool = True
    """True if the audit can prove the table. `off` says that it can't, on purpose: rows lack a part of their record's
    position, or a pipe's SELECT leaves it out, which is refused otherwise."""
    metadata: Metadata = Metadata.default()
    """What a row says of its record, and in which columns, which every table that is made begins with."""
    format: AnyFormat = DEFAULT_FORMAT
    """What the bytes of a record are; one JSON object by default."""
    empty_records: EmptyRecords = Field(default=EmptyRecords.REJECT, strict=False)
    """What a record without content does. `reject` by default, because it is not known to be meant as a deletion."""
    content_column: OwnColumn | None = None
    """Keeps all of a row's content in this column instead of a column for each first-level key, as JSON of any kind
    (VARIANT); of text (VARCHAR) and bytes (BINARY), which are in one column in any case, it names that column."""
    transforms: list[AnyTransform] = Field(default=[])
    """What becomes of a record before it is a row, one behind the other (docs/transforms.md); nothing by default."""
    query: PipelineQuery | None = None
    """SQL, or a function of DataFrames, that Spark runs over the rows before they are sent (docs/query.md); none by default,
    because rows then never cross the JVM."""
    max_row_bytes: int = Field(default=MAX_ROW_BYTES, ge=1024, le=16 * 1024 * 1024)
    """Bytes of one row as sent, metadata included; a larger one becomes a dead letter. The SDK sends rows of up to 1,048,000
    bytes to Snowflake itself and uploads larger ones to a bucket of Snowflake's, which the workers' network has to let
    through."""
    oversize_rows: Literal["dead_letter", "file"] = "dead_letter"
    """What becomes of a record with such a row. `dead_letter`: it stays one until a person replays it. `file`: it is a dead
    letter first, and the engine replays it by file, up to 16,000,000 bytes a record, within some twenty minutes
    (docs/files.md). Its rows come behind later ones of their shard: `latest_by` is right all the same, what takes rows by
    their arrival is not."""

    @property
    def goes_by_file(self) -> bool:
        """True if the engine itself replays, by file, the dead letters that are too large for a channel."""
        return self.oversize_rows == "file"

    @model_validator(mode="after")
    def _content_and_metadata_have_columns_of_their_own(self) -> Self:
        refuse_metadata_columns(self.format, self.metadata, self.content_column)
        refuse_another_case(self.transforms, self.content_keys)
        if self.transforms and self.content_column is None:
            refuse_metadata_keys(self.transforms, self.metadata_keys)
        if self.goes_by_file and self.on_error is not UnusableRecords.DEAD_LETTER:
            raise ValueError(
                f"oversize_rows: file is made of dead letters, and on_error: {self.on_error} keeps none; remove one of them"
            )
        refuse_beside_query(self)
        return self

    @property
    def content_keys(self) -> list[str]:
        """The keys that its objects have whatever a record holds, as far as the format names them."""
        return self.format.keys_made(self.content_column)

    @property
    def metadata_keys(self) -> tuple[str, ...]:
        """The metadata's columns that no key of a record may be; none where keys become no columns."""
        if self.content_column is not None:
            return ()
        return self.metadata.columns(are_numbered=self.format.makes_several_rows)

    @property
    def conversion_hash(self) -> str:
        """Changes with what decides which rows a record becomes: rows in flight must be counted as they were made."""
        deciding = {"aggregation", "empty_records", "format", "metadata", "max_row_bytes"}
        decides = f"version {CONVERSION_VERSION} " + self.model_dump_json(
            include=deciding, exclude={"format": self.format.undeciding, "metadata": self.metadata.undeciding}
        )
        decides += f"content in {self.content_column}" if self.content_column is not None else ""
        decides += transforms_hash(self.transforms) if self.transforms else ""
        decides += self.query.hash_text if self.query is not None else ""
        return hashlib.sha256(decides.encode()).hexdigest()[:16]


class EngineOptions(PipelineOptions):
    """The options of which the engine knows another form than a specification: it is told names, and whom a consumer belongs
    to."""

    pipe: IdentifierText | None = None
    """A user-defined pipe; by default, the one with the table's name if it exists, else the default pipe."""
    reader: Reader = "polling"
    """`polling` by default: it needs no consumer, and costs nothing beside the stream. `fan_out` where other readers share the
    shards' throughput, or where the milliseconds between two polls matter (docs/fan-out.md)."""
    login: ServiceLogin | None = None
    """A service user of this pipeline's own, with rights on its tables alone; `snowflake` has the one of all others."""
    pipe_selects: bool = False
    """Says that a SELECT, of the pipe or of the table itself, takes values out of records: no key is missed, no value
    audited."""

    pipe_rows: PipeRows = Field(default=PipeRows.ONE, strict=False)
    """The number of rows that the pipe of `pipe` makes of each row that it is sent: `one`, `some` where its WHERE drops rows,
    `several` where it flattens or joins. `one` by default, because Snowflake's counters then prove each row, and the audit each
    record."""

    @model_validator(mode="after")
    def _rows_are_of_a_pipe_that_is_named(self) -> Self:
        if self.pipe_rows is not PipeRows.ONE and self.pipe is None:
            raise ValueError(f"pipe_rows: {self.pipe_rows} is said of a pipe that is named; give pipe")
        if self.pipe_rows is not PipeRows.ONE and self.query is not None:
            raise ValueError(f"pipe_rows: {self.pipe_rows} does not go with query; filter in the query")
        return self

    def refuse_files_of_other_columns(self) -> None:
        """Raises ValueError."""
        if self.goes_by_file and (self.pipe is not None or self.pipe_selects):
            raise ValueError(
                "oversize_rows: file loads columns by their names, and the pipeline's pipe or SELECT may make other ones; "
                "remove oversize_rows"
            )
