"""Tests of what a payload may be. The oracle is Python's own parser, which is slow and sees every pair."""

import json
from random import Random
from typing import Any
from unicodedata import ucd_3_2_0

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from firnline_ingest.records.first_level import ENOUGH
from firnline_ingest.records.json_object import JsonObjectCheck
from firnline_ingest.records.key_shape import column_key
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

COLUMN = "KINESISMETADATA"


def fate(payload: bytes) -> bytes | RejectReason:
    """The line that is sent, or why there is none."""
    try:
        return JsonObjectCheck([COLUMN])(payload)
    except Unusable as unusable:
        return unusable.fault.reason


def fault(payload: bytes) -> Rejection:
    with pytest.raises(Unusable) as raised:
        JsonObjectCheck([COLUMN])(payload)
    return raised.value.fault


ACCEPTED = {
    "plain": b'{"a":1}',
    "no members": b"{}",
    "python's spacing": b'{"a": 1, "b": {"c": [1, 2]}}',
    "an integer of 40 digits": b'{"a":' + b"9" * 40 + b"}",
    "a number beyond a double": b'{"a":1e999}',
    "an escaped NUL in a value": b'{"a":"\\u0000"}',
    "a key with an escape that it needs": b'{"a\\"b":1}',
    "non-ASCII text": '{"café":"日本","😀":1}'.encode(),
    "non-ASCII text, escaped": b'{"caf\\u00e9":"\\u65e5","\\ud83d\\ude00":1}',
    "the metadata's name further down": b'{"a":{"kinesisMetadata":1}}',
    "the same key further down, twice": b'{"a":{"b":1,"b":2}}',
}


