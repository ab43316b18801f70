"""Rows, rejects and reasons are the same, whichever way a record goes: plain ones, odd ones, and what is not JSON at all."""

import json
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import msgspec
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.user_record import AggregateFault, AggregateProblem, UserRecord
from firnline_ingest.native import SWITCH, NativeModule, find_native
from firnline_ingest.records import plain
from firnline_ingest.records.key_shape import TableKeys
from firnline_ingest.records.rows import RowMaker, Rows

PIPELINES: list[dict[str, Any]] = [
    {},
    {"max_row_bytes": 1024},
    {"metadata": {"push_time": True}},
    {"metadata": {"form": "columns", "partition_key": False}},
    {"metadata": dict.fromkeys(("approximate_arrival", "sequence_number", "sharded_sequence_number"), False)},
    {"metadata": {"form": "none"}},
    {"metadata": {"names": {"stream": '"str%eam"'}, "explicit_hash_key": True}},
]


@contextmanager
def only_python() -> Iterator[None]:
    kept, plain.native = plain.native, lambda: find_native({SWITCH: "off"})
    try:
        yield
    finally:
        plain.native = kept


def makers(**options: Any) -> tuple[RowMaker, RowMaker]:
    """One with firnline-native and one without."""
    named = {"stream": "orders", "database": "DB", "schema": "RAW", **options}
    pipeline, clock = PipelineConfig.model_validate(named), iter(range(1_700_000_000_000, 1_800_000_000_000, 977))
    times = [next(clock) for _ in range(1000)]
    first, second = iter(times), iter(times)
    native = RowMaker(pipeline, "or%ders", "shardId-000000000000", now_ms=lambda: next(first))
    with only_python():
        python = RowMaker(pipeline, "or%ders", "shardId-000000000000", now_ms=lambda: next(second))
    return native, python


def said(rows: Rows) -> tuple[object, ...]:
    return (
        [bytes(row) for row in rows.rows],
        list(rows.sizes),
        list(rows.indexes),
        list(rows.rejected),
        rows.taken,
        rows.unknown_keys,
        rows.unanswered_keys,
    )


def held_equal(pages: Sequence[Sequence[Record]], **options: Any) -> None:
    native, python = makers(**options)
    for page in pages:
        ours, expected = native.convert(list(page)), python.convert(list(page))
        assert said(ours) == said(expected)
        assert native.first_sights(page, ours) == python.first_sights(page, expected)


# What producers write, and what they don't.
KEYS = st.sampled_from(
    ["id", "name", "Name", "größe", "a b", "KINESISMETADATA", "", "x" * 300, "\u0000", "e\u0301", "🙂"]
)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
OBJECTS = st.dictionaries(KEYS, VALUES, max_size=5)
SEPARATORS = st.sampled_from([(",", ":"), (", ", ": "), (",", ": "), (" , ", " : "), (",\n", ":"), (",\t", ":")])


@st.composite
def payloads(draw: st.DrawFn) -> bytes:
    text = json.dumps(
        draw(OBJECTS),
        ensure_ascii=draw(st.booleans()),
        separators=draw(SEPARATORS),
        indent=draw(st.sampled_from([None, None, None, 1])),
    )
    data = draw(st.sampled_from(["", "", "", " "])) + text + draw(st.sampled_from(["", "", "", "\n", " ", "x"]))
    written = data.encode()
    if draw(st.integers(0, 5)) == 0 and written:  # a byte of it is another one
        place = draw(st.integers(0, len(written) - 1))
        written = written[:place] + bytes([draw(st.integers(0, 255))]) + written[place + 1 :]
    return written


TIMES = st.none() | st.floats(0, 4e9) | st.integers(0, 4 * 10**12).map(lambda ms: ms / 1000)
PARTITION_KEYS = st.text(max_size=12) | st.sampled_from(['"', "\\", "k\x7f", "ключ", "k\n"])


@st.composite
def records(draw: st.DrawFn) -> Record:
    return Record(
        str(draw(st.integers(0, 10**56))), draw(payloads() | st.binary(max_size=40)), draw(PARTITION_KEYS), draw(TIMES)
    )


