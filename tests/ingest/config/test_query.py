"""A pipeline's query as a document has it: what goes beside it, and what is refused before any Spark is there."""

from typing import Any

import pytest

from firnline_ingest.config.callables import CallableUnusable
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import ConfigError
from tests.fakes.configs import DOCUMENT, matching, pipeline, reading

ARN = "arn:aws:kinesis:us-east-1:123456789012:stream/events/consumer/c:1"
SQL: dict[str, Any] = {"schema": "id BIGINT", "sql": "SELECT _position, id FROM rows"}


def test_it_is_part_of_what_decides_which_rows_a_record_becomes() -> None:
    plain, queried = pipeline(), pipeline(query=SQL)
    other = pipeline(query={**SQL, "sql": "SELECT * FROM rows WHERE id > 1"})
    wider = pipeline(query={**SQL, "schema": "id BIGINT, n INT"})
    assert len({each.conversion_hash for each in (plain, queried, other, wider)}) == 4
    assert pipeline(query=SQL).conversion_hash == queried.conversion_hash
    function = pipeline(query={"schema": "id BIGINT", "function": "firnline_no_such_module:f"})
    with pytest.raises(CallableUnusable):
        _ = function.conversion_hash
    told = {"schema": "id BIGINT", "function": "firnline_no_such_module:f", "version": "1"}
    assert pipeline(query=told).conversion_hash != pipeline(query={**told, "version": "2"}).conversion_hash


@pytest.mark.parametrize(
    ("query", "more", "why"),
    [
        ({"schema": "id BIGINT"}, {}, "exactly one of sql, function"),
        ({**SQL, "function": "a:b"}, {}, "exactly one of sql, function"),
        ({**SQL, "version": "1"}, {}, "version belongs to function"),
        ({**SQL, "schema": " "}, {}, "must name at least one column"),
        ({**SQL, "schema": "id BIGINT, _position STRING"}, {}, "is there by itself"),
        ({**SQL, "sql": "SELECT id FROM rows"}, {}, "lack _position"),
        ({**SQL, "sql": "SELECT *, timestamp'now' AS seen FROM rows"}, {}, "timestamp'now' is the time at which"),
        ({**SQL, "sql": 'SELECT * FROM rows WHERE d > DATE r" today UTC"'}, {}, "another one at the next start"),
        (
            {**SQL, "sql": "SELECT * FROM rows WHERE at > TIMESTAMP '12:30'"},
            {},
            "'12:30' is of the day on which it is read",
        ),
        ({**SQL, "sql": 'SELECT * FROM rows WHERE at > timestamp_ltz"T9:00"'}, {}, "of another one at the next start"),
        (SQL, {"adds_columns": True}, "adds_columns does not go with it"),
        (SQL, {"content_column": "ALL_OF_IT"}, "content_column does not go with it"),
        (SQL, {"reader": {"fan_out": {"consumer_arn": ARN}}}, "fan_out does not go with it"),
        (SQL, {"oversize_rows": "file"}, "oversize_rows: file does not go with it"),
        (SQL, {"routes": {"key": "kind", "tables": {"a": "B"}}}, "routes does not go with it"),
    ],
)
def test_what_does_not_go_with_it_is_refused_with_its_reason(
    query: dict[str, Any], more: dict[str, Any], why: str
) -> None:
    with pytest.raises(ConfigError, match=why):
        parse(EngineConfig, {**DOCUMENT, "pipelines": [reading(query=query, **more)]}, "engine.json")


def test_a_time_that_is_written_with_its_day_is_taken() -> None:
    query = {**SQL, "sql": "SELECT *, '12:30' AS opens FROM rows WHERE at > timestamp'2026-01-01 12:30'"}
    assert pipeline(query=query).query is not None


def test_a_pattern_of_streams_has_it_for_each_of_them() -> None:
    config = parse(EngineConfig, {**DOCUMENT, "patterns": [matching("clicks-.+", query=SQL)]}, "engine.json")
    found = config.find_pipeline("clicks-eu")
    assert found is not None
    assert found.query is not None
    assert found.query.sql == SQL["sql"]
