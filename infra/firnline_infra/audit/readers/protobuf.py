"""Messages of Protobuf, by its pages (protobuf.dev/programming-guides/encoding, proto3): without Google's parser.

The schema is the engine's reading of its text (docs/audit.md says so): from it come the names, numbers and types of fields.
Values are JSON as docs/records.md has them.
"""

import base64
import struct
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from functools import lru_cache
from math import inf, isfinite
from typing import TYPE_CHECKING, Any

from firnline_infra.audit.readers.json_model import Json, Number, Unreadable, number_of
from firnline_infra.audit.readers.packing import unframed
from firnline_infra.audit.readers.protobuf_wire import (
    DEEPEST,
    FIXED32,
    FIXED64,
    GROUP,
    SIZED,
    VARINT,
    WireData,
    WireField,
    unzigzag,
)
from firnline_ingest.config.format import SchemasOf
from firnline_ingest.formats.protobuf import ProtobufFormat, ProtobufFraming
from firnline_ingest.formats.protobuf_decoding.errors import ProtoRefused
from firnline_ingest.formats.protobuf_decoding.schema import ProtoSchema

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor, FileDescriptor

STRING = 9  # of FieldDescriptor's types
DEEPEST_PATH = 32
BILLION = 1_000_000_000
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
GOOGLES = "google.protobuf."


def protobuf_rows(of: ProtobufFormat, data: bytes, schemas: SchemasOf) -> list[Json]:
    """Raises Unreadable, and SchemaRegistryError."""
    schema_id, content = unframed(of.framing, data)
    assert schema_id is not None, "a registry's frame has an id"
    found = schemas(of)(schema_id)
    if found is None:
        raise Unreadable("unknown-schema", f"{schema_id}")
    if found.kind != "PROTOBUF":
        raise _malformed(f"its schema is one of {found.kind}")
    try:
        messages = _messages(found.text, found.imports)
        source = WireData(content)
        place = (
            _confluent_place(messages, source)
            if of.framing is ProtobufFraming.CONFLUENT
            else _glue_place(messages, source)
        )
        value = _Reading(ignores=of.ignores_unknown_fields).message(place, source.rest, 0)
    except (ProtoRefused, ValueError, LookupError, OverflowError, RecursionError) as error:
        raise _malformed(f"{type(error).__name__}: {error}") from error
    if not isinstance(value, dict):
        raise _malformed("its message has no fields")
    return [value]


@lru_cache(maxsize=64)
def _messages(text: str, imports: tuple[tuple[str, str], ...]) -> "list[Descriptor]":
    return list(ProtoSchema(text, dict(imports)).descriptor.message_types_by_name.values())


def _confluent_place(messages: "list[Descriptor]", source: "WireData") -> "Descriptor":
    count = unzigzag(source.varint(32))
    if not 0 <= count <= DEEPEST_PATH:
        raise ValueError(f"a path of {count} places")
    steps = [unzigzag(source.varint(32)) for _ in range(count)] or [0]
    found = None
    for step in steps:
        own = [each for each in messages if not each.GetOptions().map_entry]
        if not 0 <= step < len(own):
            raise ValueError(f"no message is at {steps}")
        found = own[step]
        messages = list(found.nested_types)
    assert found is not None, "a path has a step"
    return found


def _glue_place(messages: "list[Descriptor]", source: "WireData") -> "Descriptor":
    every = sorted(_all(messages), key=lambda each: str(each.full_name))
    found = every[source.varint(32)]
    if found.GetOptions().map_entry:
        raise ValueError("it names the entry of a map")
    return found


def _all(messages: "list[Descriptor]") -> "Iterator[Descriptor]":
    for each in messages:
        yield each
        yield from _all(list(each.nested_types))


def _malformed(detail: str) -> Unreadable:
    return Unreadable("malformed", detail)


