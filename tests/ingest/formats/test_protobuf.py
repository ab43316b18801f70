"""Messages of Protobuf in registries' frames: the rows that they become, and what is a dead letter."""

import base64
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import pytest
from google._upb import _message as upb  # type: ignore[import-untyped] # machine code
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from google.protobuf.message_factory import GetMessageClass

from firnline_ingest.config.format import DeclaredType, RegisteredSchema
from firnline_ingest.config.kinds import FORMATS
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.records.rows import Rows
from firnline_ingest.schemas.errors import RegistryUnreachable

from .making import maker, values
from .protobuf_at_random import Sent, by_googles_mapping
from .protobuf_samples import (
    FULL,
    GLUE_ORDER,
    GLUE_SCHEMA,
    IN_ORDER,
    LINE,
    NOTHING,
    PROTO_CONFLUENT,
    PROTO_GLUE,
    READ,
    SCHEMA,
    SCHEMA_ID,
    VERSION,
    full_order,
    line,
    message,
    of_confluent,
    of_glue,
    varint,
)
from .test_registered import Known

FRAME = b"\0" + SCHEMA_ID.to_bytes(4, "big")
ORDERS = b"\2\2"
"""The path of the second message."""


def made_of(payload: bytes, format_: dict[str, Any] = PROTO_CONFLUENT, known: Known | None = None) -> Rows:
    return maker(format_, (known or Known()).of).convert([Record("100", payload, "key", 1.5)])


def row_of(payload: bytes, format_: dict[str, Any] = PROTO_CONFLUENT, known: Known | None = None) -> dict[str, Any]:
    made = made_of(payload, format_, known)
    (row,) = values(made) or [{"rejected": made.rejected}]
    return row


def letter_of(payload: bytes, format_: dict[str, Any] = PROTO_CONFLUENT, known: Known | None = None) -> RejectedRecord:
    made = made_of(payload, format_, known)
    assert list(made.rows) == []
    (one,) = made.rejected
    return one


def known_as(text: str, *imports: tuple[str, str], kind: str = "PROTOBUF") -> Known:
    return Known({7: RegisteredSchema(text, kind, tuple(text for _, text in imports), imports)})


def proto3(body: str) -> Known:
    return known_as(f'syntax = "proto3"; {body}')


SEVEN = b"\0\0\0\0\7\0"
"""The frame of the first message of schema 7."""


def test_each_kind_of_value_is_in_the_row_without_loss() -> None:
    assert row_of(of_confluent(full_order())) == FULL


def test_what_was_not_sent_has_its_default_where_a_field_has_no_presence_and_else_no_key() -> None:
    assert row_of(of_confluent(message("shop.Order"))) == NOTHING


@pytest.mark.parametrize(
    ("path", "sent", "row"),
    [
        pytest.param(b"\0", line(), {**LINE, "sku": "m", "count": -1}, id="the first, by the short form"),
        pytest.param(b"\2\0", line(), {**LINE, "sku": "m", "count": -1}, id="the first, in full"),
        pytest.param(b"\4\2\0", message("shop.Order.Note", text="n"), {"text": "n"}, id="inside, before maps' entries"),
    ],
)
def test_the_path_in_front_of_a_message_says_which_of_the_schema_it_is(path: bytes, sent: Any, row: Any) -> None:
    assert row_of(FRAME + path + sent.SerializeToString()) == row


@pytest.mark.parametrize("packed", [False, True])
def test_glues_index_counts_messages_by_their_names_entries_of_maps_among_them(packed: bool) -> None:
    import zlib

    payload = of_glue(full_order(with_spent=False), GLUE_ORDER)
    if packed:
        payload = b"\3\5" + payload[2:18] + zlib.compress(payload[18:])
    assert row_of(payload, PROTO_GLUE) == {**FULL, "spent": []}
    note = message("shop.Order.Note", text="n")
    assert row_of(of_glue(note, IN_ORDER.index("shop.Order.Note")), PROTO_GLUE) == {"text": "n"}


def test_an_index_of_glue_is_a_plain_varint() -> None:
    names = "".join(f"message M{number:03} {{ int32 n{number} = 1; }}" for number in range(200))
    known = Known({VERSION: RegisteredSchema(f'syntax = "proto3"; {names}', "PROTOBUF")})
    assert row_of(b"\3\0" + VERSION.bytes + varint(150) + b"\x08\1", PROTO_GLUE, known) == {"n150": 1}


