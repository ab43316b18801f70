"""What becomes of a record before it is a row: a list of small changes, each one told apart by its `type` (docs/transforms.md).

They are applied in their order, between the record's format and its metadata. `code_version` rises with every change of what
a transform makes of a record, so that rows in flight are counted as they were made (docs/design/ledger.md, section 5).
"""

import hashlib
import json
from collections.abc import Collection, Iterable, Sequence
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from firnline_ingest.config.callables import IMPORT_PATH, code_of
from firnline_ingest.config.document import Section
from firnline_ingest.config.field_path import FieldPath, FieldPaths, steps_of
from firnline_ingest.config.form import Form
from firnline_ingest.config.time_pattern import TimeForm
from firnline_ingest.identifiers import MAX_CHARACTERS


def _is_json(value: object) -> object:
    """What a document in YAML may hold is more than JSON."""
    try:
        text = json.dumps(value, allow_nan=False, ensure_ascii=False)
        text.encode()
        if json.loads(text) != value:
            raise ValueError("a key is no text; put it between quotes")
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"is no JSON: {error}") from None
    return value


JsonValue = Annotated[Any, AfterValidator(_is_json)]
KeyName = Annotated[str, Field(min_length=1)]


class _Transform(Section):
    code_version: ClassVar[int] = 1


class HoistTransform(_Transform):
    """Puts the whole record under one key, whatever kind of JSON it is: `{"RECORD_CONTENT": …}`."""

    type: Literal["hoist"]
    """The whole record under one key."""
    field: KeyName
    """The key; it is no path."""


class Missing(StrEnum):
    """What a record does that lacks a field."""

    REJECT = "reject"
    """It can't be a row."""
    FILTER = "filter"
    """It is left out, and counts as `filtered`."""
    KEEP = "keep"
    """It goes on as it is."""


class ExtractTransform(_Transform):
    """Makes the record of one of its fields; what stands beside it is dropped."""

    type: Literal["extract"]
    """One field in place of the record."""
    field: FieldPath
    """The field that becomes the record."""
    missing: Missing = Field(default=Missing.REJECT, strict=False)
    """What a record does that lacks the field, or has null there."""


class MetadataPart(StrEnum):
    """What Kinesis says of a record."""

    STREAM = "stream"
    """The stream's name."""
    SHARD_ID = "shard_id"
    """The shard's id."""
    APPROXIMATE_ARRIVAL = "approximate_arrival"
    """When Kinesis took the record: ISO 8601 with milliseconds; null where Kinesis does not say."""
    PARTITION_KEY = "partition_key"
    """As the producer gave it."""
    SEQUENCE_NUMBER = "sequence_number"
    """Its place in the shard, as text."""
    SUB_SEQUENCE_NUMBER = "sub_sequence_number"
    """The place inside an aggregated record, from 0."""


class Existing(StrEnum):
    """What a field does that is there already."""

    REJECT = "reject"
    """The record can't be a row: two values for one field, and either would be lost."""
    KEEP = "keep"
    """It stays as it is."""
    REPLACE = "replace"
    """It is replaced."""


class InsertTransform(_Transform):
    """Puts a field into the record: a value that is the same for all, or a part of the record's metadata."""

    type: Literal["insert"]
    """A field more."""
    field: FieldPath
    """Where it goes. Objects on the way that are not there are made; anything else that is there can't be a row."""
    value: JsonValue = None
    """Any value of JSON. Give this or `metadata`."""
    metadata: MetadataPart | None = Field(default=None, strict=False)
    """A part of the record's metadata."""
    existing: Existing = Field(default=Existing.REJECT, strict=False)
    """What becomes of a field that is there."""

    @model_validator(mode="after")
    def _one_value(self) -> Self:
        is_given = self.value is not None or (self.metadata is None and "value" in self.model_fields_set)
        if is_given == (self.metadata is not None):  # written out whole, a document has a null that nobody gave
            raise ValueError("give value or metadata, and one of them only")
        return self


class ExcludeTransform(_Transform):
    """Leaves fields out."""

    type: Literal["exclude"]
    """Some fields less."""
    fields: Annotated[list[FieldPaths], Field(min_length=1)]
    """Those that are left out; one that is not there is nothing to leave out."""

    @model_validator(mode="after")
    def _keeps_the_items_of_arrays(self) -> Self:
        if items := [path for path in self.fields if path.endswith("[]")]:
            raise ValueError(f"{items[0]} names the items of an array; name the array, or a key of its items")
        return self


class Hash(StrEnum):
    """What stands in place of a value, so that equal ones can still be joined."""

    SHA256 = "sha256"
    """SHA-256 in hexadecimal: of a text's UTF-8, of any other value's JSON without blanks. Null stays null. Whoever can
    guess a value can find it: an address or a number of few digits is not hidden by it."""


