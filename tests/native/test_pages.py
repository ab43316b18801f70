"""A page in CBOR says what the same page in JSON says; whatever else comes is refused, and never half read."""

import base64
import json
import random
from struct import pack
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firnline_ingest.kinesis.cbor import CborPages
from firnline_ingest.kinesis.page import Record, RecordPage, decode_page
from firnline_ingest.native import NativeModule
from firnline_local.kinesis import cbor

RECORDS = st.lists(
    st.fixed_dictionaries(
        {"SequenceNumber": st.integers(0, 10**56).map(str)},
        optional={
            "Data": st.binary(max_size=300),
            "PartitionKey": st.text(max_size=30),
            "ApproximateArrivalTimestamp": st.none() | st.integers(0, 2 * 10**12).map(lambda ms: ms / 1000),
            "EncryptionType": st.sampled_from(["NONE", "KMS"]),
            "New": st.recursive(st.none() | st.booleans() | st.integers(-(2**63), 2**63), st.lists, max_leaves=5),
        },
    ),
    max_size=5,
)
CHILDREN = st.lists(
    st.fixed_dictionaries(
        {"ShardId": st.text(max_size=20)},
        optional={
            "ParentShards": st.lists(st.text(max_size=20), max_size=2),
            "HashKeyRange": st.dictionaries(
                st.sampled_from(["StartingHashKey", "EndingHashKey"]), st.text(max_size=39)
            ),
        },
    ),
    max_size=2,
)
PAGES = st.fixed_dictionaries(
    {"Records": RECORDS},
    optional={
        "NextShardIterator": st.none() | st.text(max_size=40),
        "MillisBehindLatest": st.none() | st.integers(0, 2**40),
        "ChildShards": st.none() | CHILDREN,
        "New": st.none() | st.lists(st.text(max_size=5), max_size=2),
    },
)
PAGE = {
    "Records": [
        {
            "SequenceNumber": "495903382714902566085596925383615710959215759891365888",
            "Data": b'{"a":1}',
            "PartitionKey": "k",
            "ApproximateArrivalTimestamp": 1763725995.123,
        }
    ]
    * 2,
    "NextShardIterator": "AAAA",
    "MillisBehindLatest": 5,
    "ChildShards": [{"ShardId": "shardId-000000000001", "ParentShards": ["a"], "HashKeyRange": {}}],
}


def in_json(page: Any) -> bytes:
    return json.dumps(page, default=lambda data: base64.b64encode(data).decode()).encode()


def in_cbor(page: Any) -> bytes:
    return cbor.answer_as_cbor(in_json(page))


def open_ended(item: bytes) -> bytes:
    """The same map with an open length, as streaming writers end it; of fewer than 24 pairs."""
    assert item[0] >> 5 == 5
    return b"\xbf" + item[1:] + b"\xff"


@settings(max_examples=200)
@given(PAGES)
def test_it_says_what_the_same_page_in_json_says(module: NativeModule, page: dict[str, Any]) -> None:
    expected = decode_page(in_json(page))
    assert CborPages(module).page(in_cbor(page)) == expected
    assert CborPages(module).page(open_ended(in_cbor(page))) == expected


def test_a_page_cut_short_at_any_byte_is_refused(module: NativeModule) -> None:
    whole = in_cbor(PAGE)
    for size in range(len(whole)):
        with pytest.raises(ValueError, match="cut short"):
            CborPages(module).page(whole[:size])


def test_what_follows_a_page_is_refused(module: NativeModule) -> None:
    with pytest.raises(ValueError, match="more bytes than the answer has"):
        CborPages(module).page(in_cbor(PAGE) + b"\0")