@st.composite
def user_records(draw: st.DrawFn) -> Record:
    one = draw(records())
    fault = draw(st.sampled_from([None, None, None, AggregateFault(AggregateProblem.MISPLACED, "elsewhere.")]))
    return UserRecord(
        one.SequenceNumber,
        one.Data,
        one.PartitionKey,
        one.ApproximateArrivalTimestamp,
        draw(st.integers(0, 2**31)),
        draw(st.none() | st.text(max_size=5)),
        fault,
    )


def doubled(pages: list[list[Record]]) -> list[list[Record]]:
    """Returns what Python has judged at the first reading goes the other way at the second."""
    return [*pages, *pages, [each for page in pages for each in page]]


@pytest.mark.parametrize("options", PIPELINES, ids=lambda each: ",".join(each) or "as it is")
@settings(max_examples=40)
@given(pages=st.lists(st.lists(records(), max_size=6), max_size=3))
def test_plain_records(module: NativeModule, options: dict[str, Any], pages: list[list[Record]]) -> None:
    held_equal(doubled(pages), **options)


@settings(max_examples=60)
@given(pages=st.lists(st.lists(user_records(), max_size=6), max_size=3))
def test_records_of_aggregates(module: NativeModule, pages: list[list[Record]]) -> None:
    held_equal(doubled(pages))


NASTY = [
    b"",
    b" ",
    b"{}",
    b"{ }",
    b"[]",
    b'"text"',
    b"null",
    b"\xef\xbb\xbf{}",
    b"\x1f\x8b\x08\x00",
    b'{"a":1}',
    b'{"a": 1}',
    b'{"a" :1}',
    b'{ "a":1}',
    b'{"a":1 }',
    b'{"a":1} ',
    b'{"a":1}\n',
    b'{"a":1}{"a":1}',
    b'{"a":1,"a":2}',
    b'{"a":1,"A":2}',
    b'{"a": 1, "b": 2}',
    b'{"a": 1,"b": 2}',
    b'{"a":1, "b":2}',
    b'{"\\u0061":1}',
    b'{"\\u0061":1,"a":2}',
    b'{"a":"\\ud83d\\ude00"}',
    b'{"a":"\\ud83d"}',
    b'{"a":"\\ude00"}',
    b'{"a":"\\ud83d\\u0041"}',
    b'{"a":"\\u12"}',
    b'{"a":"\\x"}',
    b'{"a":"\x01"}',
    b'{"a":"\x7f"}',
    b'{"\x7f":1}',
    b'{"a":"\xff"}',
    b'{"a":"\xed\xa0\x80"}',
    b'{"a":"\xc0\x80"}',
    b'{"a":"\xf4\x90\x80\x80"}',
    b'{"a":01}',
    b'{"a":-}',
    b'{"a":-0}',
    b'{"a":1.}',
    b'{"a":.5}',
    b'{"a":1e}',
    b'{"a":1e+5}',
    b'{"a":1E-400}',
    b'{"a":1e999}',
    b'{"a":+1}',
    b'{"a":NaN}',
    b'{"a":tru}',
    b'{"a":trUe}',
    b'{"a":nul',
    b'{"a":[1,]}',
    b'{"a":[,1]}',
    b'{"a":{"b":1,}}',
    b'{"a":{ "b" : [ 1 , 2 ] }}',
    b'{"a":{"b":\t1}}',
    b'{"a":{"b":1\n}}',
    b'{"a":[ ]}',
    b'{"a":{"b":1,"b":2}}',
    b'{"":1}',
    b'{"a":"' + b"x" * 700 + b'"}',
    b'{"a":"' + b"x" * 1100 + b'"}',
    b'{"a": ' + b" " * 1100 + b'"x"}',
    b'{"a":' + b"[" * 63 + b"]" * 63 + b"}",
    b'{"a":' + b"[" * 64 + b"]" * 64 + b"}",
    b'{"a":' + b"[" * 511 + b"]" * 511 + b"}",
    b'{"a":' + b"[" * 512 + b"]" * 512 + b"}",
    b'{"a":' + b'{"a":' * 600 + b"1" + b"}" * 600 + b"}",
    b'{"a":"b\\\\"}',
    b'{"a":"b\\"}',
    '{"größe":"groß"}'.encode(),
    '{"größe":1}'.encode(),
    b'{"gr\\u00f6\\u00dfe":1}',
    b'{"KINESISMETADATA":1}',
    b'{"kinesismetadata":1}',
]
"""Each with its neighbours: what is plain, and what is nearly so."""


