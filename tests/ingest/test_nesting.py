import json
import random
import sys
from collections.abc import Callable

import pytest

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


def nested(chance: random.Random, levels: int) -> object:
    """Any JSON of so many levels at most, whose texts and keys are made of what is counted."""

    def text() -> str:
        return "".join(chance.choices('[]{}"\\a\n', k=chance.randrange(7)))

    match chance.randrange(4) if levels else 0:
        case 0:
            return text()
        case 1:
            return 1
        case 2:
            return [nested(chance, levels - 1) for _ in range(chance.randrange(5))]
    return {text(): nested(chance, levels - 1) for _ in range(chance.randrange(5))}


def depth(value: object) -> int:
    inner = list(value.values()) if isinstance(value, dict) else value if isinstance(value, list) else None
    return 0 if inner is None else 1 + max(map(depth, inner), default=0)


def test_brackets_are_counted_outside_of_texts_however_they_are_cut(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = random.Random(20_261_123)
    for _ in range(2000):
        value, step = nested(chance, 5), chance.randrange(1, 10)
        monkeypatch.setattr(nesting, "STEP_BYTES", step)
        for most in range(max(0, depth(value) - 1), depth(value) + 1):
            monkeypatch.setattr(nesting, "MAX_DEPTH", most)
            assert is_too_deep(json.dumps(value).encode()) == (depth(value) > most), (value, step, most)