class MaskTransform(_Transform):
    """Puts something else in the place of values, so that the fields stay and what they say is gone."""

    type: Literal["mask"]
    """Something else in the place of values."""
    fields: Annotated[list[FieldPaths], Field(min_length=1)]
    """What is hidden, whatever it is; a field that is not there is nothing to hide."""
    replacement: JsonValue = None
    """Any value of JSON; null by default."""
    hash: Hash | None = Field(default=None, strict=False)
    """In place of `replacement`."""

    @model_validator(mode="after")
    def _one_or_the_other(self) -> Self:
        if self.hash is not None and self.replacement is not None:
            raise ValueError("give replacement or hash, and one of them only")
        return self


class RenameTransform(_Transform):
    """Gives keys other names, all at once: so two may change places."""

    type: Literal["rename"]
    """Other names for keys."""
    fields: Annotated[dict[FieldPaths, KeyName], Field(min_length=1)]
    """The path of a field, and its new key; it stays in its object. One that is not there is not renamed."""

    @model_validator(mode="after")
    def _renames_keys(self) -> Self:
        if items := [path for path in self.fields if path.endswith("[]")]:
            raise ValueError(f"{items[0]} names the items of an array, which have no names")
        return self


class CastTo(StrEnum):
    """What a value becomes. Null stays null."""

    TEXT = "text"
    """A text stays; of any other value its JSON, without blanks."""
    INTEGER = "integer"
    """Of numbers and of texts that are numbers, with up to 38 digits and nothing but zeros behind the point; `true` is 1."""
    NUMBER = "number"
    """Of texts that are numbers, digit for digit; `true` is 1."""
    BOOLEAN = "boolean"
    """Of the texts true and false in any case; the number 0 is false and any other is true."""
    JSON = "json"
    """What is written in a text: `"{\\"a\\":1}"` becomes an object."""


class CastTransform(_Transform):
    """Makes values of another kind; one that can't be is told, and never guessed."""

    type: Literal["cast"]
    """Values of another kind."""
    fields: Annotated[dict[FieldPaths, Annotated[CastTo, Field(strict=False)]], Field(min_length=1)]
    """The path of a field, and what it becomes: `text`, `integer`, `number`, `boolean` or `json`. One that is not there is not
    cast."""


class FlattenTransform(_Transform):
    """Makes one level of all: `{"a":{"b":1}}` becomes `{"a_b":1}`. Arrays stay as they are, and so do empty objects."""

    type: Literal["flatten"]
    """One level of all."""
    delimiter: Annotated[str, Field(min_length=1)] = "_"
    """Between the keys."""


class TimestampTransform(_Transform):
    """Writes times in another way."""

    type: Literal["timestamp"]
    """Times written in another way."""
    fields: Annotated[list[FieldPaths], Field(min_length=1)]
    """The times; null stays null, and one that is not there is not written."""
    read: TimeForm = "iso8601"
    """How they are written: `iso8601` (2026-01-31T12:00:00.5Z), a number of `seconds`, `milliseconds`, `microseconds` or
    `nanoseconds` since 1970, or a pattern such as yyyy-MM-dd HH:mm:ss, whose letters are yyyy, MM, dd, HH, mm, ss, S or SSS, an
    offset (X, XX, XXX or Z), and text between single quotes."""
    write: TimeForm = "iso8601"
    """How they are to be written, in the same words. Text is in UTC; iso8601 has no fraction, or 3, 6 or 9 digits of one."""
    offset: Annotated[str, Form(r"Z|[+-](0\d|1[0-8]):[0-5]\d", "Z or an offset of hours and minutes", "+01:00")] = "Z"
    """Of times that are read without one. Zones with names are not taken: what they mean depends on the machine."""


class FilterTransform(_Transform):
    """Leaves records out, or keeps some alone. What is left out counts as `filtered`, and is in no table and no dead letter."""

    type: Literal["filter"]
    """Some records less."""
    field: FieldPath
    """What is looked at."""
    exists: bool | None = None
    """Matches records that have the field, or with `false` those that lack it; null is a value."""
    one_of: list[str | int | bool | None] = Field(default_factory=list)
    """Matches records whose field is one of these. Texts are compared with their case, numbers by their value."""
    starts_with: Annotated[str, Field(min_length=1)] | None = None
    """Matches records whose field is a text that begins so."""
    keep: bool = False
    """Whether the records that match are kept and the others are left out; the other way round by default."""

    @model_validator(mode="after")
    def _one_condition(self) -> Self:
        if sum((self.exists is not None, bool(self.one_of), self.starts_with is not None)) != 1:
            raise ValueError("give exactly one of exists, one_of, starts_with")
        return self


