"""The types of columns for the fields of a message, as its schema declares them.

Each takes what values.py makes of such a value.
"""

from typing import TYPE_CHECKING

from firnline_ingest.config.format import DeclaredType
from firnline_ingest.formats.protobuf_decoding.values import WRAPPERS, is_map, is_repeated

if TYPE_CHECKING:
    from google.protobuf.descriptor import Descriptor, FieldDescriptor

NUMBER, TEXT, OBJECT, ARRAY = (
    DeclaredType("NUMBER(38, 0)"),
    DeclaredType("VARCHAR"),
    DeclaredType(kind="object"),
    DeclaredType(kind="array"),
)
WHOLE_NUMBERS = range(1, 5)  # FieldDescriptor's CPPTYPE_INT32 to CPPTYPE_UINT64
BYTES = 12  # FieldDescriptor's TYPE_BYTES
OTHERS = {
    5: DeclaredType("FLOAT"),
    6: DeclaredType("FLOAT"),
    7: DeclaredType("BOOLEAN"),
    8: TEXT,
    9: TEXT,
}
"""By FieldDescriptor's cpp_type: double, float, bool, enum, string."""
SPECIAL = {
    "google.protobuf.Timestamp": DeclaredType("TIMESTAMP_LTZ(9)"),
    "google.protobuf.Duration": TEXT,
    "google.protobuf.ListValue": ARRAY,
}
ANYTHING = "google.protobuf.Value"


def declared_types(descriptor: "Descriptor") -> dict[str, DeclaredType]:
    """By field; nothing for one whose values may be of any type."""
    found = ((field.name, _declared(field)) for field in descriptor.fields)
    return {name: declared for name, declared in found if declared is not None}


def _declared(field: "FieldDescriptor") -> DeclaredType | None:
    if is_repeated(field):
        return OBJECT if is_map(field) else ARRAY
    if field.message_type is not None:
        name = field.message_type.full_name
        if name == ANYTHING:
            return None
        if name in WRAPPERS:
            return _declared(field.message_type.fields_by_name["value"])
        return SPECIAL.get(name, OBJECT)
    if field.cpp_type in WHOLE_NUMBERS:
        return NUMBER
    return DeclaredType("BINARY") if field.type == BYTES else OTHERS[field.cpp_type]
