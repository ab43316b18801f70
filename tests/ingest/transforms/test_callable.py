"""A function of the user's: whatever it does, the record is a row, a letter or left out."""

import json
import sys
from asyncio import CancelledError
from collections.abc import Callable, Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.config.callables import CallableUnusable
from firnline_ingest.errors import ConfigError
from firnline_ingest.transforms import callable as of_callable
from tests.ingest.transforms.making import made, pipeline, row
from tests.ingest.transforms.test_properties import VALUES

MODULE = "firnline_test_functions"


@pytest.fixture
def functions(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The user's module, empty."""
    module = ModuleType(MODULE)
    monkeypatch.setitem(sys.modules, MODULE, module)
    return module


@pytest.fixture
def becomes(functions: ModuleType) -> Callable[..., str]:
    def of(function: Callable[[Any], Any], payload: bytes = b'{"a":1.10}', **more: Any) -> str:
        functions.f = function  # type: ignore[attr-defined] # it is empty
        return row(payload, {"type": "callable", "callable": f"{MODULE}:f", "version": "1"}, **more)

    return of


Becomes = Callable[..., str]
FAILED = "transform-failed: transforms[0] (callable): "


def test_it_returns_what_the_record_is_to_be(becomes: Becomes) -> None:
    assert (
        becomes(lambda record: {**record, "b": [record["a"], None, (True, "é")]})
        == '{"a":1.10,"b":[1.10,null,[true,"é"]]}'
    )


@given(value=st.dictionaries(st.text(max_size=3), VALUES, max_size=4))
def test_what_it_leaves_alone_is_as_it_was(value: dict[str, Any]) -> None:
    module = ModuleType(MODULE)
    module.f = lambda record: record  # type: ignore[attr-defined] # it is empty
    sys.modules[MODULE] = module
    try:
        written = json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()
        same = [{"type": "callable", "callable": f"{MODULE}:f", "version": "1"}]
        assert [bytes(each) for each in made([written], *same).rows] == [bytes(each) for each in made([written]).rows]
    finally:
        del sys.modules[MODULE]


@pytest.mark.parametrize(
    "number",
    [
        "1.10",
        "1e999",
        "-0.0",
        "1" * 3900,
        "9" * 5000,
        "0.1234567890123456789012345678901234567890",
        "1E5",
        "1e99999999999999999999",
    ],
)
def test_a_number_that_it_leaves_alone_keeps_its_digits(becomes: Becomes, number: str) -> None:
    payload = b'{"a":{"b":[%b]}}' % number.encode()
    assert becomes(lambda record: {"x": record["a"]}, payload) == '{"x":{"b":[%s]}}'.replace("%s", number)


def test_values_that_python_has_and_json_has_not(becomes: Becomes) -> None:
    values = {"d": Decimal("1.10"), "t": datetime(2026, 1, 31, tzinfo=UTC), "x": date(2026, 1, 31), "n": 10**38}
    assert becomes(lambda _: values) == (
        '{"d":1.10,"t":"2026-01-31T00:00:00+00:00","x":"2026-01-31","n":1%s}'.replace("%s", "0" * 38)
    )


@pytest.mark.parametrize(
    ("value", "written"),
    [
        (Decimal("9" * 38), "9" * 38),
        (Decimal("9" * 39), '"%s"' % ("9" * 39)),
        (Decimal("0." + "1" * 39), '"0.%s"' % ("1" * 39)),
        (b"\x00\xff", '"AP8="'),
        (bytearray(b"x"), '"eA=="'),
        ({1: "a", "b": [b"x"]}, '[[1,"a"],["b",["eA=="]]]'),
        ({None: {2: {}}}, "[[null,[[2,{}]]]]"),
        ({}, "{}"),
    ],
)
def test_they_become_what_they_are_in_every_format(becomes: Becomes, value: object, written: str) -> None:
    assert becomes(lambda _: {"v": value}) == f'{{"v":{written}}}'


def raises(error: BaseException) -> Callable[[Any], Any]:
    def f(_: Any) -> Any:
        raise error

    return f


class Unspeakable(Exception):
    def __str__(self) -> str:
        raise ValueError("no words")


class Evil(dict[str, Any]):
    def items(self) -> Any:
        raise KeyError("mine")


def endless() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


def laughs() -> list[Any]:
    value: list[Any] = ["ha"]
    for _ in range(30):
        value = [value] * 10
    return value


def nothing() -> dict[str, Any]:
    return {}


def generator() -> Iterator[int]:
    yield 1


@pytest.mark.parametrize(
    ("function", "told"),
    {
        "raises": (raises(ValueError("no amount")), "it raised ValueError: no amount."),
        "raises at length": (raises(ValueError("x" * 10_000)), "it raised ValueError: " + "x" * 188 + "."),
        "quotes half a character": (raises(ValueError("no \udcff")), "it raised ValueError: no \\udcff."),
        "raises what has no words": (raises(Unspeakable()), "it raised Unspeakable."),
        "exits": (raises(SystemExit(3)), "it raised SystemExit: 3."),
        "is cancelled": (raises(CancelledError()), "it raised CancelledError: ."),
        "closes": (raises(GeneratorExit()), "it raised GeneratorExit: ."),
        "recurses": (lambda record: (f := lambda n: f(n + 1))(0), "it raised RecursionError: "),
        "takes nothing": (nothing, "it raised TypeError: "),
        "none": (lambda _: None, "it returned NoneType, and no dict."),
        "list": (lambda record: [record], "it returned list, and no dict."),
        "text": (lambda _: "{}", "it returned str, and no dict."),
        "generator": (lambda _: generator(), "it returned generator, and no dict."),
        "generator inside": (lambda _: {"a": generator()}, "what it returned holds generator, which is not JSON."),
        "nan": (lambda _: {"a": float("nan")}, "what it returned holds nan, which is not JSON."),
        "infinity": (lambda record: {"a": record["a"] * 1e999}, "what it returned holds inf, which is not JSON."),
        "decimal nan": (lambda _: {"a": Decimal("NaN")}, "what it returned holds Decimal, which is not JSON."),
        "memory": (lambda _: {"a": memoryview(b"x")}, "what it returned holds memoryview, which is not JSON."),
        "set": (lambda _: {"a": {1}}, "what it returned holds set, which is not JSON."),
        "number for a key": (lambda _: {1: 2}, "what it returned has a key that is int, and no text."),
        "nothing for a key": (lambda _: {None: 2}, "what it returned has a key that is NoneType, and no text."),
        "surrogate": (lambda _: {"a": "\ud800"}, "what it returned can't be written: UnicodeEncodeError."),
        "large number": (lambda _: {"a": 1 << 20_000}, "what it returned has a number of more than 3,900 digits."),
        "endless": (lambda _: {"a": endless()}, "what it returned is nested deeper than 512 levels."),
        "laughs": (lambda _: {"a": laughs()}, "what it returned has more than 16,000 bytes."),
        "evil": (lambda _: Evil(a=1), "what it returned can't be written: KeyError."),
    }.values(),
)  # fmt: skip # a table
def test_whatever_else_it_does_is_a_letter(
    becomes: Becomes, function: Callable[[Any], Any], told: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(of_callable, "MOST_BYTES", 16_000)
    found = becomes(function)
    assert found.startswith(FAILED + told.rstrip(".")), found
    assert told.endswith(" ") or found == FAILED + told


def test_what_is_too_large_or_can_be_no_column_is_told_as_ever(becomes: Becomes) -> None:
    assert becomes(lambda _: {"a": "x" * 2000}, max_row_bytes=1024).startswith("too-large: ")
    assert becomes(lambda _: {"a": 1, "A": 2}).startswith("duplicate-key: ")
    assert becomes(lambda _: {"": 1}).startswith("unusable-key: ")


def test_what_it_does_to_its_argument_is_nobody_elses(becomes: Becomes, functions: ModuleType) -> None:
    kept: list[dict[str, Any]] = []

    def f(record: dict[str, Any]) -> dict[str, Any]:
        for earlier in kept:
            earlier["a"] = "changed"
        kept.append(record)
        return {"a": record.pop("a")}

    functions.f = f  # type: ignore[attr-defined] # it is empty
    rows = made([b'{"a":1}', b'{"a":2}', b'{"a":3}'], {"type": "callable", "callable": f"{MODULE}:f", "version": "1"})
    assert [json.loads(bytes(each))["a"] for each in rows.rows] == [1, 2, 3]


def test_none_leaves_a_record_out_where_that_is_declared(functions: ModuleType) -> None:
    functions.f = lambda record: record if record["a"] else None  # type: ignore[attr-defined] # it is empty
    declared = {"type": "callable", "callable": f"{MODULE}:f", "version": "1", "none": "filter"}
    rows = made([b'{"a":0}', b'{"a":1}'], declared)
    assert (list(rows.indexes), dict(rows.left_out)) == ([1], {"filtered": 1})


def test_a_key_that_occurs_twice_is_never_given_once(becomes: Becomes) -> None:
    told = "duplicate-key: transforms[0] (callable): the key 'b' occurs 2 times."
    assert becomes(lambda record: record, b'{"a":[{"b":1,"b":2}]}') == told
    assert becomes(lambda record: record, b"[1]") == FAILED + "the record is not an object."


async def slow(record: Any) -> Any:
    return record


def several(record: Any) -> Iterator[Any]:
    yield record


@pytest.mark.parametrize(
    ("path", "why"),
    [
        ("firnline_no_such_module:f", "importing firnline_no_such_module raised ModuleNotFoundError"),
        (f"{MODULE}:g", f"{MODULE} has no g"),
        (f"{MODULE}:number", "number is not a function"),
        (f"{MODULE}:slow", "slow is asynchronous"),
        (f"{MODULE}:several", "several is asynchronous or a generator"),
    ],
)
def test_what_can_t_be_had_is_told_before_any_record(functions: ModuleType, path: str, why: str) -> None:
    functions.__dict__.update(number=1, slow=slow, several=several)
    with pytest.raises(CallableUnusable, match=why):
        made([], {"type": "callable", "callable": path, "version": "1"})


@pytest.fixture
def module_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    monkeypatch.syspath_prepend(tmp_path)
    yield tmp_path / "firnline_functions_in_a_file.py"
    sys.modules.pop("firnline_functions_in_a_file", None)


def test_the_hash_knows_the_modules_file_or_the_declared_version(module_file: Path) -> None:
    declared = {"type": "callable", "callable": f"{module_file.stem}:f"}
    module_file.write_text("def f(record): return record\n")
    first, versioned = pipeline(declared).conversion_hash, pipeline({**declared, "version": "1"}).conversion_hash
    assert pipeline(declared).conversion_hash == first
    module_file.write_text("def f(record): return {}\n")
    assert pipeline(declared).conversion_hash != first
    assert pipeline({**declared, "version": "1"}).conversion_hash == versioned
    assert pipeline({**declared, "version": "2"}).conversion_hash != versioned
    module_file.unlink()
    with pytest.raises(CallableUnusable, match="no file of the module"):
        pipeline(declared).conversion_hash  # noqa: B018 - asking is what is tested


@pytest.mark.parametrize("path", ["", "f", "a.b", "a:", ":f", "a-b:f", "a:b.c", "a..b:f", "../a:f"])
def test_what_is_no_import_path(path: str) -> None:
    with pytest.raises(ConfigError, match="a module, a colon and a function"):
        pipeline({"type": "callable", "callable": path})
