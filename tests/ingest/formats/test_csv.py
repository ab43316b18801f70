"""Lines of fields, as RFC 4180 has them and as people write them."""

from typing import Any

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.records.rejection import RejectReason

from .making import convert, rejected, values

AB = {"type": "csv", "columns": ["a", "b"]}


@pytest.mark.parametrize(
    ("format_", "payload", "rows"),
    [
        (AB, b"1,2", [{"A": "1", "B": "2"}]),
        (AB, b"1,2\n\n3,4\r\n", [{"A": "1", "B": "2"}, {"A": "3", "B": "4"}]),
        (AB, b"1,\n,\n", [{"A": "1", "B": None}, {"A": None, "B": None}]),
        (AB, b'"x,y","say ""hi"""\n', [{"A": "x,y", "B": 'say "hi"'}]),
        (AB, b'"two\nlines",2\n3,4', [{"A": "two\nlines", "B": "2"}, {"A": "3", "B": "4"}]),
        (AB, '"é\u2028",ü'.encode(), [{"A": "é\u2028", "B": "ü"}]),
        (AB, b" 1 , 2 ", [{"A": " 1 ", "B": " 2 "}]),
        ({**AB, "delimiter": "\t"}, b"1,0\t2", [{"A": "1,0", "B": "2"}]),
        ({**AB, "quote": "'"}, b"'1,0',\"2\"", [{"A": "1,0", "B": '"2"'}]),
        ({**AB, "quote": None}, b'"1,2"', [{"A": '"1', "B": '2"'}]),
        ({**AB, "header": True}, b"x,y\n1,2", [{"A": "1", "B": "2"}]),
        ({"type": "csv", "header": True}, b'\xef\xbb\xbfid,"Full Name"\n1,2', [{"id": "1", "Full Name": "2"}]),
        ({"type": "csv", "columns": ['"a b"', "C"]}, b"1,2", [{"a b": "1", "C": "2"}]),
    ],
)
def test_each_line_is_a_row_of_texts(format_: dict[str, Any], payload: bytes, rows: list[dict[str, Any]]) -> None:
    assert values(convert(format_, payload)) == rows


@pytest.mark.parametrize(
    ("format_", "payload", "reason", "detail"),
    [
        (AB, b"1,2\n1,2,3", RejectReason.MALFORMED, "line 2 has 3 fields, and there are 2 columns."),
        (AB, b"1", RejectReason.MALFORMED, "line 1 has 1 fields, and there are 2 columns."),
        (AB, b'1,"2', RejectReason.MALFORMED, "line 1: "),
        (AB, b'1,"2"3', RejectReason.MALFORMED, "line 1: "),
        (AB, b"1,\xff", RejectReason.INVALID_UTF8, "it is not UTF-8 from byte 2 on."),
        (AB, b"\n\r\n", RejectReason.EMPTY, "it has no line of fields."),
        ({"type": "csv", "header": True}, b"a,b\n", RejectReason.EMPTY, "it has no line of fields."),
        ({"type": "csv", "header": True}, b"a,A\n1,2", RejectReason.DUPLICATE_KEY, "the keys "),
        ({"type": "csv", "header": True}, b"a,\n1,2", RejectReason.UNUSABLE_KEY, "'' can't name a column"),
        (
            {"type": "csv", "header": True},
            b"a,kinesismetadata\n1,2",
            RejectReason.METADATA_CLASH,
            "the key 'kinesismetadata'",
        ),
        ({**AB, "header": True}, b"a,b,c\n1,2,3", RejectReason.MALFORMED, "line 2 has 3 fields"),
    ],
)
def test_what_could_only_be_guessed_at_is_a_letter(
    format_: dict[str, Any], payload: bytes, reason: RejectReason, detail: str
) -> None:
    one = rejected(format_, payload)
    assert one.reason is reason
    assert one.detail.startswith(detail)


def test_a_field_may_be_larger_than_pythons_csv_takes_by_itself() -> None:
    (row,) = values(convert(AB, b"1," + b"x" * 200_000))
    assert len(row["B"]) == 200_000


@pytest.mark.parametrize(
    ("section", "said"),
    [
        ({}, "give columns: .*, or header: true"),
        ({"columns": ["a", '"A"']}, "columns has a name twice"),
        ({"columns": ['"a"', "A"]}, "columns has a name twice"),
        ({"columns": ["a"], "delimiter": '"'}, "two characters"),
        ({"columns": ["a"], "delimiter": "\n"}, "line break"),
        ({"columns": ["a"], "delimiter": "ab"}, "at most 1 character"),
        ({"columns": ["a b"]}, "is not a valid Snowflake identifier"),
    ],
)
def test_a_format_that_makes_no_sense_is_refused_before_anything_is_read(section: dict[str, Any], said: str) -> None:
    document = {"stream": "s", "database": "D", "schema": "R", "format": {"type": "csv", **section}}
    with pytest.raises(ValueError, match=said):
        PipelineConfig.model_validate(document)


def test_a_line_with_nothing_in_it_is_none_and_a_blank_is_a_field() -> None:
    one = {"type": "csv", "columns": ["a"]}
    assert values(convert(one, b"\n 1\n\n  ")) == [{"A": " 1"}, {"A": "  "}]
    assert rejected(one, b"\n\r\n").reason is RejectReason.EMPTY
