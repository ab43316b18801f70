"""Avro's binary encoding, by its specification (avro.apache.org/docs, 1.12): a value at a time, and no library of Avro's.

What the specification forbids is unreadable, as docs/records.md lists it. Values are JSON as docs/records.md has them.
"""

import base64
import io
import json
import struct
from collections.abc import Iterator, Sequence
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from functools import cached_property, lru_cache
from itertools import repeat
from math import inf, isfinite
from typing import Any, NamedTuple
from uuid import UUID

from firnline_infra.audit.readers.json_model import Json, Number, Unreadable, number_of
from firnline_infra.audit.readers.packing import of_codec, unframed
from firnline_ingest.config.format import SchemasOf
from firnline_ingest.formats.avro import AvroFormat, AvroFraming

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
PRIMITIVES = {"null", "boolean", "int", "long", "float", "double", "bytes", "string"}
INSIDE = {
    "record": "fields",
    "error": "fields",
    "enum": "symbols",
    "fixed": "size",
    "array": "items",
    "map": "values",
}
"""The attribute that each kind with something inside can't be without."""
POLYNOMIAL = 0xC15D213AA4D7A795  # of CRC-64-AVRO, and its value of nothing


def avro_rows(of: AvroFormat, data: bytes, schemas: SchemasOf) -> list[Json]:
    """Raises Unreadable, and SchemaRegistryError."""
    try:
        return _rows(of, data, schemas)
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError) as error:
        raise _malformed(f"{type(error).__name__}: {error}") from error


def _rows(of: AvroFormat, data: bytes, schemas: SchemasOf) -> list[Json]:
    match of.framing:
        case AvroFraming.CONTAINER:
            return _container(data)
        case AvroFraming.NONE:
            return _objects(_schema(of.avro_schema or ""), data, 1)
        case AvroFraming.SINGLE_OBJECT:
            schema = _schema(of.avro_schema or "")
            prefix = b"\xc3\x01" + schema.fingerprint
            if not data.startswith(prefix):
                raise _malformed("it does not begin with the marker and the schema's fingerprint")
            return _objects(schema, data[len(prefix) :], 1)
    schema_id, content = unframed(of.framing, data)
    assert schema_id is not None, "a registry's frame has an id"
    found = schemas(of)(schema_id)
    if found is None:
        raise Unreadable("unknown-schema", f"{schema_id}")
    if found.kind != "AVRO":
        raise _malformed(f"its schema is one of {found.kind}")
    return _objects(_schema(found.text, found.references), content, 1)


def _container(data: bytes) -> list[Json]:
    source = _Bytes(data)
    if source.take(4) != b"Obj\x01":
        raise _malformed("it is not an object container")
    meta: dict[str, bytes] = {}
    for _ in source.items():
        key = source.string()
        meta[key] = source.sized()
    sync = source.take(16)
    schema = _schema(meta.get("avro.schema", b"").decode())
    codec = meta.get("avro.codec", b"null")
    rows: list[Json] = []
    while not source.is_at_end:
        count, packed = source.long(), source.sized()
        if source.take(16) != sync:
            raise _malformed("a block does not end with the container's marker")
        rows += _objects(schema, of_codec(codec, packed), count)
    if not rows:
        raise Unreadable("empty")
    return rows


def _objects(schema: "RecordSchema", data: bytes, count: int) -> list[Json]:
    source = _Bytes(data)
    if not 0 <= count <= max(1, len(data)):
        raise _malformed("it says that it has more objects than bytes")
    rows = [schema.value_in(source) for _ in range(count)]
    if not source.is_at_end:
        raise _malformed("something is left behind its last object")
    return rows


@lru_cache(maxsize=64)
def _schema(text: str, references: Sequence[str] = ()) -> "RecordSchema":
    return RecordSchema(text, references)


