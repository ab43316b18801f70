"""The base of formats: what the bytes of a record are, and which rows they make (docs/records.md).

Each kind is one file of firnline_ingest/formats.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from enum import StrEnum
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, Protocol, Self
from uuid import UUID

from firnline_ingest.config.document import Section
from firnline_ingest.config.registries import ConfluentRegistry
from firnline_ingest.config.rows import Metadata
from firnline_ingest.identifiers import stored_name

AVRO = "AVRO"
KEPT = 256  # schemas of a process

Check = Callable[[bytes], bytes]
"""Judges what is to be an object, and returns it on one line. Raises Unusable."""
Decoder = Callable[[bytes], Iterator[bytes]]
"""The JSON objects that a record holds, checked to be rows, each on one line: at least one.

One shard's, not thread-safe, and a function of the bytes alone. Raises Unusable, at any of them, or Omitted: then the record is
no row at all.
"""
Unpack = Callable[[bytes], bytes]
"""Raises Unusable."""


class RegisteredSchema(NamedTuple):
    """A schema that a registry has under an id, which never changes."""

    text: str
    kind: str = AVRO
    """AVRO, JSON or PROTOBUF."""
    references: tuple[str, ...] = ()
    """The schemas that it names, each behind those that it names itself."""
    imports: tuple[tuple[str, str], ...] = ()
    """The same by the names that schemas have for them: of Protobuf, the paths of imports."""


class Schemas(Protocol):
    """One registry's, for all threads of a process (firnline_ingest.schemas)."""

    def __call__(self, schema_id: int | UUID) -> RegisteredSchema | None:
        """Returns None if the registry has no schema of that id. Raises SchemaRegistryError if it does not answer."""


class DeclaredType(NamedTuple):
    """A field's type as its schema declares it."""

    column: str = ""
    """The type of a column for it; empty where the table's kind decides (nested ones)."""
    kind: str = ""
    """Of JSON's kinds (records/first_sight.py), where `column` is empty."""


DeclaredTypes = Callable[[bytes], Mapping[str, DeclaredType]]
"""Of the fields of what a record holds, unpacked. Raises as a decoder does."""


class Format(Section):
    """The base of all kinds: what the options' checks, the hash and the engine ask each of them."""

    if TYPE_CHECKING:
        type: str  # a Literal of one word; each kind declares it among its options

    order: ClassVar[int]
    """Where the kind is listed among the others: in the schema, in the reference and in messages."""

    @property
    def makes_several_rows(self) -> bool:
        """True if a record can be several rows: then each has its number."""
        return False

    @property
    def is_plain(self) -> bool:
        """True if a record is its row, byte by byte."""
        return False

    @property
    def may_be_null(self) -> bool:
        """True if JSON's null may stand for a whole record, as Kafka's JSON converter writes a tombstone."""
        return False

    @property
    def is_one_column(self) -> bool:
        """True if the format itself keeps a record in one column, its option `column`."""
        return False

    @property
    def content_type(self) -> str:
        """The type of a column that takes all of a row's content."""
        return "VARIANT"

    @property
    def named_columns(self) -> Sequence[str]:
        """The columns that it names, as they are written in the document."""
        return ()

    @property
    def undeciding(self) -> dict[str, Any]:
        """Options that decide no row, as pydantic's `exclude`: they are not in the conversion's hash."""
        return {}

    @property
    def confluent_registry(self) -> ConfluentRegistry | None:
        """The registry that holds the format's schemas, if it has one with Confluent's API."""
        return None

    @property
    def asks_glue(self) -> bool:
        """True if its schemas are in AWS Glue's registry."""
        return False

    def in_column(self, column: str | None) -> Self:
        """The format with this column for the whole record, if it is one that fills a single column."""
        return self.model_copy(update={"column": column}) if column is not None and self.is_one_column else self

    def keys_made(self, content_column: str | None = None) -> list[str]:
        """The keys that its objects have whatever a record holds, as far as the format names them."""
        return list(map(stored_name, self.in_column(content_column).named_columns))

    def unpacker(self) -> Unpack | None:
        """Returns what expands a record before it is decoded; None if nothing does."""
        return None

    def decoder(self, check: Check, max_row_bytes: int, schemas: "SchemasOf") -> Decoder:
        """`schemas` says how a registry is asked. Raises ConfigError for a schema that is not decoded."""
        raise NotImplementedError

    def declared_types(self, schemas: "SchemasOf") -> DeclaredTypes | None:
        """Returns what knows the types of a record's fields; None where only values have types. Raises as `decoder`."""
        return None


SchemasOf = Callable[[Format], Schemas]


def no_registry(of: Format) -> Schemas:
    """The lookup for formats without a registry; calling it is a programming error."""
    raise AssertionError(f"nobody said how the registry of {of.type} is asked")


class EmptyRecords(StrEnum):
    """Treatment of a record without content, which some producers mean as a deletion (a tombstone)."""

    REJECT = "reject"
    """It can't be a row, and is treated as `on_error` says."""
    IGNORE = "ignore"
    """It is skipped, and counted as `tombstones`."""
    INGEST = "ingest"
    """It becomes a row that has its metadata only."""


def registries_of(formats: Iterable[Format]) -> tuple[ConfluentRegistry, ...]:
    """The formats' registries with Confluent's API, each once."""
    found = (of.confluent_registry for of in formats)
    return tuple({registry.model_dump_json(): registry for registry in found if registry}.values())


def refuse_metadata_columns(of: Format, metadata: Metadata, content_column: str | None = None) -> None:
    """Raises ValueError for a format that would put a record's content where its metadata goes."""
    columns = [content_column] if content_column is not None else of.named_columns
    taken = {name.upper() for name in metadata.columns(are_numbered=of.makes_several_rows)} if columns else set()
    for name in columns:
        if stored_name(name).upper() in taken:
            raise ValueError(f"format: the column {name} is the metadata column; rename one of them")