@pytest.mark.parametrize(
    ("body", "why"),
    [
        (b"\xa0", "it has no Records"),
        (cbor.encode({"message": None}), "it has no Records"),
        (cbor.encode([]), "where an answer is expected"),
        (cbor.encode({"Records": None}), "where records are expected"),
        (cbor.encode({"Records": [[]]}), "where a record is expected"),
        (cbor.encode({"Records": [{}]}), "without its SequenceNumber"),
        (cbor.encode({"Records": [{"SequenceNumber": 1}]}), "where a text is expected"),
        (b"\xa1\x67Records\x81\xa1\x64Data\x01", "where bytes are expected"),
        (b"\xa1\x67Records\x81\xa1\x64Data\x63e3 ", "base64"),
        (b"\xa1\x67Records\x81\xa1\x64Data\x63e30", "(?i)padding"),
        (cbor.encode({"Records": [{"ApproximateArrivalTimestamp": "now"}]}), "where a time is expected"),
        (b"\xa1\x67Records\x81\xa1\x6cPartitionKey\x62\xff\xff", "not UTF-8"),
        (b"\xa1\x67Records\x81\xa1\x63New" + b"\x81" * 100_000 + b"\0", "nested too deep"),
        (b"\xa1\x63New" + b"\x81" * 100_000 + b"\0", "nested too deep"),
        (b"\xa1\x67Records\x9b\xff\xff\xff\xff\xff\xff\xff\xff", "cut short"),
        (b"\xa1\x67Records\x81\xa1\x64Data\x5b\xff\xff\xff\xff\xff\xff\xff\xff", "cut short"),
        (b"\xbb\xff\xff\xff\xff\xff\xff\xff\xff", "cut short"),
        (b"\xa1\x67Records\x81\xa1\x64Data\x5f\x61x\xff", "a piece of another kind"),
        (b"\x1c", "begins no item"),
        (b"", "cut short"),
        (b'{"Records":[]}', "where an answer is expected"),
        (b"<html></html>", "begins no item"),
    ],
)
def test_anything_else_is_refused_with_its_place(module: NativeModule, body: bytes, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        CborPages(module).page(body)


def test_a_field_of_another_type_is_refused_as_in_json(module: NativeModule) -> None:
    for wrong in ({"NextShardIterator": 7}, {"MillisBehindLatest": "x"}, {"ChildShards": [{}]}, {"ChildShards": 7}):
        page = {"Records": [], **wrong}
        with pytest.raises(msgspec.ValidationError):
            decode_page(in_json(page))
        with pytest.raises(msgspec.ValidationError):
            CborPages(module).page(in_cbor(page))


def test_data_may_be_base64_in_a_text(module: NativeModule) -> None:
    """Data as kinesis-mock and kinesalite write it."""
    body = b"\xa1\x67Records\x81\xa2\x6eSequenceNumber\x611\x64Data\x64e30="
    assert CborPages(module).page(body) == RecordPage([Record("1", b"{}")])


def test_texts_and_bytes_may_come_in_pieces(module: NativeModule) -> None:
    number = b"\x7f\x6249\x645905\xff"
    body = b"\xa1\x67Records\x9f\xbf\x6eSequenceNumber" + number + b"\x64Data\x5f\x41{\x42}\n\xff\xff\xff"
    assert CborPages(module).page(body) == RecordPage([Record("495905", b"{}\n")])


@pytest.mark.parametrize(
    ("written", "seconds"),
    [
        (b"\xc1\x1b" + pack(">Q", 1763725969811), 1763725969.811),  # as the Java SDK reads it: a tag, and milliseconds
        (b"\x1b" + pack(">Q", 1763725969811), 1763725969.811),
        (b"\xc1\xfb" + pack(">d", 1763725969.811), 1763725969.811),  # CBOR's own: a tag, and seconds
        (b"\xf6", None),
        (b"\xf9\x3e\x00", 1.5),
    ],
)
def test_a_time_is_milliseconds_if_it_is_a_whole_number(
    module: NativeModule, written: bytes, seconds: float | None
) -> None:
    body = b"\xa1\x67Records\x81\xa2\x6eSequenceNumber\x611\x78\x1bApproximateArrivalTimestamp" + written
    (record,) = CborPages(module).page(body).Records
    assert record.ApproximateArrivalTimestamp == seconds


@given(st.binary(max_size=60) | st.integers(0, 10**6).map(lambda seed: mutated(in_cbor(PAGE), seed)))
@example(b"\xa1\x67Records\x80")
def test_bytes_of_any_kind_are_a_page_or_refused(module: NativeModule, body: bytes) -> None:
    try:
        page = CborPages(module).page(body)
    except (ValueError, msgspec.ValidationError):
        return
    assert all(isinstance(record.Data, bytes) and record.SequenceNumber is not None for record in page.Records)


def mutated(body: bytes, seed: int) -> bytes:
    """A few bytes of it are others, are missing, or come twice."""
    chance, changed = random.Random(seed), bytearray(body)
    for _ in range(chance.randint(1, 4)):
        place = chance.randrange(len(changed))
        match chance.randrange(3):
            case 0:
                changed[place] = chance.randrange(256)
            case 1:
                del changed[place]
            case 2:
                changed.insert(place, changed[place])
    return bytes(changed)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**64), 2**64 - 1) | st.floats(allow_nan=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)


@given(VALUES)
def test_any_other_answer_is_read_as_it_was_written(module: NativeModule, value: object) -> None:
    assert module.decode_value(cbor.encode(value)) == value
