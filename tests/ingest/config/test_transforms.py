"""Tests of what of the declared transforms decides which rows a record becomes."""

from datetime import date
from typing import Any

import pytest

from firnline_ingest.config.document import parse
from firnline_ingest.config.field_path import Each, keys_of, steps_of
from firnline_ingest.config.kinds import TRANSFORMS
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.errors import ConfigError

EXCLUDE, INSERT = {"type": "exclude", "fields": ["a"]}, {"type": "insert", "field": "b", "value": 1}


def pipeline(*declared: Any) -> PipelineConfig:
    document = {"stream": "orders", "database": "DB", "schema": "RAW", "transforms": list(declared)}
    return parse(PipelineConfig, document, "engine.json")


def test_options_order_and_code_change_the_conversions_hash(monkeypatch: pytest.MonkeyPatch) -> None:
    first = pipeline(EXCLUDE, INSERT).conversion_hash
    others = [
        pipeline(),
        pipeline(EXCLUDE),
        pipeline(INSERT, EXCLUDE),
        pipeline(EXCLUDE, {**INSERT, "value": True}),
        pipeline(EXCLUDE, {**INSERT, "value": 1.0}),
    ]
    assert len({first, *(each.conversion_hash for each in others)}) == 1 + len(others)
    assert pipeline(EXCLUDE, {**INSERT, "existing": "reject"}).conversion_hash == first, "a default that is written out"
    monkeypatch.setattr(TRANSFORMS["exclude"], "code_version", 2)
    assert pipeline(EXCLUDE, INSERT).conversion_hash != first


@pytest.mark.parametrize(
    ("path", "steps"),
    [
        ("a", ("a",)),
        ("a.b c.d-e", ("a", "b c", "d-e")),
        ("`a.b`.c", ("a.b", "c")),
        ("`a``b`", ("a`b",)),
        ("a[].b[][]", ("a", Each.ITEM, "b", Each.ITEM, Each.ITEM)),
        ("`a[]`", ("a[]",)),
        ("é.\n", ("é", "\n")),
        (".".join("a" * 32), ("a",) * 32),
    ],
)
def test_a_path_is_the_keys_on_the_way(path: str, steps: tuple[object, ...]) -> None:
    assert steps_of(path) == steps


@pytest.mark.parametrize(
    "path", ["", ".", "a.", ".a", "a..b", "[]", "[].a", "a[", "a]b", "a[0]", "``", "`a", "a`b`", ".".join("a" * 33)]
)
def test_what_is_no_path(path: str) -> None:
    with pytest.raises(ValueError, match="is not a path of a field"):
        steps_of(path)


@pytest.mark.parametrize("path", ["$.card", "customers.*.email", "$"])
def test_what_json_path_means_is_no_key_unless_it_is_quoted(path: str) -> None:
    with pytest.raises(ValueError, match="stands between backticks"):
        steps_of(path)
    assert steps_of("`$`.`*`.$oid") == ("$", "*", "$oid")


def test_a_path_to_one_place_has_no_items() -> None:
    assert keys_of("a.b") == ("a", "b")
    with pytest.raises(ValueError, match="many places"):
        keys_of("a[].b")


NO_JSON = [date(2026, 1, 31), {1, 2}, "\ud800", {"a": b"x"}, float("inf"), {"a": [{None: 1}]}, {True: 1}, {1: 2}]


@pytest.mark.parametrize("value", NO_JSON, ids=lambda value: type(value).__name__)
@pytest.mark.parametrize("declared", [INSERT, {"type": "mask", "fields": ["a"]}], ids=["insert", "mask"])
def test_a_value_that_is_no_json_is_told(declared: dict[str, Any], value: object) -> None:
    name = "value" if declared["type"] == "insert" else "replacement"
    with pytest.raises(ConfigError, match="is not JSON"):
        pipeline({**declared, name: value})


@pytest.mark.parametrize("offset", ["+19:00", "+14:75", "-99:00"])
def test_an_offset_that_no_clock_has_is_refused(offset: str) -> None:
    with pytest.raises(ConfigError, match="has to be Z or an offset"):
        pipeline({"type": "timestamp", "fields": ["at"], "offset": offset})


@pytest.mark.parametrize(
    ("declared", "problem"),
    [
        ({"type": "callable", "callable": "acme"}, "transforms[0].callable: has to be a module"),
        ({"type": "callable"}, "transforms[0].callable: is required."),
        (
            {"type": "callable", "callable": "a:b", "version": 2},
            "transforms[0].version: input should be a valid string",
        ),
        ({"type": "filter", "field": "a", "one_of": [1.5]}, "transforms[0].one_of[0]: "),
    ],
)
def test_a_problem_is_told_once_at_its_place(declared: dict[str, Any], problem: str) -> None:
    with pytest.raises(ConfigError) as caught:
        pipeline(declared)
    (told,) = caught.value.problems
    assert told.startswith(problem)


CSV = {"type": "csv", "columns": ["id", "card"]}


@pytest.mark.parametrize(
    ("form", "declared", "key"),
    [
        (CSV, {"type": "mask", "fields": ["card"]}, "CARD"),
        (CSV, {"type": "filter", "field": "id", "one_of": ["1"], "keep": True}, "ID"),
        (CSV, {"type": "rename", "fields": {"Card": "number"}}, "CARD"),
        ({"type": "text", "column": "line"}, {"type": "cast", "fields": {"line.a": "json"}}, "LINE"),
    ],
)
def test_a_path_that_misses_the_formats_key_by_its_case_is_refused(
    form: dict[str, Any], declared: dict[str, Any], key: str
) -> None:
    with pytest.raises(ConfigError, match=rf"transforms\[1\]: .*the format makes the key {key}, and case counts"):
        of_format(form, {"type": "exclude", "fields": ["other"]}, declared)


def test_a_key_in_its_own_case_or_of_an_earlier_transform_is_taken() -> None:
    of_format(CSV, {"type": "mask", "fields": ["CARD"]})
    of_format({**CSV, "columns": ["id", '"card"']}, {"type": "mask", "fields": ["card"]})
    of_format(CSV, {"type": "rename", "fields": {"CARD": "card"}}, {"type": "mask", "fields": ["card"]})


def of_format(form: dict[str, Any], *declared: Any) -> PipelineConfig:
    document = {"stream": "s", "database": "D", "schema": "S", "format": form, "transforms": list(declared)}
    return parse(PipelineConfig, document, "engine.json")


@pytest.mark.parametrize(
    "declared",
    [{"type": "hoist", "field": "kinesisMetadata"}, {"type": "insert", "field": "KINESISMETADATA.a", "value": 1}],
)
def test_a_transform_that_makes_the_metadatas_key_of_every_record_is_refused(declared: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match=r"transforms\[0\]: .* is a metadata column"):
        pipeline(declared)
    pipeline(declared, {"type": "extract", "field": declared["field"]})
