import sys
from collections.abc import Callable

import pytest

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
