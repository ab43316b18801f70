"""What becomes of a record before it is a row: a list of small changes, each one told apart by its `type` (docs/transforms.md).

They are applied in their order, between the record's format and its metadata. `code_version` rises with every change of what
a transform makes of a record, so that rows in flight are counted as they were made (docs/design/ledger.md, section 5).
"""

import hashlib
import json
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Any, ClassVar, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section
from firnline_ingest.config.field_path import FieldPath, FieldPaths


class _Transform(Section):
    code_version: ClassVar[int] = 1


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
    value: Any = None
    """Any value of JSON. Give this or `metadata`."""
    metadata: MetadataPart | None = Field(default=None, strict=False)
    """A part of the record's metadata."""
    existing: Existing = Field(default=Existing.REJECT, strict=False)
    """What becomes of a field that is there."""

    @model_validator(mode="after")
    def _one_value(self) -> Self:
        if ("value" in self.model_fields_set) == (self.metadata is not None):
            raise ValueError("give value or metadata, and one of them only")
        json.dumps(self.value, allow_nan=False)  # what a document in YAML may hold is more than JSON
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


Transform = Annotated[InsertTransform | ExcludeTransform | FilterTransform, Field(discriminator="type")]


def transforms_hash(transforms: Sequence[_Transform]) -> str:
    """Changes with what the declared transforms make of a record: their options, their order and their code."""
    said = [[each.code_version, each.model_dump(mode="json")] for each in transforms]
    return hashlib.sha256(json.dumps(said, sort_keys=True).encode()).hexdigest()
