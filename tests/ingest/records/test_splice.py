import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.records.json_object import JsonObjectCheck
from firnline_ingest.records.metadata import splice

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=10,
)
OBJECTS = st.dictionaries(st.text('abcdefg_ é"\\', min_size=1, max_size=8), VALUES, max_size=6)
LAYOUTS: st.SearchStrategy[dict[str, Any]] = st.sampled_from(
    [{"separators": (",", ":")}, {}, {"indent": 2}, {"indent": "\t"}, {"separators": (" , ", " : ")}]
)


@given(document=OBJECTS, layout=LAYOUTS, is_ascii=st.booleans(), metadata=VALUES)
def test_a_spliced_payload_parses_to_the_metadata_followed_by_the_payload(
    document: dict[str, Any], layout: dict[str, Any], is_ascii: bool, metadata: Any
) -> None:
    payload = json.dumps(document, ensure_ascii=is_ascii, **layout).encode()
    head = ('{"META":' + json.dumps(metadata)).encode()
    row = splice(head, JsonObjectCheck(["META"])(payload))
    assert list(json.loads(row).items()) == [("META", metadata), *document.items()]
    assert b"\n" not in row


def test_no_comma_stands_before_an_empty_body() -> None:
    assert splice(b'{"META":1', b"{}") == b'{"META":1}'
    assert splice(b'{"META":1', b"{ }") == b'{"META":1}'


def test_blanks_before_the_first_key_are_not_in_the_way() -> None:
    assert splice(b'{"META":1', b' { "a": 1 }') == b'{"META":1,"a": 1 }'


def test_without_a_head_the_payload_stays_as_it_is() -> None:
    assert splice(b"", b'{"a":1}') == b'{"a":1}'