class RecordSchema:
    """The schema of records. Raises Unreadable, ValueError, KeyError and TypeError for what is none."""

    def __init__(self, text: str, references: Sequence[str] = ()) -> None:
        self._named: dict[str, _Named] = {}
        for each in references:
            self._define(json.loads(each), "")
        self._schema = json.loads(text)
        self._define(self._schema, "")
        if not _may_be_record(self._schema):
            raise _malformed("its schema is not a record's")

    def _define(self, schema: Any, namespace: str) -> bool:
        """Returns whether a value of it has bytes.

        Remembers what has a name, with the namespace that names inside of it are in: once all of it is known, so that
        none contains itself. Raises ValueError, KeyError and TypeError for what is not a schema.
        """
        if isinstance(schema, list):
            for each in schema:
                self._define(each, namespace)
            return True
        kind = schema["type"] if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return self._define(kind, namespace)
        if kind in PRIMITIVES:
            return bool(kind != "null")
        if kind not in INSIDE:
            return self._named[self._found(kind, namespace)[0]].has_bytes
        inside = schema[INSIDE[kind]]
        if kind in ("array", "map"):
            if not self._define(inside, namespace) and kind == "array":
                raise ValueError("the items of an array have no bytes, so that there may be any number of them")
            return True
        name, within = _full_name(schema, namespace)
        of_fields = [self._define(each["type"], within) for each in inside] if kind in ("record", "error") else [True]
        if name in self._named:
            raise ValueError(f"{name} is there twice")
        self._named[name] = _Named(schema, within, any(of_fields) and not (kind == "fixed" and inside == 0))
        return self._named[name].has_bytes

    @cached_property
    def fingerprint(self) -> bytes:
        """CRC-64-AVRO of the schema's parsing canonical form, as the single-object encoding writes it."""
        crc = POLYNOMIAL
        for byte in self._canonical(self._schema, "").encode():
            low = (crc ^ byte) & 0xFF
            for _ in range(8):
                low = (low >> 1) ^ (POLYNOMIAL if low & 1 else 0)
            crc = (crc >> 8) ^ low
        return crc.to_bytes(8, "little")

    def _canonical(self, schema: Any, namespace: str) -> str:
        if isinstance(schema, list):
            return "[" + ",".join(self._canonical(each, namespace) for each in schema) + "]"
        if not isinstance(schema, dict):
            return json.dumps(schema if schema in PRIMITIVES else self._found(schema, namespace)[0], ensure_ascii=False)
        kind = schema["type"]
        if kind not in ("record", "error", "enum", "fixed", "array", "map"):
            return self._canonical(kind, namespace)
        parts = {}
        if kind not in ("array", "map"):
            parts["name"], namespace = _full_name(schema, namespace)
        members = [
            f'"{key}":{json.dumps(value, ensure_ascii=False)}' for key, value in (parts | {"type": kind}).items()
        ]
        if kind in ("record", "error"):
            fields = [
                f'{{"name":{json.dumps(each["name"])},"type":{self._canonical(each["type"], namespace)}}}'
                for each in schema["fields"]
            ]
            members.append(f'"fields":[{",".join(fields)}]')
        if kind == "enum":
            members.append(f'"symbols":{json.dumps(schema["symbols"], separators=(",", ":"))}')
        if kind == "fixed":
            members.append(f'"size":{int(schema["size"])}')
        members += [
            f'"{key}":{self._canonical(schema[key], namespace)}' for key in ("items", "values") if key in schema
        ]
        return "{" + ",".join(members) + "}"

    def _found(self, name: str, namespace: str) -> tuple[str, Any, str]:
        """Returns its full name, the schema, and the namespace of names inside of it."""
        full = f"{namespace}.{name}" if namespace and "." not in name else name
        if full not in self._named:
            raise _malformed(f"its schema has no {full}")
        return full, self._named[full].schema, self._named[full].namespace

    def value_in(self, source: "_Bytes") -> Json:
        """Raises ValueError, OverflowError, RecursionError and Unreadable."""
        value = self._value(self._schema, "", source)
        if not isinstance(value, dict):
            raise _malformed("its branch of a union is not a record")
        return value

    def _value(self, schema: Any, namespace: str, source: "_Bytes") -> Json:
        if isinstance(schema, list):
            return self._value(schema[source.index(len(schema))], namespace, source)
        kind = schema["type"] if isinstance(schema, dict) else schema
        if isinstance(kind, dict | list):
            return self._value(kind, namespace, source)
        if kind in PRIMITIVES:
            value = _raw(kind, source)
            return _logical(schema, value) if isinstance(schema, dict) else _plain(value)
        return self._several(schema, kind, namespace, source)

    def _several(self, schema: Any, kind: str, namespace: str, source: "_Bytes") -> Json:
        match kind:
            case "record" | "error":
                inside = _full_name(schema, namespace)[1]
                members: dict[str, Json] = {}
                for each in schema["fields"]:
                    members[each["name"]] = self._value(each["type"], inside, source)
                return members
            case "enum":
                return schema["symbols"][source.index(len(schema["symbols"]))]
            case "fixed":
                return _logical(schema, source.take(schema["size"]))
            case "array":
                return [self._value(schema["items"], namespace, source) for _ in source.items()]
            case "map":
                return self._map(schema["values"], namespace, source)
        _, schema, outer = self._found(kind, namespace)
        return self._value({**schema, "namespace": schema.get("namespace", outer)}, outer, source)

    def _map(self, values: Any, namespace: str, source: "_Bytes") -> Json:
        members: dict[str, Json] = {}
        for _ in source.items():
            key = source.string()
            if key in members:
                raise ValueError("a map has a key twice")
            members[key] = self._value(values, namespace, source)
        return members


class _Named(NamedTuple):
    schema: Any
    namespace: str
    """The namespace of the names inside of it."""
    has_bytes: bool


def _full_name(schema: dict[str, Any], namespace: str) -> tuple[str, str]:
    """Returns its full name, and the namespace of the names inside of it."""
    name = schema["name"]
    if "." not in name:
        inside = schema.get("namespace", namespace) or ""
        return (f"{inside}.{name}" if inside else name), inside
    return name, name.rpartition(".")[0]


