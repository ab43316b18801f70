import json
import sys
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest import nesting
from firnline_ingest.nesting import MAX_DEPTH, is_too_deep
from firnline_ingest.records.json_object import JsonObjectCheck
from firnline_ingest.records.rejection import RejectReason, Unusable


def objects(depth: int) -> bytes:
    return b'{"a":' * depth + b"1" + b"}" * depth


def arrays(depth: int) -> bytes:
    return b'{"a":' + b"[" * (depth - 1) + b"]" * (depth - 1) + b"}"


def arrays_beside_much_else(depth: int) -> bytes:
    return b'{"x":[' + b"{}," * 2000 + b'"[[[["],' + arrays(depth)[1:]


NESTS = [objects, arrays, arrays_beside_much_else]


def rejection(payload: bytes) -> RejectReason | None:
    try:
        JsonObjectCheck(())(payload)
    except Unusable as unusable:
        return unusable.fault.reason
    return None


@pytest.mark.parametrize("nest", NESTS)
def test_the_limit_is_exact(nest: Callable[[int], bytes]) -> None:
    assert rejection(nest(MAX_DEPTH)) is None
    assert rejection(nest(MAX_DEPTH + 1)) is RejectReason.TOO_DEEP


def test_brackets_in_texts_and_beside_one_another_are_not_depth() -> None:
    assert not is_too_deep(b'"' + b"[" * 5000 + b'"'), "no bracket at all is outside"
    assert not is_too_deep(b'{"a":"' + b"[" * 5000 + b'"}')
    assert not is_too_deep(b'{"a":"\\"' + b"{" * 5000 + b'"}')
    assert not is_too_deep(b'{"a":[' + b",".join([b"[]"] * 5000) + b"]}")


def test_the_fate_does_not_depend_on_how_deep_the_caller_is() -> None:
    """A margin below the interpreter's own limit, in which an engine's stack has to lie."""
    payload = objects(MAX_DEPTH)

    def called_from(frames: int) -> RejectReason | None:
        return called_from(frames - 1) if frames else rejection(payload)

    assert sys.getrecursionlimit() >= 1000
    assert called_from(250) is None


TEXTS = st.text(st.sampled_from('[]{}"\\a\n'), max_size=6)
NESTED = st.recursive(
    TEXTS | st.just(1),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(TEXTS, inner, max_size=4),
    max_leaves=20,
)


def depth(value: object) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


@given(NESTED, st.integers(1, 9))
def test_brackets_are_counted_outside_of_texts_however_they_are_cut(value: object, step: int) -> None:
    with pytest.MonkeyPatch.context() as changed:
        changed.setattr(nesting, "STEP_BYTES", step)
        for most in range(max(0, depth(value) - 1), depth(value) + 1):
            changed.setattr(nesting, "MAX_DEPTH", most)
            assert is_too_deep(json.dumps(value).encode()) == (depth(value) > most)