@pytest.mark.parametrize("options", PIPELINES, ids=lambda each: ",".join(each) or "as it is")
def test_nasty_payloads_in_any_company(module: NativeModule, options: dict[str, Any]) -> None:
    page = [Record(str(number), data, f"key-{number}", 1.7e9) for number, data in enumerate(NASTY)]
    held_equal([page, page, page[::-1], page * 5], **options)


@given(st.floats(-1e12, 1e15) | st.sampled_from([0.0005, 0.0015, 253402300799.999, 253402300800.0, -0.0004]))
@example(1763725995.0005)
def test_times_are_rounded_alike(module: NativeModule, arrived: float) -> None:
    page = [Record("1", b'{"a":1}', "key", 1.5), Record("2", b'{"a":1}', "key", arrived)]
    native, python = makers()
    try:
        expected = said(python.convert(page))
    except (ValueError, OverflowError, OSError) as error:
        with pytest.raises(type(error)):
            native.convert(page)
    else:
        assert said(native.convert(page)) == expected


@pytest.mark.parametrize("arrived", [float("nan"), float("inf")])
def test_what_is_no_time_is_no_row_either_way(module: NativeModule, arrived: float) -> None:
    native, python = makers()
    for maker in (native, python):
        with pytest.raises((ValueError, OverflowError)):
            maker.convert([Record("1", b'{"a":1}', "key", 1.5), Record("2", b'{"a":1}', "key", arrived)])


def test_keys_without_a_column_are_counted_alike(module: NativeModule) -> None:
    native, python = makers()
    page = [Record(str(number), b'{"a":1,"b":2,"c":3}', "key", 1.7e9) for number in range(20)]
    known = [
        TableKeys(frozenset({"a"})),
        TableKeys(frozenset({"a", "b"}), gets_more=True),
        TableKeys(frozenset({"a", "b", "c"})),
    ]
    for keys in known:
        for maker in (native, python):
            maker.set_tables({"": keys})
        assert said(native.convert(page)) == said(python.convert(page))
        assert native.unanswered(page, native.convert(page)) == python.unanswered(page, python.convert(page))


def test_a_stream_whose_keys_are_data_makes_the_same_rows(module: NativeModule) -> None:
    pages = [
        [Record(str(page * 100 + number), b'{"k%d":1}' % (page * 100 + number), "key", 1.7e9) for number in range(100)]
        for page in range(60)
    ]
    held_equal(pages)


def test_a_record_like_one_before_is_not_judged_again(module: NativeModule, monkeypatch: pytest.MonkeyPatch) -> None:
    """Else the wheel would be there and do nothing."""
    native, _ = makers()
    page = [Record(str(number), b'{"a":%d}' % number, "key", 1.7e9) for number in range(100)]
    native.convert(page)
    judged: list[bytes] = []
    check = native._plain._check
    monkeypatch.setattr(native._plain, "_check", lambda data: judged.append(data) or check(data))
    assert len(native.convert(page).rows) == 100
    assert judged == []


def test_the_row_of_a_record_is_its_own_bytes_behind_the_metadata(module: NativeModule) -> None:
    native, _ = makers()
    page = [Record(str(number), b'{"a": "\\u00e9%d"}' % number, "key", 1.7e9) for number in range(3)]
    for row, record in zip(native.convert(page).rows, page, strict=True):
        assert bytes(row).endswith(b"," + record.Data[1:])
        assert msgspec.json.decode(row)["a"] == json.loads(record.Data)["a"]
