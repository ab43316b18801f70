"""Avro's binary encoding, alone or in one of Avro's own framings. fastavro decodes; blocks are cut and unpacked here, because a
packed block may stand for any amount of memory.

Format: avro.apache.org/docs, specification of 1.12 (object container files, single-object encoding).
"""

import io
import json
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from functools import cache, lru_cache
from typing import Any
from uuid import UUID

import msgspec

from firnline_ingest.config.format import Check, DeclaredTypes, Decoder, Unpack
from firnline_ingest.errors import ConfigError
from firnline_ingest.formats.avro_decoding.column_types import declared_types
from firnline_ingest.formats.avro_decoding.cost import Cost, SchemaCost, SchemaRefused
from firnline_ingest.formats.avro_decoding.place import field_at
from firnline_ingest.formats.avro_decoding.schema import has_record, parsed
from firnline_ingest.formats.avro_decoding.strict import NotStrict, Walk, walk_of
from firnline_ingest.formats.packing import EXPANDED_BYTES, Compression, inflated, unpacked_bzip2, unpacked_xz, unpacker
from firnline_ingest.formats.snappy import avro_snappy
from firnline_ingest.records.conversion import as_json
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable, malformed, too_large

MAGIC, MARKER = b"Obj\x01", b"\xc3\x01"
MEMORY_BYTES = 70_000_000  # of decoded objects, by the schema's estimate
HEADER_BYTES = 262_144
DECIMAL_BYTES = 128  # some 300 digits; what a thousand times as many mean takes minutes to find out
HEADER: Any = {
    "type": "record",
    "name": "header",
    "fields": [
        {"name": "magic", "type": {"type": "fixed", "name": "magic", "size": len(MAGIC)}},
        {"name": "meta", "type": {"type": "map", "values": "bytes"}},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}
BLOCK: Any = {
    "type": "record",
    "name": "block",
    "fields": [
        {"name": "objects", "type": "long"},
        {"name": "data", "type": "bytes"},
        {"name": "sync", "type": {"type": "fixed", "name": "sync", "size": 16}},
    ],
}

Objects = Callable[[bytes], Iterator[dict[str, Any]]]
"""Of a record. Raises Unusable."""

_encode = msgspec.json.Encoder(decimal_format="number").encode


class AvroSchema:
    """One schema that objects are read with. Raises SchemaRefused."""

    def __init__(self, text: str, references: Sequence[str] = ()) -> None:
        """`references`: schemas that it names, each behind those that it names itself."""
        from fastavro.schema import fingerprint, to_parsing_canonical_form

        _read_what_is_read_otherwise()
        named: dict[str, Any] = {}
        cost = SchemaCost()
        try:
            for each in references:
                cost(parsed(json.loads(each), named))
            schema = json.loads(text)
            self._parsed = parsed(schema, named)
            self.cost: Cost = cost(self._parsed)
            self.types = declared_types(self._parsed, named)
            """Of its fields' columns."""
            self._named = named
            self._walk: Walk = walk_of(self._parsed, named)
            canonical = to_parsing_canonical_form(self._parsed) if not references else ""
            self.fingerprint = bytes.fromhex(fingerprint(canonical, "CRC-64-AVRO"))
        except SchemaRefused:
            raise
        except Exception as error:  # fastavro raises what it comes across, and none of it is ours
            raise SchemaRefused(f"{type(error).__name__}: {error}"[:300]) from error
        if not has_record(schema):
            raise SchemaRefused("it is not a record, whose fields could be columns")

    def object_in(self, stream: io.BytesIO, data: bytes) -> dict[str, Any]:
        """Reads the object at the stream's current offset into these bytes. Raises Unusable."""
        start = stream.tell()
        try:
            found = _read(stream, self._parsed)
        except Unusable as unusable:
            if (error := unusable.__cause__) is None:
                raise
            end = len(data) + 1 if isinstance(error, EOFError) else stream.tell()
            raise malformed(f"{self._of_field(data, start, end)} can't be read: {_said(error)}."[:300]) from error
        try:
            end = self._walk(data, start)
        except NotStrict as forbidden:
            raise malformed(f"{self._of_field(data, start, len(data) + 1)} has {forbidden}."[:300]) from forbidden
        if end != stream.tell():
            raise malformed(f"it is read up to byte {stream.tell()}, and ends at {end}.")
        return found

    def _of_field(self, data: bytes, start: int, end: int) -> str:
        path = field_at(self._parsed, self._named, data, start, end)
        return f"its field {path[:100]}" if path else "it"


def _said(error: BaseException) -> str:
    match error:
        case OverflowError() | ValueError(args=("ordinal must be >= 1",)):
            return "a date or time outside of the years 1 to 9999"
        case EOFError():
            return "it ends within the value"
        case IndexError():
            return "its schema has no such symbol or branch"
        case ValueError():
            return str(error)
    return f"{type(error).__name__}: {error}"


@cache
def _read_what_is_read_otherwise() -> None:
    """Changes, once, fastavro's own table of what it makes of logical types."""
    from fastavro.read import LOGICAL_READERS

    LOGICAL_READERS["bytes-decimal"] = LOGICAL_READERS["fixed-decimal"] = _decimal
    LOGICAL_READERS["fixed-uuid"] = _uuid
    for kind in ("int-time-millis", "long-time-micros"):
        LOGICAL_READERS[kind] = _of_a_day(LOGICAL_READERS[kind])


def _of_a_day(read: Callable[..., Any]) -> Callable[..., Any]:
    """fastavro makes a time of the day before of a negative one."""

    def checked(data: int, *schemas: Any) -> Any:
        if data < 0:
            raise ValueError(f"a time of day of {data}")
        return read(data, *schemas)

    return checked


def _uuid(data: bytes, *_schemas: Any) -> UUID:
    return UUID(bytes=data)


def _decimal(data: bytes, writer_schema: Any = None, _reader_schema: Any = None) -> Decimal:
    """Exactly, whatever precision the schema says. Raises ValueError."""
    if len(data) > DECIMAL_BYTES:
        raise ValueError(f"a decimal of {len(data)} bytes")
    unscaled = int.from_bytes(data, "big", signed=True)
    digits = tuple(map(int, str(abs(unscaled))))
    return Decimal((int(unscaled < 0), digits, -int(writer_schema.get("scale", 0))))


def containers() -> Objects:
    """A reader of object container files, which carry their schemas."""
    return _Containers().objects_in


def avro_decoder(objects: Objects, check: Check) -> Decoder:
    def decode(data: bytes) -> Iterator[bytes]:
        for each in objects(data):
            yield check(_encode(as_json(each)))

    return decode


def _given(text: str) -> AvroSchema:
    try:
        return AvroSchema(text)
    except SchemaRefused as refused:
        raise ConfigError("format", [f"avro_schema: {refused}"]) from refused


def alone(text: str, *, has_marker: bool) -> Objects:
    """A reader of single objects of that schema. Raises ConfigError if it is not a schema, or is one that is not decoded."""
    schema = _given(text)
    prefix = MARKER + schema.fingerprint if has_marker else b""

    def objects(data: bytes) -> Iterator[dict[str, Any]]:
        if not data.startswith(prefix):
            raise malformed(f"it begins with {data[: len(prefix)].hex()}, and not with {prefix.hex()}.")
        yield from objects_of(schema, data[len(prefix) :], 1)

    return objects


def types_alone(text: str) -> DeclaredTypes:
    """Raises ConfigError, as `alone`."""
    types = _given(text).types
    return lambda _: types


def types_in_containers() -> DeclaredTypes:
    containers = _Containers()
    return lambda data: containers.schema_in(data).types


class _Containers:
    """Schemas come again with each record, and are looked at once."""

    def __init__(self) -> None:
        self._schema = lru_cache(maxsize=8)(AvroSchema)
        zstd = unpacker(Compression.ZSTD)
        assert zstd is not None
        self._codecs: dict[bytes, Unpack] = {
            b"null": bytes,
            b"deflate": inflated,
            b"zstandard": zstd,
            b"snappy": avro_snappy(EXPANDED_BYTES),
            b"bzip2": unpacked_bzip2,
            b"xz": unpacked_xz,
        }

    def objects_in(self, data: bytes) -> Iterator[dict[str, Any]]:
        """Raises Unusable."""
        stream = io.BytesIO(data)
        header, end = _header(data)
        stream.seek(end)
        schema, codec = self._schema_of(header["meta"]), header["meta"].get("avro.codec", b"null")
        if codec not in self._codecs:
            raise malformed(f"its codec {codec[:20]!r} is none of null, deflate, zstandard, snappy, bzip2 and xz.")
        size = found = 0
        while stream.tell() < len(data):
            block = _read(stream, BLOCK)
            if block["sync"] != header["sync"]:
                raise malformed("a block does not end with the container's marker.")
            content = self._codecs[codec](block["data"])
            size += len(content)
            if size > EXPANDED_BYTES:
                raise too_large(f"it has more than {EXPANDED_BYTES:,} bytes when it is unpacked.")
            found += block["objects"]
            yield from objects_of(schema, content, block["objects"])
        if not found:
            raise Unusable(Rejection(RejectReason.EMPTY, "it has no object."))

    def schema_in(self, data: bytes) -> AvroSchema:
        """Raises Unusable."""
        return self._schema_of(_header(data)[0]["meta"])

    def _schema_of(self, meta: dict[str, bytes]) -> AvroSchema:
        try:
            return self._schema(meta.get("avro.schema", b"").decode())
        except UnicodeDecodeError as error:
            raise malformed("its schema is not UTF-8.") from error
        except SchemaRefused as refused:
            raise malformed(f"its schema is not decoded: {refused}.") from refused


def _header(data: bytes) -> tuple[dict[str, Any], int]:
    """Returns a container's header, and where it ends. Raises Unusable."""
    if not data.startswith(MAGIC):
        raise malformed("it does not begin as an object container does.")
    head = io.BytesIO(data[:HEADER_BYTES])
    return _read(head, HEADER), head.tell()


def objects_of(schema: AvroSchema, data: bytes, count: int) -> Iterator[dict[str, Any]]:
    if not 0 <= count <= max(1, len(data)):
        raise malformed(f"it says that {count} objects are in {len(data)} bytes.")
    if schema.cost.of(len(data)) > MEMORY_BYTES:
        raise too_large(f"its {len(data):,} bytes could take more than {MEMORY_BYTES:,} when they are decoded.")
    stream = io.BytesIO(data)
    for _ in range(count):
        yield schema.object_in(stream, data)
    if rest := len(data) - stream.tell():
        raise malformed(f"{rest} bytes are left behind its last object.")


def _read(stream: io.BytesIO, schema: Any) -> dict[str, Any]:
    from fastavro import schemaless_reader

    try:
        found: Any = schemaless_reader(stream, schema, None)
    except Exception as error:  # fastavro raises what it comes across, and none of it is ours
        raise malformed(f"{type(error).__name__}: {error}"[:300]) from error
    if not isinstance(found, dict):
        raise malformed("it is a branch of its schema's union that is not a record.")
    return found
