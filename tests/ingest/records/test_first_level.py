import json

import msgspec
import pytest

from firnline_ingest.records.first_level import ENOUGH, MOST_DECODERS, MOST_KEYS, FirstLevel


def seen(level: FirstLevel, payload: bytes) -> list[bytes]:
    return [bytes(value) for value in level(payload)[1]]


def is_expecting(level: FirstLevel) -> bool:
    return level._expected is not None


def test_values_come_as_they_stand_in_the_payload() -> None:
    level = FirstLevel(())
    for _ in range(2 * ENOUGH):
        assert seen(level, b'{"a": 1.50, "b":"\\u00e9", "c": [1 , 2] }') == [b"1.50", b'"\\u00e9"', b"[1 , 2]"]


def test_keys_that_came_often_are_expected_and_other_keys_are_seen_all_the_same() -> None:
    level = FirstLevel(())
    for _ in range(ENOUGH):
        assert not is_expecting(level)
        level(b'{"a":1,"b":2}')
    assert is_expecting(level)
    shape, values = level(b'{"b":3,"c":4,"a":5}')
    assert [bytes(value) for value in values] == [b"3", b"4", b"5"]
    assert shape is level(b'{"b":3,"c":4,"a":5}')[0]
    assert seen(level, b'{"a":1,"b":2}') == [b"1", b"2"]


def test_keys_are_no_longer_expected_where_others_keep_coming() -> None:
    level = FirstLevel(())
    for _ in range(ENOUGH):
        level(b'{"a":1}')
    for number in range(ENOUGH):
        assert is_expecting(level)
        level(b'{"k%d":1}' % number)
    assert not is_expecting(level)


def test_a_stream_that_changes_its_keys_is_followed() -> None:
    level = FirstLevel(())
    for keys in ("ab", "abc", "ab"):
        payload = json.dumps(dict.fromkeys(keys)).encode()
        for _ in range(2 * ENOUGH):
            shape, values = level(payload)
            assert len(values) == len(keys)
        assert is_expecting(level)
        assert level._expected_shape is shape


@pytest.mark.parametrize("key", ['\\"', "\\\\", "\\n", "\\u0001", "class", "field_0", "__init__", "é", "😀"])
def test_any_key_may_come_often(key: str) -> None:
    level = FirstLevel(())
    for _ in range(2 * ENOUGH):
        assert seen(level, f'{{"{key}":1,"x":2}}'.encode()) == [b"1", b"2"]


def test_very_many_keys_are_looked_at_the_long_way() -> None:
    level = FirstLevel(())
    payload = json.dumps({f"k{number}": 1 for number in range(MOST_KEYS + 1)}).encode()
    for _ in range(2 * ENOUGH):
        assert len(seen(level, payload)) == MOST_KEYS + 1
    assert not is_expecting(level)


def test_what_was_expected_is_remembered_within_bounds() -> None:
    level = FirstLevel(())
    for number in range(MOST_DECODERS + 5):
        for _ in range(ENOUGH):
            level(b'{"k%d":1}' % number)
    assert 0 < len(level._decoders) <= MOST_DECODERS


@pytest.mark.parametrize("payload", [b"[1]", b"", b'{"a":1', b'{"a":1}{"a":1}', b'{"b":1', b'{"a":01}'])
def test_what_is_no_object_is_refused_whether_keys_are_expected_or_not(payload: bytes) -> None:
    level = FirstLevel(())
    for _ in range(ENOUGH + 1):
        with pytest.raises(msgspec.DecodeError):
            level(payload)
        level(b'{"a":1}')