@pytest.mark.parametrize(
    ("payload", "reason", "said"),
    [
        (FRAME, RejectReason.MALFORMED, "the place of its message"),
        (FRAME + b"\x80", RejectReason.MALFORMED, "the place of its message"),
        (FRAME + b"\xff" * 9, RejectReason.MALFORMED, "the place of its message"),
        (FRAME + b"\2\6", RejectReason.MALFORMED, "has no message at [3]"),
        (FRAME + b"\4\2\2", RejectReason.MALFORMED, "has no message at [1, 1]"),
        (FRAME + b"\2\1", RejectReason.MALFORMED, "has no message at [-1]"),
        (FRAME + b"\1", RejectReason.MALFORMED, "has -1 places"),
        (FRAME + b"\x7e" + b"\0" * 63, RejectReason.MALFORMED, "has 63 places"),
        (FRAME + ORDERS + b"\x08", RejectReason.MALFORMED, "DecodeError"),
        (FRAME + ORDERS + b"\x3a\1", RejectReason.MALFORMED, "DecodeError"),
        (FRAME + ORDERS + b"\x12\1\xff", RejectReason.MALFORMED, "DecodeError"),
        (FRAME + ORDERS + b"\x98\6\1", RejectReason.MALFORMED, "that its schema does not have"),
        (FRAME + ORDERS + b"\x5a\0", RejectReason.MALFORMED, "all the fields that its schema requires"),
        (FRAME + ORDERS + b"\x5a\4\x0a\0\x18\2", RejectReason.MALFORMED, "that its schema does not have"),
        (FRAME + ORDERS + b"\x5a\3\x0a\1\xff", RejectReason.MALFORMED, "not UTF-8: ff"),
        (FRAME + ORDERS + b"\xba\1\2\x10\xff", RejectReason.MALFORMED, "DecodeError"),
        (
            FRAME + ORDERS + b"\xba\1\x0b\x10" + b"\xff" * 9 + b"\1",
            RejectReason.MALFORMED,
            "a timestamp of 0 s and -1 ns",
        ),
        (FRAME + ORDERS + b"\xc2\1\6\x08\1\x10" + varint(10**9)[:3], RejectReason.MALFORMED, "DecodeError"),
        (of_confluent(full_order(), schema_id=99), RejectReason.UNKNOWN_SCHEMA, "no schema 99"),
        (of_confluent(full_order(), schema_id=7), RejectReason.MALFORMED, "it is one of AVRO"),
        (of_confluent(full_order())[:5], RejectReason.MALFORMED, "the place of its message"),
        (full_order().SerializeToString(), RejectReason.MALFORMED, "Confluent's byte 0"),
        (b"", RejectReason.EMPTY, ""),
    ],
)
def test_what_is_not_a_message_of_the_schema_is_a_dead_letter(payload: bytes, reason: RejectReason, said: str) -> None:
    letter = letter_of(payload)
    assert letter.reason is reason
    assert said in letter.detail


@pytest.mark.parametrize("place", [IN_ORDER.index("shop.Order.NotesEntry"), len(IN_ORDER)])
def test_a_place_of_glues_index_that_is_no_message_is_a_dead_letter(place: int) -> None:
    assert letter_of(of_glue(line(), place), PROTO_GLUE).reason is RejectReason.MALFORMED


def test_what_the_schema_does_not_have_is_left_out_where_that_was_said() -> None:
    ignoring = {**PROTO_CONFLUENT, "ignores_unknown_fields": True}
    sent = full_order().SerializeToString() + b"\x98\6\1"
    assert letter_of(FRAME + ORDERS + sent).reason is RejectReason.MALFORMED
    assert row_of(FRAME + ORDERS + sent, ignoring) == FULL


def test_a_registry_that_does_not_say_is_no_reason_for_a_dead_letter() -> None:
    with pytest.raises(RegistryUnreachable):
        made_of(of_confluent(full_order()), known=Known(fails={SCHEMA_ID}))