class _Reading:
    """Reads messages. `ignores`: whether what the schema does not have is left out; `is_whole`: whether it is no piece of one."""

    def __init__(self, *, ignores: bool, is_whole: bool = True) -> None:
        self._ignores, self._is_whole = ignores, is_whole

    def message(self, of: "Descriptor", data: bytes, depth: int) -> Json:
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        sent = self._sent(of, data, depth)
        missing = [each.name for each in of.fields if _is_required(each) and each.name not in sent]
        if missing and self._is_whole:
            raise ValueError(f"it has no {missing[0]}, which its schema requires")
        made = {each.name: value for each in of.fields if (value := self._field(each, sent, depth)) is not ABSENT}
        return _special(str(of.full_name), made) if self._is_whole else made

    def _sent(self, of: "Descriptor", data: bytes, depth: int) -> dict[str, list[Any]]:
        """Returns what each field was sent as. What a oneof held before is gone."""
        sent: dict[str, list[Any]] = {}
        for number, field in WireData(data).fields():
            known = of.fields_by_number.get(number)
            values = None if known is None else _values(known, field)
            if known is None or values is None or not self._is_known(known, values):
                if not self._ignores:
                    raise ValueError(f"its schema has no such field {number}")
                if known is None or values is None:
                    continue
                self._refuse_broken(known, values, depth)
                values = [each for each in values if self._is_known(known, [each])]
                if not values:
                    continue
            if known.type == STRING and _is_checked(known.file):
                _texts(values)
            if known.containing_oneof is not None:
                for other in known.containing_oneof.fields:
                    if other.number != number:
                        sent.pop(other.name, None)
            sent.setdefault(known.name, []).extend(values)
        return sent

    def _refuse_broken(self, field: "FieldDescriptor", values: list[Any], depth: int) -> None:
        """Raises ValueError for an entry that is no entry of the map, and that can't be read either."""
        if _is_map(field):
            for each in values:
                self._entry(field.message_type, each, depth + 1)

    def _is_known(self, field: "FieldDescriptor", values: list[Any]) -> bool:
        if _is_map(field):
            return all(self._is_entry(field.message_type, each) for each in values)
        enum = field.enum_type
        return enum is None or not enum.is_closed or all(_signed(each, 32) in enum.values_by_number for each in values)

    def _is_entry(self, of: "Descriptor", data: bytes) -> bool:
        """Returns whether the schema has all that is in a map's entry; else the entry as a whole is unknown."""
        for number, field in list(WireData(data).fields()):  # to its end: it may be cut short
            known = of.fields_by_number.get(number)
            values = None if known is None else _values(known, field)
            if known is None or values is None or not self._is_known(known, values):
                return False
        return True

    def _field(self, field: "FieldDescriptor", sent: dict[str, list[Any]], depth: int) -> Json:
        values = sent.get(field.name, [])
        if _is_map(field):
            return dict(self._entry(field.message_type, each, depth + 1) for each in values)
        if _is_repeated(field):
            return [self._value(field, each, depth) for each in values]
        if not values:
            return ABSENT if field.has_presence else _default(field)
        if field.message_type is not None:
            return self._merged(field.message_type, values, depth)
        return self._value(field, values[-1], depth)

    def _merged(self, of: "Descriptor", values: list[bytes], depth: int) -> Json:
        """A message that was sent in pieces is what they are together; each has to be readable by itself."""
        if len(values) > 1:
            apart = _Reading(ignores=self._ignores, is_whole=False)
            for each in values:
                apart.message(of, each, depth + 1)
        return self.message(of, b"".join(values), depth + 1)

    def _entry(self, of: "Descriptor", data: bytes, depth: int) -> tuple[str, Json]:
        if depth > DEEPEST:
            raise ValueError("it is nested too deeply")
        sent = self._sent(of, data, depth)
        key, value = of.fields_by_name["key"], of.fields_by_name["value"]
        name = self._value(key, sent["key"][-1], depth) if "key" in sent else _default(key)
        if value.message_type is not None:
            found = self._merged(value.message_type, sent.get("value", []), depth)
        else:
            found = self._value(value, sent["value"][-1], depth) if "value" in sent else _default(value)
        if isinstance(name, bool):
            return ("true" if name else "false"), found
        return (name.text if isinstance(name, Number) else name), found

    def _value(self, field: "FieldDescriptor", raw: Any, depth: int) -> Json:
        if field.message_type is not None:
            return self.message(field.message_type, raw, depth + 1)
        return SCALARS[field.type](field, raw)


ABSENT = object()


def _is_repeated(field: "FieldDescriptor") -> bool:
    found = getattr(field, "is_repeated", None)
    return bool(field.label == 3 if found is None else found)


@lru_cache(maxsize=64)
def _is_checked(file: "FileDescriptor") -> bool:
    """Returns whether each text of such a file's fields has to be UTF-8, also one that another follows: not so in proto2."""
    from google.protobuf.descriptor_pb2 import FileDescriptorProto

    found = FileDescriptorProto()
    file.CopyToProto(found)
    return found.syntax not in ("", "proto2")


def _texts(values: list[bytes]) -> list[str]:
    return [each.decode() for each in values]


def _is_required(field: "FieldDescriptor") -> bool:
    found = getattr(field, "is_required", None)
    return bool(field.label == 2 if found is None else found)


def _is_map(field: "FieldDescriptor") -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


def _wire_type(field: "FieldDescriptor") -> int:
    match field.type:
        case 1 | 6 | 16:  # double, fixed64, sfixed64
            return FIXED64
        case 2 | 7 | 15:  # float, fixed32, sfixed32
            return FIXED32
        case 9 | 11 | 12:  # string, message, bytes
            return SIZED
        case 10:
            return GROUP
    return VARINT


