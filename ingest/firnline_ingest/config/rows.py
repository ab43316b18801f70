"""Options of rows: what one carries beside its record, and what becomes of a record or a row that is not a valid one."""

from enum import StrEnum
from typing import Literal, Self, get_args

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section
from firnline_ingest.config.identifier import OwnColumn, checked, checked_column
from firnline_ingest.identifiers import stored_name


class Tolerance(StrEnum):
    """Treatment of a row that Snowflake rejects."""

    NONE = "none"
    """It stops its shard, so that a person sees it."""
    ALL = "all"
    """It stays in the error table, and its shard goes on."""


class PipeRows(StrEnum):
    """Rows that a pipe makes of each row that is sent to it."""

    ONE = "one"
    """One, whose column of the metadata says which record it is."""
    SOME = "some"
    """One or none, because its WHERE drops rows."""
    SEVERAL = "several"
    """Any number: it flattens a list, or joins another table."""


class UnusableRecords(StrEnum):
    """Treatment of a record that can't be a row (docs/records.md says which those are)."""

    DEAD_LETTER = "dead_letter"
    """It becomes a dead letter, and its shard goes on."""
    SKIP = "skip"
    """It is skipped and counted: once the stream has dropped it, its bytes are nowhere."""
    STOP = "stop"
    """The shard stops in front of it, so that a person decides."""


class MetadataForm(StrEnum):
    """The form in which a row carries its metadata."""

    OBJECT = "object"
    """In one OBJECT column; the form that Openflow's connector writes."""
    VARIANT = "variant"
    """In one VARIANT column, with the same keys."""
    COLUMNS = "columns"
    """In a column for each part."""
    NONE = "none"
    """Nowhere. The audit can't prove such a table."""


class MetadataTimes(StrEnum):
    """Forms of the times in rows' metadata."""

    ISO_UTC = "iso_utc"
    """`2025-11-05T09:12:15.300Z`, which every reader takes for UTC."""
    ISO = "iso"
    """`2025-11-05T09:12:15.300`, as Openflow's page of its connector has it."""
    EPOCH_MS = "epoch_ms"
    """`1762333935300`, a number of milliseconds since 1970, as Snowflake's Kafka connector writes its times."""


PartName = Literal[
    "stream",
    "shard_id",
    "approximate_arrival",
    "partition_key",
    "sequence_number",
    "sub_sequence_number",
    "sharded_sequence_number",
    "explicit_hash_key",
    "push_time",
    "row",
]
PARTS: tuple[PartName, ...] = get_args(PartName)
"""In the order in which they are written."""


class Metadata(Section):
    """Parts of a row that describe its record, and where they are (parity with Openflow's KINESISMETADATA)."""

    form: MetadataForm = Field(default=MetadataForm.OBJECT, strict=False)
    """One switch for all of it: an `object` or `variant` column, `columns` of their own, or `none`."""
    column: OwnColumn = "KINESISMETADATA"
    """The object column that holds it; the name that Openflow's connector uses, so that queries go on working."""
    times: MetadataTimes = Field(default=MetadataTimes.ISO_UTC, strict=False)
    """How approximate_arrival and push_time are written. Another form than the default is for rows that join those of another
    connector; a table keeps the form of its older rows."""
    sharded_digits: int = Field(default=20, ge=1, le=20)
    """Digits of the sub-sequence number in sharded_sequence_number, filled with zeros: all that it may have, so that the text
    sorts as the pair does. 5 as on Openflow's page, `12345678900002`; a longer number is written whole."""
    names: dict[PartName, str] = Field(default={})
    """Other names of parts, as identifiers: quote one to keep its case. By default the keys of an object are Openflow's
    (`shardId`), and columns are called KINESIS_SHARD_ID and so on."""
    stream: bool = True
    """The stream's name."""
    shard_id: bool = True
    """The shard's id; the audit needs it."""
    approximate_arrival: bool = True
    """When Kinesis took the record, ISO 8601 with milliseconds; the latency report needs it."""
    partition_key: bool = True
    """As the producer gave it."""
    sequence_number: bool = True
    """The record's place in its shard; the audit needs it."""
    sub_sequence_number: bool = True
    """The place inside an aggregated record, from 0; the audit needs it."""
    row: bool = True
    """The place inside a record of which a format makes several rows, from 0; only those formats have it. The audit needs it."""
    sharded_sequence_number: bool = True
    """Both numbers in one, which sorts the rows of a shard."""
    explicit_hash_key: bool = False
    """The hash key by which a producer routed a record of an aggregate; Kinesis tells it of no other record."""
    push_time: bool = False
    """When the engine made the row, by its own clock, ISO 8601 with milliseconds. It is not a function of the record: a row
    that is sent again after a restart has a later one, and no audit compares it."""

    @model_validator(mode="after")
    def _names_tell_parts_apart(self) -> Self:
        seen: dict[str, str] = {}
        check = checked_column if self.form is MetadataForm.COLUMNS else checked
        for part in PARTS:
            try:
                check(self.names.get(part) or "_")
            except ValueError as error:
                raise ValueError(f"names.{part}: {error}") from error
            name = self.name_of(part)
            if (other := seen.setdefault(name.upper(), part)) != part:
                raise ValueError(f"names: {other} and {part} are both {name}, and names match whatever their case")
        return self

    @property
    def undeciding(self) -> set[str]:
        """Options that came later and are at their defaults: rows are as before, and so is the conversion's hash."""
        later = ("times", "sharded_digits")
        return {name for name in later if getattr(self, name) == type(self).model_fields[name].default}

    def is_on(self, part: PartName) -> bool:
        """Returns whether rows have it; `row` only of formats that make several rows of a record."""
        return self.form is not MetadataForm.NONE and bool(getattr(self, part))

    def parts(self, *, are_numbered: bool) -> tuple[PartName, ...]:
        """Returns the parts that a row has, in its order. `are_numbered`: its format makes several rows of a record."""
        of_every_row = tuple(part for part in PARTS if self.is_on(part) and part != "row")
        return (*of_every_row, "row") if of_every_row and are_numbered and self.is_on("row") else of_every_row

    def name_of(self, part: PartName) -> str:
        """The object's key or the column, as it is stored. Raises InvalidIdentifier."""
        if given := self.names.get(part):
            return stored_name(given)
        if self.form is MetadataForm.COLUMNS:
            return f"KINESIS_{part.upper()}"
        first, *rest = part.split("_")
        return first + "".join(map(str.capitalize, rest))

    def columns(self, *, are_numbered: bool) -> tuple[str, ...]:
        """The columns that the metadata takes, as they are stored; no key of a record may be one. Raises InvalidIdentifier."""
        parts = self.parts(are_numbered=are_numbered)
        if self.form is MetadataForm.COLUMNS:
            return tuple(map(self.name_of, parts))
        return (stored_name(self.column),) if parts else ()