class NoneMeans(StrEnum):
    """What it means that a callable returns None."""

    REJECT = "reject"
    """That it forgot to return: the record can't be a row."""
    FILTER = "filter"
    """That the record is left out, and counts as `filtered`."""


class CallableTransform(_Transform):
    """A function of one's own: it is given the record as a dict, and returns what the record is to be."""

    type: Literal["callable"]
    """A function of one's own."""
    callable: Annotated[str, IMPORT_PATH]
    """Where it is imported from. It has to be a function of the record alone."""
    version: Annotated[str, Field(min_length=1, max_length=100)] | None = None
    """Of the function and of all that it uses: give another one when they change. Where absent, the file of its module counts as
    its version, and nothing that the module imports."""
    none: NoneMeans = Field(default=NoneMeans.REJECT, strict=False)
    """What it means that it returns None."""


Transform = Annotated[
    HoistTransform
    | ExtractTransform
    | InsertTransform
    | MaskTransform
    | RenameTransform
    | ExcludeTransform
    | CastTransform
    | FlattenTransform
    | TimestampTransform
    | FilterTransform
    | CallableTransform,
    Field(discriminator="type"),
]


MAKES_KEYS = (HoistTransform, ExtractTransform, InsertTransform, RenameTransform, FlattenTransform, CallableTransform)


def refuse_another_case(transforms: Sequence[_Transform], keys: Iterable[str]) -> None:
    """Raises ValueError for a path that misses by its case alone a key that the format makes: it would hide or keep nothing, and
    nobody would be told.
    """
    made = {key.upper(): key for key in keys}
    for place, each in enumerate(transforms):
        for path in _looked_at(each):
            first = str(steps_of(path)[0])
            if (key := made.get(first.upper(), first)) != first:
                raise ValueError(
                    f"transforms[{place}]: {path} is not there; the format makes the key {key}, and case counts"
                )
        if isinstance(each, MAKES_KEYS):
            return


TAKES_KEYS = (HoistTransform, ExtractTransform, ExcludeTransform, RenameTransform, FlattenTransform, CallableTransform)


def refuse_metadata_keys(transforms: Sequence[_Transform], columns: Iterable[str]) -> None:
    """Raises ValueError for a transform that gives every record a key that is a metadata column, or whatever record it changes a
    key that can be no column: none of them could be a row.
    """
    taken = {column.upper() for column in columns}
    for place, each in reversed(list(enumerate(transforms))):
        for key in _keys_given_by(each):
            if len(key) > MAX_CHARACTERS or "\0" in key:
                raise ValueError(
                    f"transforms[{place}]: the key {key[:20]!r}… can be no column, so no record would be a row; "
                    f"at most {MAX_CHARACTERS} characters, and no NUL"
                )
            if key.upper() in taken and not isinstance(each, RenameTransform):
                raise ValueError(
                    f"transforms[{place}]: {key} is a metadata column, so no record would be a row; rename one"
                )
        if isinstance(each, TAKES_KEYS):
            return


def refuse_key_of_no_record(
    key: str, transforms: Sequence[_Transform], made: Collection[str], metadata_columns: Iterable[str]
) -> None:
    """Raises ValueError for a key of routes that no row's record can have: not one of those that the format makes, or a metadata
    column's name.
    """
    if key.upper() in {column.upper() for column in metadata_columns}:
        raise ValueError(f"routes.key: {key} is a metadata column, so no record with it would be a row; name another")
    if made and key not in made and not any(isinstance(each, MAKES_KEYS) for each in transforms):
        raise ValueError(
            f"routes.key: no record has {key}; expected what the format makes, in its case: {', '.join(made)}"
        )


def _keys_given_by(transform: _Transform) -> Iterable[str]:
    """Of the first level."""
    match transform:
        case HoistTransform():
            return [transform.field]
        case InsertTransform():
            return [str(steps_of(transform.field)[0])]
        case RenameTransform():
            return [key for path, key in transform.fields.items() if len(steps_of(path)) == 1]
    return []


def called_by(transforms: Sequence[_Transform]) -> list[str]:
    """The functions of the user that they call, by their import paths."""
    return [each.callable for each in transforms if isinstance(each, CallableTransform)]


def _looked_at(transform: _Transform) -> Iterable[str]:
    if isinstance(transform, ExtractTransform | FilterTransform):
        return [transform.field]
    fields: Iterable[str] = getattr(transform, "fields", ())
    return fields


def transforms_hash(transforms: Sequence[_Transform]) -> str:
    """Changes with what the declared transforms make of a record: their options, their order and their code.

    Raises CallableUnusable.
    """
    said = [[each.code_version, each.model_dump(mode="json"), *_code(each)] for each in transforms]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()


def _code(transform: _Transform) -> list[str]:
    if isinstance(transform, CallableTransform) and transform.version is None:
        return [code_of(transform.callable)]
    return []
