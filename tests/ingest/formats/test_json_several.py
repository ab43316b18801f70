"""Several JSON objects of a record, one behind the other or in arrays."""

import json
import sys

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.nesting import MAX_DEPTH
from firnline_ingest.records import rows as row_making
from firnline_ingest.records.json_values import json_values
from firnline_ingest.records.rejection import RejectReason, Unusable
from firnline_ingest.records.rows import RowMaker, Rows
from firnline_ingest.values import LAST_ROW


def convert(payload: bytes, *, several: bool = True, **more: object) -> Rows:
    document = {"stream": "s", "database": "D", "schema": "R", "metadata": {"form": "none"}, "audit": False}
    format_ = {"type": "json", "several_objects": several}
    pipeline = PipelineConfig.model_validate({**document, "format": format_, **more}, strict=None)
    return RowMaker(pipeline, "s", "shardId-000000000000").convert([Record("100", payload, "key", 1.5)])


def rows(payload: bytes, **more: object) -> list[object]:
    made = convert(payload, **more)
    assert not made.rejected, made.rejected
    return [json.loads(bytes(row)) for row in made.rows]


@pytest.mark.parametrize(
    "payload",
    [
        b'[{"a":1},{"a":2}]',
        b'{"a":1}{"a":2}',
        b'{"a":1}\n{"a":2}\n',
        b' [ { "a" : 1 } ,\r\n {"a":2} ]\t',
        b'[{"a":1}] [] {"a":2}',
        b'[{"a":1}][{"a":2}]',
        b'{\n "a": 1\n}\n{\n "a": 2\n}\n',
    ],
)
def test_each_object_is_a_row(payload: bytes) -> None:
    assert rows(payload) == [{"a": 1}, {"a": 2}]
    made = convert(payload)
    assert (list(made.indexes), list(made.row_numbers), made.ingested) == ([0, 0], [1, LAST_ROW], 1)


@pytest.mark.parametrize("text", [b'"],[{"', rb'"\"}"', rb'"\\"', b'"\xc3\xa9,"'])
def test_what_stands_in_texts_ends_no_object(text: bytes) -> None:
    payload = b'[{"a":%b},{"b":[%b,{}]}]{"c":%b}' % (text, text, text)
    value = json.loads(text)
    assert rows(payload) == [{"a": value}, {"b": [value, {}]}, {"c": value}]


@pytest.mark.parametrize(
    ("payload", "reason", "detail"),
    [
        (b"", RejectReason.EMPTY, "it has no content."),
        (b" \n", RejectReason.EMPTY, "it has no object."),
        (b"[ ] []", RejectReason.EMPTY, "it has no object."),
        (b'[{"a":1},]', RejectReason.NOT_JSON, "an array lacks an element."),
        (b'[,{"a":1}]', RejectReason.NOT_JSON, "an array lacks an element."),
        (b'{"a":1},{"a":2}', RejectReason.NOT_JSON, ", stands where a value begins."),
        (b'{"a":1}]', RejectReason.NOT_JSON, "] stands where a value begins."),
        (b'[{"a":1}}', RejectReason.NOT_JSON, "an array is closed by }."),
        (b'[{"a":1]}', RejectReason.NOT_JSON, "an array is closed by }."),
        (b'[{"a":1}', RejectReason.NOT_JSON, "an array or an object is not closed."),
        (b'[{"a":1} {"b":1}]', RejectReason.NOT_JSON, "object 1: "),
        (b'{"a":1}{"a":', RejectReason.NOT_JSON, "an array or an object is not closed."),
        (b'{"a":1}{"a:1}', RejectReason.NOT_JSON, "a text is not closed."),
        (b'"' + rb"\"" * 50_000, RejectReason.NOT_JSON, "a text is not closed."),
        (b'{"a":1}[2]', RejectReason.NOT_AN_OBJECT, "object 2: "),
        (b'{"a":1}[[{"a":2}]]', RejectReason.NOT_AN_OBJECT, "object 2: "),
        (b'{"a":1}null', RejectReason.NOT_AN_OBJECT, "object 2: "),
        (b'{"a":1}{"b":1,"B":2}', RejectReason.DUPLICATE_KEY, "object 2: "),
        (b'{"a":1}{"a":NaN}', RejectReason.NOT_JSON, "object 2: "),
    ],
)
def test_a_record_of_which_one_is_none_is_a_dead_letter_in_whole(
    payload: bytes, reason: RejectReason, detail: str
) -> None:
    made = convert(payload)
    (rejected,) = made.rejected
    assert (rejected.reason, list(made.rows)) == (reason, [])
    assert rejected.detail.startswith(detail), rejected.detail


def test_a_null_among_objects_is_no_tombstone() -> None:
    made = convert(b'{"a":1}null', empty_records="ignore")
    assert [each.reason for each in made.rejected] == [RejectReason.NOT_AN_OBJECT]
    assert not made.left_out
    assert convert(b"[]", empty_records="ignore").left_out.total() == 1


def test_any_values_go_into_one_column() -> None:
    found = rows(b'{"a":1}[2,[3],"x"]null 4', content_column="C")
    assert found == [{"C": value} for value in ({"a": 1}, 2, [3], "x", None, 4)]


def test_without_the_option_a_record_is_one_object() -> None:
    made = convert(b'{"a":1}{"a":2}', several=False)
    assert [each.reason for each in made.rejected] == [RejectReason.NOT_JSON]


BYTES = 2_000_000


@pytest.mark.parametrize(
    ("piece", "before", "behind"),
    [
        (b"[", b"", b""),
        (b'{"a":', b"", b""),
        (b"[]", b"", b""),
        (b"[[]],", b"[", b"0]"),
        (b'["a","b\\n"],', b"[[", b"0]]"),
        (b"1,", b"[[", b"0]]"),
        (b'"",', b'[{"a":[', b"0]}]"),
        (b"\\n", b'[{"a":"', b'"}]'),
        (b'[{"a":', b"[[", b""),
    ],
)
def test_few_steps_are_taken_whatever_the_bytes_are(piece: bytes, before: bytes, behind: bytes) -> None:
    steps = 0

    def count(frame: object, event: str, arg: object) -> object:
        nonlocal steps
        steps += event == "line"
        return count

    sys.settrace(count)
    try:
        for _ in json_values(before + piece * (BYTES // len(piece)) + behind):
            if steps > 10_000:
                break
    except Unusable:
        pass
    finally:
        sys.settrace(None)
    assert steps <= 11_000


def test_what_is_deeper_than_a_row_may_be_is_too_deep_before_it_ends() -> None:
    for payload in (b"[" * (MAX_DEPTH + 2), b"{" * (MAX_DEPTH + 1), b"[[[1]," * (MAX_DEPTH + 2)):
        with pytest.raises(Unusable) as refused:
            list(json_values(payload))
        assert refused.value.fault.reason is RejectReason.TOO_DEEP
    deepest = b'{"a":' * MAX_DEPTH + b"1" + b"}" * MAX_DEPTH
    assert list(json_values(b"[%b]" % deepest)) == [deepest]


def test_values_that_a_transform_leaves_out_are_in_bounds_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(row_making, "RECORD_ROWS", 100)
    nothing = [{"type": "filter", "field": "a", "exists": False}]
    made = convert(b"{}" * 101, transforms=nothing)
    assert [each.reason for each in made.rejected] == [RejectReason.TOO_LARGE]
    assert convert(b"{}" * 100, transforms=nothing).left_out.total() == 1