@pytest.mark.parametrize(
    ("known", "said"),
    [
        (known_as("message M { int32"), "line 1: '' stands where a name is expected"),
        (known_as("syntax = 'proto4';"), "neither proto2 nor proto3"),
        (known_as("edition = '1999';"), "none of 2023, 2024"),
        (known_as("\0"), "line 1"),
        (known_as('{"type": "record"}'), "line 1: '{'"),
        (proto3("enum E { A = 0; }"), "no message"),
        (proto3("message M { X x = 1; }"), "X"),
        (proto3('import "x.proto"; message M { X x = 1; }'), "nobody has 'x.proto'"),
        (proto3("message M { int32 a = 1; int32 b = 1; }"), ""),
        (proto3("message M { int32 a = 99999999999; }"), "too large"),
        (proto3("message M {" * 40), "nested too deeply"),
        (known_as('import "a"; message M {}', ("a", 'import "a";')), "have no end"),
        (known_as('import "a"; message M {}', ("a", 'import "b";'), ("b", 'import "a";')), "have no end"),
    ],
)
def test_of_a_schema_that_is_not_decoded_each_record_is_a_dead_letter_that_says_why(known: Known, said: str) -> None:
    letter = letter_of(SEVEN, known=known)
    assert letter.reason is RejectReason.MALFORMED
    assert "its schema 7 is not decoded" in letter.detail
    assert said in letter.detail


def test_a_schema_may_be_a_descriptor_in_base64_as_confluents_client_for_python_registers_it() -> None:
    file = FileDescriptorProto()
    READ.descriptor.CopyToProto(file)
    del file.dependency[:]
    file.dependency.extend(["shop/common.proto", *(f"google/protobuf/{each}.proto" for each in GOOGLES)])
    common = SCHEMA.imports[0]
    known = known_as(base64.b64encode(file.SerializeToString()).decode(), common)
    assert row_of(b"\0\0\0\0\7\2\2" + full_order().SerializeToString(), known=known) == FULL


GOOGLES = ["timestamp", "duration", "struct", "wrappers"]


def test_confluents_own_decimal_needs_no_reference() -> None:
    known = proto3('import "confluent/type/decimal.proto"; message M { confluent.type.Decimal d = 1; }')
    assert row_of(SEVEN + b"\x0a\3\x0a\1\x7f", known=known) == {"d": {"value": "fw==", "precision": 0, "scale": 0}}


def test_presence_closed_enums_and_groups_are_as_an_edition_says() -> None:
    known = known_as(
        'edition = "2023"; option features.field_presence = IMPLICIT; '
        "enum E { option features.enum_type = CLOSED; Z = 0; A = 1; } "
        "message M { int32 a = 1; int32 b = 2 [features.field_presence = EXPLICIT]; "
        "I c = 3 [features.message_encoding = DELIMITED]; E e = 4 [features.field_presence = EXPLICIT]; } "
        "message I { int32 n = 1; }"
    )
    assert row_of(SEVEN, known=known) == {"a": 0}
    assert row_of(SEVEN + b"\x10\0\x1b\x08\5\x1c\x20\1", known=known) == {"a": 0, "b": 0, "c": {"n": 5}, "e": "A"}
    assert letter_of(SEVEN + b"\x20\2", known=known).reason is RejectReason.MALFORMED


def test_a_message_may_hold_itself_down_to_a_hundred() -> None:
    """Pulumi lifts that bound of Google's library for its process, which may be this one: no engine has Pulumi."""
    upb.SetAllowOversizeProtos(False)
    known = proto3("message M { M m = 1; }")
    deep = b""
    for _ in range(99):
        deep = b"\x0a" + varint(len(deep)) + deep
    row, depth = row_of(SEVEN + deep, known=known), 0
    while "m" in row:
        row, depth = row["m"], depth + 1
    assert depth == 99
    for _ in range(3):
        deep = b"\x0a" + varint(len(deep)) + deep
    assert letter_of(SEVEN + deep, known=known).reason is RejectReason.MALFORMED


