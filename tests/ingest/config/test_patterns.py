"""Streams by their names' patterns: what a configuration may say, and which tables follow."""

from fnmatch import fnmatchcase
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.patterns import wildcard
from tests.ingest.config.test_model import document, problems

HERE = {"database": "ANALYTICS", "schema": "RAW"}


def config(*patterns: dict[str, Any], **changes: Any) -> EngineConfig:
    return parse(EngineConfig, document(patterns=[{**HERE, **each} for each in patterns], **changes), "engine.json")


def refused(*patterns: dict[str, Any], **changes: Any) -> list[str]:
    return problems(document(patterns=[{**HERE, **each} for each in patterns], **changes))


def test_a_pattern_is_of_whole_names_and_makes_a_pipeline_of_each() -> None:
    found = config({"streams": "clicks-.*", "tolerance": "all"})
    pipeline = found.find_pipeline("clicks-eu")
    assert (pipeline.stream, pipeline.database, pipeline.tolerance) == ("clicks-eu", "ANALYTICS", "all")
    assert found.find_pipeline("my-clicks-eu") is None


def test_a_stream_that_a_pipeline_names_is_no_patterns() -> None:
    found = config({"streams": ".*", "table": "ALL_OF_THEM"})
    assert [found.pipeline_of(name).table for name in ("orders", "other")] == [None, "ALL_OF_THEM"]


def test_a_name_can_be_left_out() -> None:
    assert config({"streams": "clicks-.*", "exclude": ["clicks-test"]}).find_pipeline("clicks-test") is None


@pytest.mark.parametrize(
    ("streams", "template", "stream", "table"),
    [
        ("clicks-.*", None, "clicks-eu", None),
        ("clicks-.*", "CLICKS", "clicks-eu", "CLICKS"),
        ("clicks-(.*)", "RAW_{1}", "clicks-eu", "RAW_EU"),
        ("clicks-(?P<place>.*)", "raw_{place}_clicks", "clicks-eu", "RAW_EU_CLICKS"),
        ("clicks-(.*)", "RAW_{1}", "clicks-eu.1", "RAW_EU_1_1316317258"),
        (".*", '"Raw {stream}"', "clicks-eu", '"Raw clicks-eu"'),
        ("clicks(-.*)?", "C{1}", "clicks", "C"),
    ],
)
def test_a_table_is_named_by_the_template_or_as_any_streams_is(
    streams: str, template: str | None, stream: str, table: str | None
) -> None:
    pattern = {"streams": streams} if template is None else {"streams": streams, "table": template}
    assert config(pattern).pipeline_of(stream).table == table


def test_streams_whose_names_make_no_identifier_have_tables_of_their_own() -> None:
    found = config({"streams": "(.*)", "table": "T_{1}"})
    assert len({found.pipeline_of(stream).table for stream in ("a.b", "a-b", "a_b")}) == 3


def test_patterns_are_enough() -> None:
    assert config({"streams": ".*"}, pipelines=[]).pipeline_of("any").stream == "any"
    assert any("name a stream in pipelines" in line for line in problems(document(pipelines=[])))


@pytest.mark.parametrize(
    ("pattern", "problem"),
    [
        ({"streams": "clicks-("}, "is not a regular expression: missing ), unterminated subpattern"),
        ({"streams": "clicks-.*", "table": "RAW_{1}"}, "table has a place {1} that nothing fills; known are stream"),
        ({"streams": "(.*)", "table": "RAW_{1:>9}"}, "table has a place {1:>9}"),
        ({"streams": "(.*)", "table": "RAW_{1"}, "table is not a template"),
        ({"streams": ".*", "reader": {"fan_out": {"consumer_arn": "arn:x"}}}, "a consumer belongs to one stream"),
    ],
)
def test_what_a_pattern_can_not_be_is_said(pattern: dict[str, Any], problem: str) -> None:
    (told,) = refused(pattern)
    assert told.startswith("patterns[0]")
    assert problem in told


@pytest.mark.parametrize(
    ("one", "other", "stream"), [("clicks-.*", "clicks-eu", "clicks-eu"), ("a", ".", "a"), ("x.*", "x.*", "x.*")]
)
def test_an_overlap_that_the_texts_show_is_refused_with_both_patterns_and_a_name(
    one: str, other: str, stream: str
) -> None:
    (told,) = refused({"streams": one}, {"streams": other})
    assert f"{one!r} and {other!r} overlap: both match {stream!r}" in told


def test_a_pattern_does_not_read_the_dead_letters() -> None:
    (told,) = refused({"streams": "clicks-.*"}, dead_letters={"stream": "clicks-letters"})
    assert "clicks-letters is read by a pipeline" in told


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("clicks-.*", "clicks-*"),
        ("clicks-?eu", "clicks*eu"),
        (".*_cat", "*_cat"),
        (r"a\.b\.(x|y)", "*"),
        (r"a\.b\.[xy]", "a.b.*"),
        ("clicks|orders", "*"),
        ("(clicks)-.*", "*"),
        ("clicks", "clicks"),
        (r"ab\d", "ab*"),
        (r"(a)b\12", "*"),
        (r".*\x41b", "*"),
        (r".*\.cat", "*.cat"),
        ("(?i).*cat", "*"),
    ],
)
def test_what_all_names_of_a_pattern_begin_and_end_with(pattern: str, expected: str) -> None:
    assert wildcard(pattern) == expected


PATTERNS = (
    "ab?c", "ab*", "ab{0,1}c", "a|b", "ab+", r"a\.b*", "a(b|c)", "a.c", "[ab]c", "(?:ab)?c", "ab??", ".*ab", "a+a", "[^a]b{2}c",
    r"(a)\1b", "a?", "ab?b", ".-?-c",
)  # fmt: skip # a paragraph, not a column


@given(st.data(), st.sampled_from(PATTERNS))
def test_every_name_that_matches_has_the_wildcard(data: st.DataObject, pattern: str) -> None:
    assert fnmatchcase(data.draw(st.from_regex(pattern, fullmatch=True)), wildcard(pattern))