@pytest.mark.parametrize("payload", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_an_object_is_sent_as_it_is(payload: bytes) -> None:
    assert fate(payload) == payload


MINIFIED = {
    "pretty printed": (b'{\n  "a": 1,\r\n  "b": [ 1, 2 ]\n}\n', b'{"a":1,"b":[1,2]}'),
    "blanks around": (b'  {"a":1}  ', b'{"a":1}'),
    "blanks inside the braces": (b'{ "a" : 1 }', b'{"a":1}'),
    "tabs": (b'{\t"a":\t1}', b'{"a":1}'),
    "no members": (b"{ }", b"{}"),
    "blanks in a text stay": (b'{ "a" : " x  y " }', b'{"a":" x  y "}'),
    "numbers keep their digits": (b'{"a":\n[1.50, 1E5, -0]}', b'{"a":[1.50,1E5,-0]}'),
    "a line break in a value": (b'{"a":[1,\n2]}', b'{"a":[1,2]}'),
    "a carriage return in a value": (b'{"a":[1,\r2]}', b'{"a":[1,2]}'),
}


@pytest.mark.parametrize(("payload", "line"), MINIFIED.values(), ids=MINIFIED.keys())
def test_blanks_that_are_not_pythons_are_taken_out(payload: bytes, line: bytes) -> None:
    assert fate(payload) == line


REJECTED = {
    "nothing": (b"", RejectReason.EMPTY),
    "blanks only": (b" \n", RejectReason.EMPTY),
    "a byte order mark": (b'\xef\xbb\xbf{"a":1}', RejectReason.NOT_JSON),
    "an array": (b'[{"a":1}]', RejectReason.NOT_AN_OBJECT),
    "a number": (b"12", RejectReason.NOT_AN_OBJECT),
    "null": (b"null", RejectReason.NOT_AN_OBJECT),
    "two objects": (b'{"a":1}{"b":2}', RejectReason.NOT_JSON),
    "two objects on two lines": (b'{"a":1}\n{"b":2}', RejectReason.NOT_JSON),
    "cut short": (b'{"a":1', RejectReason.NOT_JSON),
    "a trailing comma": (b'{"a":1,}', RejectReason.NOT_JSON),
    "a trailing comma before a line break": (b'{"a":1,\n}', RejectReason.NOT_JSON),
    "single quotes": (b"{'a':1}", RejectReason.NOT_JSON),
    "NaN": (b'{"a":NaN}', RejectReason.NOT_JSON),
    "Infinity": (b'{"a":-Infinity}', RejectReason.NOT_JSON),
    "a leading zero": (b'{"a":01}', RejectReason.NOT_JSON),
    "a plus sign": (b'{"a":+1}', RejectReason.NOT_JSON),
    "a point without digits": (b'{"a":1.}', RejectReason.NOT_JSON),
    "a control character": (b'{"a":"x\x01y"}', RejectReason.NOT_JSON),
    "a line break in a text": (b'{"a":"x\ny"}', RejectReason.NOT_JSON),
    "a tab in a text": (b'{"a":"x\ty"}', RejectReason.NOT_JSON),
    "an unknown escape": (b'{"a":"\\q"}', RejectReason.NOT_JSON),
    "a short escape": (b'{"a":"\\u12"}', RejectReason.NOT_JSON),
    "a lone surrogate": (b'{"a":"\\ud800"}', RejectReason.NOT_JSON),
    "a lone surrogate in a key": (b'{"\\ud800":1}', RejectReason.NOT_JSON),
    "a comment": (b'{"a":1 /*c*/}', RejectReason.NOT_JSON),
    "UTF-16": ('{"a":1}'.encode("utf-16-le"), RejectReason.NOT_JSON),
    "gzip": (b"\x1f\x8b\x08\x00", RejectReason.NOT_JSON),
    "bytes that are not UTF-8": (b'{"a":"\xff\xfe"}', RejectReason.INVALID_UTF8),
    "a key that is not UTF-8": (b'{"a":1,"\xff":1}', RejectReason.INVALID_UTF8),
    "over-long UTF-8": (b'{"a":"\xc0\x80"}', RejectReason.INVALID_UTF8),
    "a surrogate in UTF-8": (b'{"a":"\xed\xa0\x80"}', RejectReason.INVALID_UTF8),
    "too deep": (b'{"a":' * 600 + b"1" + b"}" * 600, RejectReason.TOO_DEEP),
    "too deep for the interpreter": (b'{"a":' * 20_000 + b"1" + b"}" * 20_000, RejectReason.TOO_DEEP),
    "too deep, with a line break": (b"\n" + b'{"a":' * 20_000 + b"1" + b"}" * 20_000, RejectReason.TOO_DEEP),
    "the metadata's own name": (b'{"a":1,"KINESISMETADATA":{}}', RejectReason.METADATA_CLASH),
    "the metadata's name in other letters": (b'{"kinesisMetadata":1}', RejectReason.METADATA_CLASH),
    "the metadata's name, escaped": (b'{"kinesis\\u004detadata":1}', RejectReason.METADATA_CLASH),
    "the metadata's name with a long s": ('{"kine\u017fi\u017fmetadata":1}'.encode(), RejectReason.METADATA_CLASH),
    "keys that differ in case": (b'{"name":1,"b":2,"NAME":3}', RejectReason.DUPLICATE_KEY),
    "keys that differ in case, beyond ASCII": ('{"é":1,"É":3}'.encode(), RejectReason.DUPLICATE_KEY),
    "a key twice": (b'{"a":1,"a":2}', RejectReason.DUPLICATE_KEY),
    "a key twice, the same value": (b'{"a":1,"b":1,"a":1}', RejectReason.DUPLICATE_KEY),
    "a key twice, once escaped": (b'{"a":1,"\\u0061":2}', RejectReason.DUPLICATE_KEY),
    "a key twice, in python's spacing": (b'{"a": 1, "bb": 2, "ccc": 3, "a": 1}', RejectReason.DUPLICATE_KEY),
    "a key twice, as many bytes as spacing takes": (b'{"a":1,"b":2,"c":3,"a":1}', RejectReason.DUPLICATE_KEY),
    "a key twice, pretty printed": (b'{\n"a": 1,\n"a": 2\n}', RejectReason.DUPLICATE_KEY),
    "an empty key": (b'{"":1}', RejectReason.UNUSABLE_KEY),
    "a key with a NUL": (b'{"a\\u0000":1}', RejectReason.UNUSABLE_KEY),
    "a key with a line break": (b'{"a\\nb":1}', RejectReason.UNUSABLE_KEY),
    "a key with a tab": (b'{"a\\tb":1}', RejectReason.UNUSABLE_KEY),
    "a key with an escape": (b'{"\\u001b[31mred":1}', RejectReason.UNUSABLE_KEY),
    "a key with a direction": ('{"\u202eabc":1}'.encode(), RejectReason.UNUSABLE_KEY),
    "a key of a blank without width": ('{"\u200b":1}'.encode(), RejectReason.UNUSABLE_KEY),
    "a key with a line separator": ('{"a\u2028b":1}'.encode(), RejectReason.UNUSABLE_KEY),
    "a key with a DEL": (b'{"a\x7f":1}', RejectReason.UNUSABLE_KEY),
    "a key too long for a column": (b'{"' + b"k" * 256 + b'":1}', RejectReason.UNUSABLE_KEY),
}


@pytest.mark.parametrize(("payload", "reason"), REJECTED.values(), ids=REJECTED.keys())
def test_what_can_t_be_a_row_is_rejected_with_its_reason(payload: bytes, reason: RejectReason) -> None:
    assert fate(payload) == reason


def test_every_reason_is_among_the_cases_but_those_of_a_row_and_of_other_formats() -> None:
    assert {reason for _, reason in REJECTED.values()} == set(RejectReason) - {
        RejectReason.TOO_LARGE,
        RejectReason.REFUSED,
        RejectReason.BROKEN_AGGREGATE,
        RejectReason.MISPLACED,
        RejectReason.UNKNOWN_SCHEMA,
        RejectReason.NOT_PACKED,
        RejectReason.MALFORMED,
        RejectReason.TRANSFORM_FAILED,
        RejectReason.NO_ROUTE,
    }


@pytest.mark.parametrize(
    ("payload", "detail"),
    [
        (b"\x1f\x8b\x08", "it begins like gzip."),
        (b"\xf3\x89\x9a\xc2rest", "it begins like a KPL aggregate."),
        (b'{"a":1,"\xff":1}', "it is not UTF-8 from byte 8 on."),
        (b"[1]", "Expected object, got array."),
        (b'{"a":1,"b":1,"a":1,"a":1}', "the key 'a' occurs 3 times."),
        (b'{"kinesisMetadata":1}', "the key 'kinesisMetadata' is the metadata column KINESISMETADATA."),
    ],
)
def test_the_detail_says_what_is_wrong_with_this_record(payload: bytes, detail: str) -> None:
    assert fault(payload).detail == detail


@pytest.mark.parametrize("key", ["plain", "caf\\u00e9", "\\ud83d\\ude00", "café", "😀", 'a\\"b', "a\\\\b", "\\ufffd"])
@pytest.mark.parametrize("layout", ['{"%s":1,"x":2}', '{"%s": 1, "x": 2}', '{\n  "%s": 1,\n  "x": 2\n}'])
def test_keys_as_serialisers_write_them_need_no_slow_look(
    key: str, layout: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    slow_looks: list[bytes] = []
    monkeypatch.setattr("firnline_ingest.records.json_object._refuse_duplicates", slow_looks.append)
    assert isinstance(fate((layout % key).encode()), bytes)
    assert not slow_looks


def test_a_key_of_255_characters_can_name_a_column() -> None:
    payload = b'{"' + b"k" * 255 + b'":1}'
    assert fate(payload) == payload


def test_without_metadata_no_name_is_reserved() -> None:
    assert JsonObjectCheck(())(b'{"kinesisMetadata":1}') == b'{"kinesisMetadata":1}'


class Pairs(list[tuple[str, Any]]):
    """An object as Python's parser found it, nothing merged."""


def pairs(payload: bytes) -> Pairs:
    """Raises ValueError where Python, told to be strict, finds no JSON object."""

    def no_constant(name: str) -> None:
        raise ValueError(name)

    found = json.loads(
        payload.decode(), object_pairs_hook=Pairs, parse_constant=no_constant, parse_int=str, parse_float=str
    )
    json.dumps(found, ensure_ascii=False).encode()  # lone surrogates
    if not isinstance(found, Pairs):
        raise ValueError("no object")
    return found


def is_usable(payload: bytes) -> bool:
    try:
        keys = [key for key, _ in pairs(payload)]
    except ValueError:
        return False
    columns = [column_key(key) for key in keys]
    return (
        len(set(columns)) == len(columns)
        and column_key(COLUMN) not in columns
        and all(0 < len(key) <= 255 and not any(map(is_unseen, key)) for key in keys)
    )


def is_unseen(character: str) -> bool:
    return character in "\u200b\u061c\u2066\u2067\u2068\u2069" or ucd_3_2_0.category(character) in (
        "Cc",
        "Cf",
        "Zl",
        "Zp",
    )


KEYS = [
    "a",
    "b",
    "A",
    "é",
    "É",
    "k\\u0065y",
    "key",
    "\\u00e9",
    "x y",
    '\\"',
    "\\/",
    "/",
    "\x7f",
    "日",
    "😀",
    "\\ud83d\\ude00",
]
ODD_KEYS = ["", "\\u0000", "kinesisMetadata", "kinesis\\u004detadata", "\\ud800", "ß", "SS"]
VALUES = [
    "1",
    "1.5e3",
    "1E400",
    "null",
    '"x"',
    '"a\\"b: {"',
    '" \\n"',
    "{}",
    '{"a":1,"a" : 2}',
    '[1 , {"b":[ ]}]',
    '"é 日"',
]
ODD_VALUES = ["01", "NaN", "tru", '"\\ud800"', '"\n"', "9" * 50, "1 2"]
BLANKS = ["", "", "", " ", "\n", "\t", "\r"]


@st.composite
def payloads(draw: st.DrawFn) -> bytes:
    """Objects from compact to wild, with keys that clash now and then."""
    keys = draw(st.lists(st.sampled_from(KEYS + ODD_KEYS if draw(st.booleans()) else KEYS), max_size=5))
    values = [draw(st.sampled_from(VALUES + ODD_VALUES if draw(st.integers(0, 9)) == 0 else VALUES)) for _ in keys]
    style = draw(st.sampled_from(["compact", "python", "any"]))
    if style == "python":
        text = "{" + ", ".join(f'"{key}": {value}' for key, value in zip(keys, values, strict=True)) + "}"
    else:
        blank = st.sampled_from(BLANKS) if style == "any" else st.just("")
        members = [
            f'{draw(blank)}"{key}"{draw(blank)}:{draw(blank)}{value}{draw(blank)}'
            for key, value in zip(keys, values, strict=True)
        ]
        text = f"{draw(blank)}{{{draw(blank)}{','.join(members)}}}{draw(blank)}"
    return text.encode()


@given(payloads())
@example(b'{"a": 1, "b": 2,"c":3}')
@example(b'{"\\u0061": 1}')
def test_the_check_agrees_with_a_parser_that_sees_every_pair(payload: bytes) -> None:
    found = fate(payload)
    assert isinstance(found, bytes) == is_usable(payload)
    if isinstance(found, bytes):
        assert pairs(found) == pairs(payload)
        assert b"\n" not in found
        assert b"\r" not in found


@given(payloads(), st.integers(min_value=0), st.binary(min_size=0, max_size=2))
def test_the_check_agrees_about_damaged_payloads(payload: bytes, at: int, damage: bytes) -> None:
    at %= len(payload)
    damaged = payload[:at] + damage + payload[at + 1 :]
    assert isinstance(fate(damaged), bytes) == is_usable(damaged)


def fates(check: JsonObjectCheck, several: list[bytes]) -> list[bytes | RejectReason]:
    found: list[bytes | RejectReason] = []
    for payload in several:
        try:
            found.append(check(payload))
        except Unusable as unusable:
            found.append(unusable.fault.reason)
    return found


@given(st.lists(payloads(), min_size=1, max_size=3), st.lists(payloads(), max_size=10))
def test_what_was_checked_before_changes_no_verdict(usual: list[bytes], several: list[bytes]) -> None:
    check = JsonObjectCheck([COLUMN])
    for payload in usual:
        fates(check, [payload] * (ENOUGH + 1))
        assert fates(check, [*several, *usual]) == [fate(one) for one in [*several, *usual]]


@pytest.mark.parametrize("usual", [b'{"/":1,"a":1}', b'{"\\/":1,"a":1}', b'{"a":1,"/":1}', b'{"/": 1, "a": 1}'])
@pytest.mark.parametrize(
    "payload", [b'{"a": 1, "/": 1}', b'{"a":1,"/":1}', b'{"a" : 1,"/":1}', b'{"a": 1, "\\/": 1}', b'{"a": 1, "/": 1 }']
)
def test_a_row_is_the_same_whatever_order_of_its_keys_was_usual(usual: bytes, payload: bytes) -> None:
    check = JsonObjectCheck([COLUMN])
    fates(check, [usual] * (ENOUGH + 1))
    assert fates(check, [payload]) == [fate(payload)]


@pytest.mark.parametrize("payload", [b'{"":1,"kinesisMetadata":2}', b'{"b":1,"B":2,"a":1,"A":2}'])
def test_a_rejection_is_the_same_whatever_order_of_its_keys_was_usual(payload: bytes) -> None:
    check = JsonObjectCheck([COLUMN])
    usual = json.dumps(dict(reversed(json.loads(payload).items()))).encode()
    fates(check, [usual] * (ENOUGH + 1))
    with pytest.raises(Unusable) as raised:
        check(payload)
    assert raised.value.fault == fault(payload)


@pytest.mark.parametrize("payload", [b'{"\xff" 1}', b'{"\xff"', b'{"b" 1}', b'{"a":1,"\xff":2', b"[" * 2_000, b""])
def test_a_malformed_record_is_refused_for_the_same_reason_whatever_keys_were_usual(payload: bytes) -> None:
    check = JsonObjectCheck([COLUMN])
    fates(check, [b'{"a":1}'] * (ENOUGH + 1))
    with pytest.raises(Unusable) as raised:
        check(payload)
    assert raised.value.fault == fault(payload)


@given(
    st.dictionaries(st.sampled_from([key for key in KEYS if key not in "AÉ"]), st.sampled_from(VALUES), min_size=2),
    st.randoms(use_true_random=False),
    st.sampled_from([", ", ",", " ,"]),
)
def test_the_order_of_keys_that_was_usual_changes_no_row(members: dict[str, str], random: Random, comma: str) -> None:
    usual = [f'"{key}": {value}' for key, value in members.items()]
    other = random.sample(usual, len(usual))
    check = JsonObjectCheck([COLUMN])
    fates(check, [f"{{{comma.join(usual)}}}".encode()] * (ENOUGH + 1))
    payload = f"{{{comma.join(other)}}}".encode()
    assert fates(check, [payload]) == [fate(payload)]


@pytest.mark.parametrize("payload", [*REJECTED.values(), *MINIFIED.values()], ids=[*REJECTED, *MINIFIED])
def test_expecting_other_keys_changes_no_verdict(payload: tuple[bytes, bytes | RejectReason]) -> None:
    check = JsonObjectCheck([COLUMN])
    fates(check, [b'{"a":1}'] * (ENOUGH + 1))
    assert fates(check, [payload[0]]) == [payload[1]]


@pytest.mark.parametrize("text", [r"\ud800", r"\udc00", r"\ud800\u0041", r"a\uDBFF"])
@pytest.mark.parametrize("form", ['{{"id":1,"x":"{}"}}', '{{"{}":1}}', '{{"a":{{"b":["{}"]}}}}'])
def test_half_a_surrogate_pair_is_called_so(form: str, text: str) -> None:
    """msgspec says that the input was truncated."""
    with pytest.raises(Unusable) as raised:
        JsonObjectCheck([COLUMN])(form.format(text).encode())
    assert raised.value.fault.detail == "it has half of a surrogate pair, which is not a character."


@pytest.mark.parametrize("payload", [rb'{"x":"\ud83d\ude00"', rb'{"x":"\\ud800"', b'{"x":"\\ud800', b'{"x":"\\ud800"'])
def test_what_ends_too_soon_is_not_called_half_a_pair(payload: bytes) -> None:
    with pytest.raises(Unusable) as raised:
        JsonObjectCheck([COLUMN])(payload)
    assert raised.value.fault.detail != "it has half of a surrogate pair, which is not a character."