def test_messages_of_two_bytes_that_would_take_too_much_memory_are_a_dead_letter() -> None:
    fields = " ".join(f"int32 a_long_name_of_a_field_{number} = {number};" for number in range(2, 100))
    known = proto3(f"message M {{ repeated M m = 1; {fields} }}")
    assert letter_of(SEVEN + b"\x0a\0" * 100_000, known=known).reason is RejectReason.TOO_LARGE
    assert len(row_of(SEVEN + b"\x0a\0" * 100, known=known)["m"]) == 100
    bytes_alone = proto3(f"message M {{ repeated M m = 1; bytes b = 200; {fields} }}")
    large = SEVEN + b"\xc2\x0c" + varint(600_000) + bytes(600_000)
    assert len(row_of(large, known=bytes_alone)["b"]) == 800_000


@pytest.mark.parametrize(
    ("document", "problem"),
    [
        ({"type": "protobuf", "framing": "confluent"}, "give registry with framing: confluent, and only then"),
        ({**PROTO_GLUE, "registry": {"url": "https://host"}}, "give registry with framing: confluent, and only then"),
        ({"type": "protobuf"}, "framing"),
        ({**PROTO_GLUE, "ignores_unknown_fields": "yes"}, "ignores_unknown_fields"),
    ],
)
def test_what_does_not_go_together_is_refused(document: dict[str, Any], problem: str) -> None:
    with pytest.raises(Exception, match="FL-1001") as refused:
        maker(document, Known().of)
    assert problem in str(refused.value)


def test_columns_have_the_types_that_the_schema_declares() -> None:
    of = FORMATS["protobuf"].model_validate(PROTO_CONFLUENT, strict=None)
    types = of.declared_types(Known().of)
    assert types is not None
    found = types(of_confluent(message("shop.Order")))
    by_column: dict[Any, set[str]] = {}
    for name, declared in found.items():
        by_column.setdefault(declared, set()).add(name)
    whole = {"id", "most", "f32", "f64", "s32", "s64", "u32", "z64", "wrapped"}
    assert by_column == {
        DeclaredType("NUMBER(38, 0)"): whole,
        DeclaredType("VARCHAR"): {"note", "card", "status", "took", "empty"},
        DeclaredType("BOOLEAN"): {"gift"},
        DeclaredType("BINARY"): {"seal"},
        DeclaredType("FLOAT"): {"weight", "height"},
        DeclaredType("TIMESTAMP_LTZ(9)"): {"placed"},
        DeclaredType(kind="object"): {"line", "notes", "by_number", "known", "cash", "more"},
        DeclaredType(kind="array"): {"lines", "numbers", "history", "texts", "spent", "list"},
    }
    assert "any" not in found


def _random_orders() -> Iterator[Any]:
    for seed in range(200):
        yield Sent(seed).fill(message("shop.Order"))


def test_any_message_is_the_row_that_googles_own_json_says_and_both_readers_agree() -> None:
    made_by = maker(PROTO_CONFLUENT, Known().of)
    for sent in _random_orders():
        for each in sent.spent:
            each.currency = each.currency  # required
        if sent.WhichOneof("how") == "cash":
            sent.cash.currency = "X"
        made = made_by.convert([Record("100", of_confluent(sent), "key", 1.5)])
        assert values(made) == [by_googles_mapping(sent)], (sent, made.rejected)


def test_a_message_that_is_cut_anywhere_is_a_row_of_what_is_left_or_a_dead_letter() -> None:
    """Protobuf has no end: what is cut between two fields is a message by itself, and no reader can tell."""
    data = full_order().SerializeToString()
    whole = set()
    for size in range(len(data)):
        made = made_of(FRAME + ORDERS + data[:size])
        assert len(made.rows) + len(made.rejected) == 1
        whole.add(size) if made.rows else None
    kept = GetMessageClass(READ.message("shop.Order"))
    for size in whole:
        assert row_of(FRAME + ORDERS + data[:size]) == by_googles_mapping(kept.FromString(data[:size]))
    assert 20 < len(whole) < 60


def test_a_schema_that_glue_has_as_another_format_is_said() -> None:
    known = Known({VERSION: RegisteredSchema("{}", "JSON")})
    assert "it is one of JSON" in letter_of(of_glue(line(), 0), PROTO_GLUE, known).detail
    assert letter_of(of_glue(line(), 0, UUID(int=1)), PROTO_GLUE).reason is RejectReason.UNKNOWN_SCHEMA
    assert GLUE_SCHEMA.kind == "PROTOBUF"