class _Bytes:
    """Data, and how far it was read. Each method raises ValueError, or Unreadable where the data ends before."""

    def __init__(self, data: bytes) -> None:
        self._data = data
        self._stream = io.BytesIO(data)

    @property
    def is_at_end(self) -> bool:
        return self._stream.tell() >= len(self._data)

    def take(self, size: int) -> bytes:
        if size < 0 or len(found := self._stream.read(size)) < size:
            raise _malformed("it ends in the middle of a value")
        return found

    def long(self, bits: int = 64) -> int:
        """Variable-length zig-zag."""
        written = 0
        for place in range(10):
            (byte,) = self.take(1)
            written |= (byte & 0x7F) << 7 * place
            if byte < 0x80:
                if written >> bits:
                    raise ValueError(f"a number has more than {bits} bits")
                return written // 2 if written % 2 == 0 else -(written + 1) // 2
        raise ValueError("a number has more than ten bytes")

    def items(self) -> Iterator[None]:
        """Yields once for each item of an array or a map, block by block; the item's bytes have to be taken then."""
        while count := self.long():
            if count < 0:
                self.long()
            yield from repeat(None, abs(count))

    def sized(self) -> bytes:
        return self.take(self.long())

    def string(self) -> str:
        return self.sized().decode()

    def index(self, length: int) -> int:
        found = self.long()
        if not 0 <= found < length:
            raise ValueError(f"a choice of {found} among {length}")
        return found


def _raw(kind: str, source: _Bytes) -> Any:
    match kind:
        case "null":
            return None
        case "boolean":
            (byte,) = source.take(1)
            if byte > 1:
                raise ValueError(f"a boolean of {byte}")
            return byte == 1
        case "int" | "long":
            return source.long(32 if kind == "int" else 64)
        case "float" | "double":
            return struct.unpack("<f" if kind == "float" else "<d", source.take(4 if kind == "float" else 8))[0]
        case "bytes":
            return source.sized()
    return source.string()


def _plain(value: Any) -> Json:
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float):
        return number_of(value) if isfinite(value) else {inf: "Infinity", -inf: "-Infinity"}.get(value, "NaN")
    return Number(str(value)) if isinstance(value, int) and not isinstance(value, bool) else value


def _logical(schema: dict[str, Any], value: Any) -> Json:
    """The value of a type whose logical type is known here; else the plain value."""
    kind = schema["type"]
    match schema.get("logicalType"), kind:
        case "decimal", "bytes" | "fixed" if _is_decimal(schema):
            return _decimal(value, int(schema.get("scale", 0)))
        case "date", "int":
            return (date(1970, 1, 1) + timedelta(days=value)).isoformat()
        case "time-millis", "int":
            return _time(value * 1000)
        case "time-micros", "long":
            return _time(value)
        case (
            "timestamp-millis" | "timestamp-micros" | "local-timestamp-millis" | "local-timestamp-micros"
        ) as name, "long":
            moment = EPOCH + timedelta(microseconds=value * (1000 if name.endswith("millis") else 1))
            return (moment.replace(tzinfo=None) if name.startswith("local") else moment).isoformat()
        case "uuid", "string":
            return str(UUID(value))
        case "uuid", "fixed" if schema["size"] == 16:
            return str(UUID(bytes=value))
    return _plain(value)


def _may_be_record(schema: Any) -> bool:
    """Returns whether a value of it may be a record; a name in a union may be one's."""
    if isinstance(schema, list):
        return any(_may_be_record(each) or (isinstance(each, str) and each not in PRIMITIVES) for each in schema)
    kind = schema.get("type") if isinstance(schema, dict) else None
    return kind == "record" or (isinstance(kind, dict) and _may_be_record(kind))


def _is_decimal(schema: dict[str, Any]) -> bool:
    """Returns whether precision and scale are a decimal's; any other one is the plain bytes (specification, logical types)."""
    precision, scale = schema.get("precision"), schema.get("scale", 0)
    if type(precision) is not int or type(scale) is not int or not 1 <= precision >= scale >= 0:
        return False
    return bool(schema["type"] == "bytes" or 10**precision <= 2 ** (8 * schema["size"] - 1))


def _time(microseconds: int) -> str:
    if not 0 <= microseconds < 86_400_000_000:
        raise ValueError("a time of day that no day has")
    minutes, rest = divmod(microseconds, 60_000_000)
    return time(minutes // 60, minutes % 60, rest // 1_000_000, rest % 1_000_000).isoformat()


def _decimal(data: bytes, scale: int) -> Json:
    """A number where it has up to 38 digits."""
    if len(data) > 128:
        raise ValueError("a decimal of more than 128 bytes")
    unscaled = int.from_bytes(data, "big", signed=True)
    text = str(Decimal((int(unscaled < 0), tuple(map(int, str(abs(unscaled)))), -scale)))
    digits = len(str(abs(unscaled)))
    return Number(text) if max(0, digits - scale) + max(0, scale) <= 38 else text


def _malformed(detail: str) -> Unreadable:
    return Unreadable("malformed", detail)
