"""What the bytes of a record are: one small model a format, told apart by `type`."""

import json
from collections.abc import Iterable
from enum import StrEnum
from importlib.util import find_spec
from typing import Annotated, Any, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from firnline_ingest.config.document import Section
from firnline_ingest.config.identifier import ObjectName, OwnColumn
from firnline_ingest.config.registries import ConfluentRegistry
from firnline_ingest.config.rows import Metadata
from firnline_ingest.identifiers import stored_name

CONTENT = "RECORD_CONTENT"


def _is_record(text: str) -> str:
    """Of Avro: what is wrong inside of it is told where fastavro is, which the engine and `firnline-infra[deploy]` bring."""
    try:
        schema = json.loads(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    if not (isinstance(schema, dict) and schema.get("type") == "record" and isinstance(schema.get("fields"), list)):
        raise ValueError("it is no record of Avro's with fields, which could be columns")
    if find_spec("fastavro"):
        from fastavro.schema import parse_schema

        try:
            parse_schema(schema)
        except Exception as error:  # fastavro raises what it comes across, and none of it is ours
            raise ValueError(f"it is no schema of Avro's: {type(error).__name__}: {error}"[:300]) from error
    return text


OneCharacter = Annotated[str, Field(min_length=1, max_length=1)]


class Compression(StrEnum):
    """How a record is packed."""

    NONE = "none"
    """As it is."""
    GZIP = "gzip"
    """gzip (RFC 1952), one member or several."""
    ZSTD = "zstd"
    """Zstandard (RFC 8878), one frame or several, with a window of up to 8 MB."""


class _Packed(Section):
    compression: Compression = Field(default=Compression.NONE, strict=False)
    """What a record is unpacked with first. One that has more than 10 MiB then is a dead letter."""


class JsonFraming(StrEnum):
    """What a serializer of a schema registry puts in front of the object; it is taken off. The registry is not asked."""

    NONE = "none"
    """Nothing: a record is the object."""
    CONFLUENT = "confluent"
    """A byte 0 and the schema's id in four bytes."""
    GLUE = "glue"
    """A byte 3, a byte for the compression (none, or zlib), and the schema version's UUID."""


class JsonFormat(_Packed):
    """A record is one JSON object; its first-level keys become columns."""

    type: Literal["json"] = "json"
    """One JSON object."""
    framing: JsonFraming = Field(default=JsonFraming.NONE, strict=False)
    """What stands in front of it."""


class JsonLinesFormat(_Packed):
    """A record is JSON objects, one a line, as Firehose and many log shippers put them; each becomes a row."""

    type: Literal["json_lines"]
    """JSON objects, one a line."""


class TextFormat(_Packed):
    """A record is text in UTF-8, kept as it is in one column."""

    type: Literal["text"]
    """Text in UTF-8."""
    column: OwnColumn = CONTENT
    """The VARCHAR column that takes it."""


class BytesEncoding(StrEnum):
    """How bytes are written in a row."""

    BASE64 = "base64"
    """What a BINARY column takes through the default pipe, and what a VARCHAR column keeps as text."""
    HEX = "hex"
    """For pipes of your own whose SELECT reads hexadecimal, and for VARCHAR columns."""


class BytesFormat(_Packed):
    """A record is any bytes, kept in one column."""

    type: Literal["bytes"]
    """Any bytes."""
    column: OwnColumn = CONTENT
    """The BINARY or VARCHAR column that takes them."""
    encoding: BytesEncoding = Field(default=BytesEncoding.BASE64, strict=False)
    """How they are written."""


class CsvFormat(_Packed):
    """A record is lines of fields (RFC 4180); each line becomes a row. Values are texts, which Snowflake casts to the column's
    type; an empty field is null.
    """

    type: Literal["csv"]
    """Lines of fields."""
    columns: list[ObjectName] = Field(default_factory=list)
    """The fields' columns, in their order; empty where `header` has the names."""
    header: bool = False
    """Whether the first line of each record names the columns. With `columns` too it is left out."""
    delimiter: OneCharacter = ","
    """Between two fields."""
    quote: OneCharacter | None = '"'
    """Around fields that hold delimiters or line breaks, doubled inside of them; null where quotes mean nothing."""

    @model_validator(mode="after")
    def _has_names(self) -> Self:
        if not (self.columns or self.header):
            raise ValueError("give columns, or header: true")
        if self.delimiter == self.quote or {self.delimiter, self.quote} & {"\r", "\n", "\0"}:
            raise ValueError("delimiter and quote have to be two characters, and neither of them a line break")
        if len({stored_name(name).upper() for name in self.columns}) < len(self.columns):
            raise ValueError("columns has a name twice")
        return self


class CloudWatchLogsFormat(Section):
    """A record is what a subscription filter of CloudWatch Logs puts: gzip, and an envelope of log events. Each event becomes a
    row with the envelope's owner, logGroup, logStream and subscriptionFilters; messages that only test the way are left out and
    counted.
    """

    type: Literal["cloudwatch_logs"]
    """Log events of a subscription filter."""


class AvroFraming(StrEnum):
    """What stands around Avro's data."""

    CONTAINER = "container"
    """An object container file: the schema comes with the data, and each of its objects becomes a row. Blocks may be packed with
    deflate or zstandard."""
    SINGLE_OBJECT = "single_object"
    """Avro's single-object encoding: a marker and the fingerprint of `avro_schema`."""
    NONE = "none"
    """One object of `avro_schema`, and nothing else."""
    CONFLUENT = "confluent"
    """A byte 0, the id in four bytes of a schema in `registry`, and one object."""
    GLUE = "glue"
    """A byte 3, a byte for the compression (none, or zlib), the UUID of a schema version in AWS Glue's Schema Registry, and one
    object. The registry is that of the engine's own account and region."""


class AvroFormat(_Packed):
    """A record is Avro's binary encoding. Its fields become columns, as docs/records.md says."""

    type: Literal["avro"]
    """Avro's binary encoding."""
    framing: AvroFraming = Field(default=AvroFraming.CONTAINER, strict=False)
    """What stands around the data."""
    avro_schema: Annotated[str, AfterValidator(_is_record)] | None = None
    """The schema that objects were written with, as JSON; with `single_object` and `none`."""
    registry: ConfluentRegistry | None = None
    """Where schemas are asked for; with `confluent`."""

    @model_validator(mode="after")
    def _has_one_schema(self) -> Self:
        if (self.framing in (AvroFraming.SINGLE_OBJECT, AvroFraming.NONE)) != (self.avro_schema is not None):
            raise ValueError("give avro_schema with framing: single_object or none, and only then")
        if (self.framing is AvroFraming.CONFLUENT) != (self.registry is not None):
            raise ValueError("give registry with framing: confluent, and only then")
        return self


Format = Annotated[
    JsonFormat | JsonLinesFormat | TextFormat | BytesFormat | CsvFormat | CloudWatchLogsFormat | AvroFormat,
    Field(discriminator="type"),
]


class EmptyRecords(StrEnum):
    """What a record without content does, which some producers mean as a deletion (a tombstone)."""

    REJECT = "reject"
    """It can't be a row, and is treated as `unusable_records` says."""
    IGNORE = "ignore"
    """It is left out, and counted as `tombstones`."""
    INGEST = "ingest"
    """It becomes a row that has its metadata only."""


def undeciding(of: Format) -> dict[str, Any]:
    """What of it decides no row: what is as it was before there were frames, and how a registry is reached."""
    if isinstance(of, JsonFormat) and of.framing is JsonFraming.NONE:
        return {"framing": True}
    if isinstance(of, AvroFormat):
        return {"registry": {"login", "ca_file", "timeout_seconds"} if of.registry else True}
    return {}


def asks_glue(of: Format) -> bool:
    """Whether its schemas are in AWS Glue's registry."""
    return isinstance(of, AvroFormat) and of.framing is AvroFraming.GLUE


def registries_of(formats: Iterable[Format]) -> tuple[ConfluentRegistry, ...]:
    """Those that answer Confluent's API, each once."""
    found = (of.registry for of in formats if isinstance(of, AvroFormat) and of.registry)
    return tuple({registry.model_dump_json(): registry for registry in found}.values())


def refuse_metadata_columns(of: Format, metadata: Metadata, content_column: str | None = None) -> None:
    """Raises ValueError for a format that would put a record's content where its metadata goes."""
    columns = [content_column] if content_column is not None else _columns(of)
    taken = {name.upper() for name in metadata.columns(are_numbered=makes_several_rows(of))} if columns else set()
    for name in columns:
        if stored_name(name).upper() in taken:
            raise ValueError(f"format: the column {name} is the metadata column; rename one of them")


def _columns(of: Format) -> list[str]:
    """Those that the format names."""
    if isinstance(of, CsvFormat):
        return of.columns
    return [of.column] if isinstance(of, TextFormat | BytesFormat) else []


def keys_made_by(of: Format, content_column: str | None = None) -> list[str]:
    """The keys that its objects have whatever a record holds, as far as the format names them."""
    return list(map(stored_name, _columns(in_column(of, content_column))))


def is_one_column(of: Format) -> bool:
    """Whether the format itself keeps a record in one column."""
    return isinstance(of, TextFormat | BytesFormat)


def in_column(of: Format, column: str | None) -> Format:
    """With the column that takes all of a record, where its format has one."""
    return of.model_copy(update={"column": column}) if column is not None and is_one_column(of) else of


def makes_several_rows(of: Format) -> bool:
    """Whether a record can be several rows: then each has its number."""
    if isinstance(of, AvroFormat):
        return of.framing is AvroFraming.CONTAINER
    return isinstance(of, JsonLinesFormat | CsvFormat | CloudWatchLogsFormat)