def _values(field: "FieldDescriptor", sent: WireField) -> list[Any] | None:
    """Returns its values, several where they are packed; None for a wire type that is not the field's."""
    expected = _wire_type(field)
    if sent.kind == expected:
        return [sent.value]
    if sent.kind != SIZED or expected in (SIZED, GROUP) or not _is_repeated(field):
        return None
    packed, found = WireData(sent.value), list[Any]()
    while packed.rest:
        found.append(packed.varint() if expected == VARINT else packed.take(8 if expected == FIXED64 else 4))
    return found


def _signed(value: int, bits: int) -> int:
    value &= (1 << bits) - 1
    return value - (1 << bits) if value >> (bits - 1) else value


def _whole(value: int) -> Number:
    return Number(str(value))


def _floating(value: float) -> Json:
    return number_of(value) if isfinite(value) else {inf: "Infinity", -inf: "-Infinity"}.get(value, "NaN")


def _symbol(field: "FieldDescriptor", raw: int) -> Json:
    number = _signed(raw, 32)
    return next((each.name for each in field.enum_type.values if each.number == number), str(number))


SCALARS: "dict[int, Callable[[FieldDescriptor, Any], Json]]" = {
    1: lambda _, raw: _floating(struct.unpack("<d", raw)[0]),
    2: lambda _, raw: _floating(struct.unpack("<f", raw)[0]),
    3: lambda _, raw: _whole(_signed(raw, 64)),
    4: lambda _, raw: _whole(raw & ((1 << 64) - 1)),
    5: lambda _, raw: _whole(_signed(raw, 32)),
    6: lambda _, raw: _whole(int.from_bytes(raw, "little")),
    7: lambda _, raw: _whole(int.from_bytes(raw, "little")),
    8: lambda _, raw: raw & ((1 << 64) - 1) != 0,
    9: lambda _, raw: raw.decode(),
    12: lambda _, raw: base64.b64encode(raw).decode(),
    13: lambda _, raw: _whole(raw & ((1 << 32) - 1)),
    14: _symbol,
    15: lambda _, raw: _whole(int.from_bytes(raw, "little", signed=True)),
    16: lambda _, raw: _whole(int.from_bytes(raw, "little", signed=True)),
    17: lambda _, raw: _whole(unzigzag(raw & ((1 << 32) - 1))),
    18: lambda _, raw: _whole(unzigzag(raw & ((1 << 64) - 1))),
}
"""By FieldDescriptor's types."""
NOTHING: dict[int, Json] = {1: Number("0.0"), 2: Number("0.0"), 8: False, 9: "", 12: ""}


def _default(field: "FieldDescriptor") -> Json:
    if field.enum_type is not None:
        return _symbol(field, field.default_value)
    return NOTHING.get(field.type, Number("0"))


def _special(name: str, made: dict[str, Json]) -> Json:
    """The plain value that one of Google's own messages stands for."""
    match name.removeprefix(GOOGLES) if name.startswith(GOOGLES) else "":
        case "Timestamp":
            return _moment(int(made["seconds"].text), int(made["nanos"].text))
        case "Duration":
            return _duration(int(made["seconds"].text), int(made["nanos"].text))
        case "Struct":
            return made["fields"]
        case "ListValue":
            return made["values"]
        case "Value":
            return next((None if kind == "null_value" else value for kind, value in made.items()), None)
        case "DoubleValue" | "FloatValue" | "Int64Value" | "UInt64Value" | "Int32Value" | "UInt32Value":
            return made["value"]
        case "BoolValue" | "StringValue" | "BytesValue":
            return made["value"]
    return made


def _moment(seconds: int, nanos: int) -> str:
    if not 0 <= nanos < BILLION:
        raise ValueError(f"a timestamp with {nanos} ns")
    whole = (EPOCH + timedelta(seconds=seconds)).replace(tzinfo=None).isoformat()
    return f"{whole}{_decimals(nanos)}+00:00"


def _duration(seconds: int, nanos: int) -> str:
    total = seconds * BILLION + nanos
    if abs(seconds) > 315_576_000_000 or abs(nanos) >= BILLION or (seconds and nanos and (seconds < 0) != (nanos < 0)):
        raise ValueError(f"a duration of {seconds} s and {nanos} ns")
    whole, part = divmod(abs(total), BILLION)
    return f"{'-' if total < 0 else ''}{whole}{_decimals(part)}s"


def _decimals(nanos: int) -> str:
    """No digits of a second, or three, six or nine."""
    for digits, unit in ((0, BILLION), (3, 1_000_000), (6, 1_000)):
        if nanos % unit == 0:
            return f".{nanos // unit:0{digits}}" if digits else ""
    return f".{nanos:09}"
