"""Messages of Protobuf at random, and the rows that they are by Google's own JSON."""

import json
import random
import struct
from typing import Any

from google.protobuf import json_format
from google.protobuf.descriptor import Descriptor, FieldDescriptor

from firnline_ingest.formats.protobuf_decoding.values import is_map, is_repeated

WHOLE = {1: (-(2**31), 2**31 - 1), 2: (-(2**63), 2**63 - 1), 3: (0, 2**32 - 1), 4: (0, 2**64 - 1)}
FLOATS = {
    5: [0.0, -0.0, 0.1, 1e300, 5e-324, float("nan"), float("inf")],
    6: [0.0, 0.10000000149011612, -1.0000000150474662e30, float("-inf")],
}
"""By FieldDescriptor's cpp_type: bounds of whole numbers, doubles and floats."""


class Sent:
    """Messages at random, by Google's library."""

    def __init__(self, seed: int) -> None:
        self._chance = random.Random(seed)

    def fill(self, into: Any, depth: int = 0) -> Any:
        """Fills about half of its fields."""
        special = into.DESCRIPTOR.full_name
        if special == "google.protobuf.Timestamp":
            into.seconds = self._chance.randrange(-62_135_596_800, 253_402_300_800)
            into.nanos = self._chance.choice([0, 5_000_000, 5_000, 5, 999_999_999])
        elif special == "google.protobuf.Duration":
            sign = self._chance.choice([1, -1])
            into.seconds, into.nanos = sign * self._chance.randrange(3), sign * self._chance.choice([0, 10, 10**8])
        elif special == "google.protobuf.Value":
            json_format.Parse(json.dumps(self._chance.choice([None, 1.5, "é", True, [1, {}], {"a": [None]}])), into)
        else:
            for field in into.DESCRIPTOR.fields:
                if self._chance.random() < 0.6:
                    self._set(into, field, depth)
        return into

    def _set(self, into: Any, field: FieldDescriptor, depth: int) -> None:
        inner = field.message_type
        if is_map(field):
            key, value = inner.fields_by_name["key"], inner.fields_by_name["value"]
            for _ in range(self._chance.randrange(3)):
                if value.message_type is None:
                    getattr(into, field.name)[self._scalar(key)] = self._scalar(value)
                elif depth < 3:
                    self.fill(getattr(into, field.name)[self._scalar(key)], depth + 1)
        elif inner is not None:
            if is_repeated(field):
                for _ in range(self._chance.randrange(3) if depth < 3 else 0):
                    self.fill(getattr(into, field.name).add(), depth + 1)
            elif depth < 3 or inner.full_name == "google.protobuf.Value":
                getattr(into, field.name).SetInParent()
                self.fill(getattr(into, field.name), depth + 1)
        elif is_repeated(field):
            getattr(into, field.name).extend(self._scalar(field) for _ in range(self._chance.randrange(3)))
        else:
            setattr(into, field.name, self._scalar(field))

    def _scalar(self, field: FieldDescriptor) -> Any:
        chance = self._chance
        if field.cpp_type in WHOLE:
            least, most = WHOLE[field.cpp_type]
            return chance.choice([0, 1, least, most, chance.randint(least, most)])
        if field.cpp_type in FLOATS:
            return chance.choice(FLOATS[field.cpp_type])
        if field.enum_type is not None:
            return chance.choice(field.enum_type.values).number
        if field.type == FieldDescriptor.TYPE_BOOL:
            return chance.random() < 0.5
        if field.type == FieldDescriptor.TYPE_BYTES:
            return chance.randbytes(chance.randrange(5))
        return "".join(chance.choices(["a", "é", "\0", '"', "𝄞", "\u2028"], k=chance.randrange(5)))


def by_googles_mapping(sent: Any) -> Any:
    """The message as Google's own JSON, with the differences that docs/records.md names."""
    options = {"preserving_proto_field_name": True, "always_print_fields_with_no_presence": True}
    return _as_rows_have_it(json_format.MessageToDict(sent, **options), sent.DESCRIPTOR)


def _as_rows_have_it(value: Any, of: Descriptor) -> Any:
    if of.full_name == "google.protobuf.Timestamp":
        return value.replace("Z", "+00:00")
    if of.full_name in ("google.protobuf.Duration", "google.protobuf.Struct", "google.protobuf.Value"):
        return value
    if of.full_name == "google.protobuf.ListValue":
        return value
    if of.full_name.startswith("google.protobuf."):
        return _one(value, of.fields_by_name["value"])
    return {name: _field(each, of.fields_by_name[name]) for name, each in value.items()}


def _field(value: Any, field: FieldDescriptor) -> Any:
    if is_map(field):
        return {key: _one(each, field.message_type.fields_by_name["value"]) for key, each in value.items()}
    return [_one(each, field) for each in value] if is_repeated(field) else _one(value, field)


def _one(value: Any, field: FieldDescriptor) -> Any:
    if field.message_type is not None:
        return _as_rows_have_it(value, field.message_type)
    if field.cpp_type in (FieldDescriptor.CPPTYPE_INT64, FieldDescriptor.CPPTYPE_UINT64):
        return int(value)
    if field.cpp_type == FieldDescriptor.CPPTYPE_FLOAT and not isinstance(value, str):
        return struct.unpack("<f", struct.pack("<f", value))[0]
    return str(value) if field.enum_type is not None else value
