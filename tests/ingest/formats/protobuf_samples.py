"""A Protobuf schema with a field of each kind, messages of it that Google's library has written, and the rows that they are."""

from typing import Any
from uuid import UUID

from google.protobuf.message_factory import GetMessageClass

from firnline_ingest.config.format import RegisteredSchema
from firnline_ingest.formats.protobuf_decoding.schema import ProtoSchema

COMMON_PATH = "shop/common.proto"
COMMON = """
syntax = "proto2";
package shop;
/* Closed: a number that it does not have is an unknown field. */
enum Colour { RED = 1; BLUE = 3; }
enum Sale { NONE = 0; HALF = 5; }
message Money {
  required string currency = 1;
  optional sint64 units = 2 [default = 7];
  optional Colour colour = 3;
  repeated Colour colours = 4;
  map<bool, Sale> by_sale = 5;
  optional group Rest = 6 { optional bool b = 1; }
}
"""
ORDER = """
// What a registry holds as text.
syntax = "proto3";
package shop;
import "shop/common.proto";
import "google/protobuf/timestamp.proto";
import "google/protobuf/duration.proto";
import "google/protobuf/struct.proto";
import "google/protobuf/wrappers.proto";
import "buf/validate/validate.proto"; // options alone: nobody has it
option (buf.of.nothing) = { text: "}", list: [1, 2] };

message Line {
  reserved 4, 6 to 8; reserved "old";
  string sku = 1 [(buf.validate.field).string.min_len = 1, deprecated = true];
  int32 count = 2;
  repeated Line parts = 3;
}

message Order {
  message Note { string text = 1; }
  enum Status { option allow_alias = true; NEW = 0; PAID = 1; SETTLED = 1; LOST = -1; }
  int64 id = 1;
  optional string note = 2;
  Line line = 3;
  repeated Line lines = 4;
  repeated sint32 numbers = 5;
  map<string, Note> notes = 6;
  map<int64, double> by_number = 7;
  map<bool, Status> known = 8;
  Status status = 9;
  oneof how { string card = 10; Money cash = 11; bool gift = 12; }
  bytes seal = 13;
  double weight = 14;
  float height = 15;
  uint64 most = 16;
  fixed32 f32 = 17;
  fixed64 f64 = 18;
  sfixed32 s32 = 19;
  sfixed64 s64 = 20;
  uint32 u32 = 21;
  sint64 z64 = 22;
  google.protobuf.Timestamp placed = 23;
  google.protobuf.Duration took = 24;
  google.protobuf.Struct more = 25;
  google.protobuf.Int64Value wrapped = 26;
  google.protobuf.Value any = 27;
  repeated Status history = 28;
  repeated Money spent = 29;
  google.protobuf.StringValue empty = 30;
  repeated string texts = 31;
  google.protobuf.ListValue list = 32;
}
service Orders { rpc Get (Order) returns (Line) { option (x) = { a: "}" }; } }
"""
SCHEMA = RegisteredSchema(ORDER, "PROTOBUF", (COMMON,), ((COMMON_PATH, COMMON),))
SCHEMA_ID = 20
MISSING_ID = 21
VERSION = UUID("0a9a3b6e-5b1d-4a4e-9a52-5c8c2f0f0001")
GLUE_TEXT = ORDER.replace('import "shop/common.proto";', "message Money { string currency = 1; sint64 units = 2; }")
IN_ORDER = [
    *("shop.Line", "shop.Money", "shop.Order", "shop.Order.ByNumberEntry", "shop.Order.KnownEntry", "shop.Order.Note"),
    "shop.Order.NotesEntry",
]
"""The names of GLUE_TEXT's messages as Glue's index counts them."""
GLUE_SCHEMA = RegisteredSchema(GLUE_TEXT, "PROTOBUF")
READ = ProtoSchema(ORDER, {COMMON_PATH: COMMON})


def message(name: str, **fields: Any) -> Any:
    return GetMessageClass(READ.message(name))(**fields)


