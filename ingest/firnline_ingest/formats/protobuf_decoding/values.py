"""Values of a message as JSON: names of fields as the schema writes them, numbers digit for digit (docs/records.md).

A field without presence is there with its value, the default where nothing was sent; a field with presence is there only if it
was sent. Google's types that stand for plain values are those values.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

from firnline_ingest.formats.protobuf_decoding.moments import duration_text, timestamp_text
from firnline_ingest.records.conversion import as_json

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, EnumDescriptor, FieldDescriptor

REPEATED = 3
KINDS_OF_WRAPPERS = ("Double", "Float", "Int64", "UInt64", "Int32", "UInt32", "Bool", "String", "Bytes")
WRAPPERS = {f"google.protobuf.{name}Value" for name in KINDS_OF_WRAPPERS}

Write = Callable[[Any], Any]
"""What msgspec can write. Raises ValueError for what no row may have."""


class WrittenField(NamedTuple):
    name: str
    has_presence: bool
    write: Write | None
    """None for a value that is JSON as it is."""


def is_repeated(field: "FieldDescriptor") -> bool:
    """Returns whether it holds several values; a map is repeated. Of Google's library: `label` is there up to version 6."""
    found = getattr(field, "is_repeated", None)
    return field.label == REPEATED if found is None else bool(found)


def is_map(field: "FieldDescriptor") -> bool:
    return field.message_type is not None and bool(field.message_type.GetOptions().map_entry)


class MessageWriter:
    """Writers of messages, each made once: a message may hold itself."""

    def __init__(self) -> None:
        self._made: dict[str, Write] = {}

    def __call__(self, descriptor: "Descriptor") -> Write:
        name: str = descriptor.full_name
        if name not in self._made:
            fields: list[WrittenField] = []
            self._made[name] = _special(name) or (lambda message: _written(message, fields))
            if _special(name) is None:
                fields += [self._field(each) for each in descriptor.fields]
        return self._made[name]

    def _field(self, field: "FieldDescriptor") -> WrittenField:
        if not is_repeated(field):
            return WrittenField(field.name, field.has_presence, self._value(field))
        if not is_map(field):
            return WrittenField(field.name, False, _several(self._value(field)))
        return WrittenField(field.name, False, _pairs(self._value(field.message_type.fields_by_name["value"])))

    def _value(self, field: "FieldDescriptor") -> Write | None:
        if field.message_type is not None:
            return self(field.message_type)
        if field.enum_type is not None:
            return _enum(field.enum_type)
        if field.cpp_type in (field.CPPTYPE_DOUBLE, field.CPPTYPE_FLOAT) or field.type == field.TYPE_BYTES:
            return as_json
        return _text if field.type == field.TYPE_STRING else None


def _text(value: str | bytes) -> str:
    """Google's library gives the bytes of what is not UTF-8, where it does not refuse it: in proto2."""
    if isinstance(value, bytes):
        raise ValueError(f"a text that is not UTF-8: {value[:20].hex()}")
    return value


def _written(message: Any, fields: list[WrittenField]) -> dict[str, Any]:
    made = {}
    for name, has_presence, write in fields:
        if not has_presence or message.HasField(name):
            value = getattr(message, name)
            made[name] = value if write is None else write(value)
    return made


def _several(write: Write | None) -> Write:
    return list if write is None else lambda values: [write(each) for each in values]


def _pairs(write: Write | None) -> Write:
    def pairs(values: Any) -> dict[str, Any]:
        return {_key(key): values[key] if write is None else write(values[key]) for key in values}

    return pairs


def _key(key: bool | int | str | bytes) -> str:
    if isinstance(key, str | bytes):
        return _text(key)
    return str(key).lower() if isinstance(key, bool) else str(key)


def _enum(enum: "EnumDescriptor") -> Write:
    """Returns a writer of names, of several the first; a number that the schema has no name for is its digits: always a text."""
    names = {value.number: value.name for value in reversed(enum.values)}
    return lambda number: names.get(number) or str(number)


def _special(name: str) -> Write | None:
    if name in WRAPPERS:
        return lambda message: as_json(message.value)
    return SPECIAL.get(name)


def _struct(message: Any) -> dict[str, Any]:
    return {key: _any_value(message.fields[key]) for key in message.fields}


def _list(message: Any) -> list[Any]:
    return [_any_value(each) for each in message.values]


def _any_value(message: Any) -> Any:
    match message.WhichOneof("kind"):
        case "struct_value":
            return _struct(message.struct_value)
        case "list_value":
            return _list(message.list_value)
        case None | "null_value":
            return None
        case kind:
            return as_json(getattr(message, kind))


SPECIAL: dict[str, Write] = {
    "google.protobuf.Timestamp": lambda message: timestamp_text(message.seconds, message.nanos),
    "google.protobuf.Duration": lambda message: duration_text(message.seconds, message.nanos),
    "google.protobuf.Struct": _struct,
    "google.protobuf.ListValue": _list,
    "google.protobuf.Value": _any_value,
}