def full_order(*, with_spent: bool = True) -> Any:
    order = message(
        "shop.Order",
        id=2**63 - 1,
        note="",
        numbers=[-1, 0, 2**31 - 1],
        status=1,
        gift=False,
        seal=b"\0\xff",
        weight=0.1,
        height=0.5,
        most=2**64 - 1,
        f32=2**32 - 1,
        f64=2**64 - 1,
        s32=-(2**31),
        s64=-(2**63),
        u32=2**32 - 1,
        z64=-(2**63),
        history=[0, 1, -1, 77],
        texts=["", "é\0"],
        by_number={-1: float("inf"), 5: 0.25},
        known={True: 1},
    )
    order.line.sku = "a"
    order.lines.add(count=3).parts.add()
    order.notes["k"].text = "n"
    if with_spent:
        order.spent.add(currency="X", colour=3, colours=[1, 3], by_sale={False: 5}).rest.b = True
    order.placed.seconds, order.placed.nanos = 1_769_860_800, 123_456_789
    order.took.seconds, order.took.nanos = -1, -500_000_000
    order.more.update({"a": [1, None, {"b": True}], "c": "d"})
    order.wrapped.value = -5
    order.any.list_value.append(1.5)
    order.empty.SetInParent()
    order.list.append("x")
    return order


LINE = {"sku": "", "count": 0, "parts": []}
FULL = {
    "id": 2**63 - 1,
    "note": "",
    "line": {**LINE, "sku": "a"},
    "lines": [{**LINE, "count": 3, "parts": [LINE]}],
    "numbers": [-1, 0, 2**31 - 1],
    "notes": {"k": {"text": "n"}},
    "by_number": {"-1": "Infinity", "5": 0.25},
    "known": {"true": "PAID"},
    "status": "PAID",
    "gift": False,
    "seal": "AP8=",
    "weight": 0.1,
    "height": 0.5,
    "most": 2**64 - 1,
    "f32": 2**32 - 1,
    "f64": 2**64 - 1,
    "s32": -(2**31),
    "s64": -(2**63),
    "u32": 2**32 - 1,
    "z64": -(2**63),
    "placed": "2026-01-31T12:00:00.123456789+00:00",
    "took": "-1.500s",
    "more": {"a": [1, None, {"b": True}], "c": "d"},
    "wrapped": -5,
    "any": [1.5],
    "history": ["NEW", "PAID", "LOST", "77"],
    "spent": [
        {
            "currency": "X",
            "colour": "BLUE",
            "colours": ["RED", "BLUE"],
            "by_sale": {"false": "HALF"},
            "rest": {"b": True},
        }
    ],
    "empty": "",
    "texts": ["", "é\0"],
    "list": ["x"],
}
NOTHING: dict[str, Any] = {
    **dict.fromkeys(["id", "most", "f32", "f64", "s32", "s64", "u32", "z64"], 0),
    **dict.fromkeys(["weight", "height"], 0.0),
    **{name: [] for name in ("lines", "numbers", "history", "texts", "spent")},
    **{name: {} for name in ("notes", "by_number", "known")},
    "status": "NEW",
    "seal": "",
}
"""Of a message that was sent with nothing in it."""
PROTO_CONFLUENT = {"type": "protobuf", "framing": "confluent", "registry": {"url": "https://registry.example.com"}}
PROTO_GLUE = {"type": "protobuf", "framing": "glue"}
GLUE_ORDER = IN_ORDER.index("shop.Order")


def line() -> Any:
    return message("shop.Line", sku="m", count=-1)


def varint(number: int) -> bytes:
    found = bytearray()
    while number > 0x7F:
        found.append(number & 0x7F | 0x80)
        number >>= 7
    return bytes([*found, number])


def of_confluent(sent: Any, path: tuple[int, ...] = (1,), schema_id: int = SCHEMA_ID) -> bytes:
    """The path in full, as Confluent's serializer writes all but the first message's."""
    places = b"".join(varint(each * 2) for each in (len(path), *path))
    data: bytes = sent.SerializeToString()
    return b"\0" + schema_id.to_bytes(4, "big") + places + data


def of_glue(sent: Any, place: int, version: UUID = VERSION) -> bytes:
    data: bytes = sent.SerializeToString()
    return b"\3\0" + version.bytes + varint(place) + data
