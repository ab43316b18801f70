"""A pipeline's routes: what is refused, what follows from them, and what changes with them."""

import pytest
from pydantic import ValidationError

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.identifiers import routed_channel

ROUTES = {"key": "kind", "tables": {"order": "orders", "refund": '"Refunds"', "again": "ORDERS"}}
CHANNEL = "APP~EVENTS~1~SHARDID-000000000000"


def pipeline(routes: object, **others: object) -> PipelineConfig:
    return PipelineConfig.model_validate(
        {"stream": "events", "database": "DB", "schema": "RAW", "routes": routes, **others}
    )


def test_each_table_is_written_to_as_if_it_were_the_pipelines_own() -> None:
    routed = pipeline(ROUTES, pipe="MINE", tolerance="all").routed
    assert list(routed) == ["ORDERS", "Refunds"]
    assert [(each.table, each.pipe, each.routes) for each in routed.values()] == [
        ('"ORDERS"', None, None),
        ('"Refunds"', None, None),
    ]
    assert {each.tolerance.value for each in routed.values()} == {"all"}


@pytest.mark.parametrize(
    ("routes", "words"),
    [
        ({"key": "", "tables": {"a": "A"}}, "at least 1 character"),
        ({"key": 'k"', "tables": {"a": "A"}}, "quotes"),
        ({"key": "k", "tables": {}}, "at least 1 item"),
        ({"key": "k", "tables": [{"table": "A", "values": ["a"]}]}, "valid dictionary"),
        ({"key": "k", "tables": {"a": "no table"}}, "not a valid Snowflake identifier"),
        ({"key": "k", "tables": {"a": "Events"}}, "the pipeline's own table"),
        ({"key": "k", "tables": {str(n): f"T{n}" for n in range(21)}}, "more than 20 tables"),
        ({"key": "k", "tables": {"a": "A"}, "unmatched": "skip"}, "own_table"),
        ({"key": "k", "tables": {"a": '"Orders"', "b": "E283F8D8"}}, "channels of one name"),
    ],
)
def test_what_can_not_be_meant_is_refused(routes: object, words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        pipeline(routes)


@pytest.mark.parametrize(
    ("key", "others", "words"),
    [
        ("kind", {"format": {"type": "csv", "columns": ["kind", "n"]}}, "no record has kind; .* in its case: KIND, N"),
        ("kind", {"format": {"type": "text"}}, "no record has kind; .*: RECORD_CONTENT"),
        ("RECORD_CONTENT", {"format": {"type": "bytes"}, "content_column": "C"}, "no record has RECORD_CONTENT; .*: C"),
        (
            "kind",
            {
                "format": {"type": "csv", "columns": ["kind"]},
                "transforms": [{"type": "filter", "field": "KIND", "exists": False}],
            },
            "no record has kind",
        ),
        ("KinesisMetadata", {}, "routes.key: KinesisMetadata is a metadata column"),
        ("kinesis_row", {"format": {"type": "json_lines"}, "metadata": {"form": "columns"}}, "is a metadata column"),
    ],
)
def test_a_key_that_no_row_has_is_refused(key: str, others: dict[str, object], words: str) -> None:
    with pytest.raises(ValidationError, match=words):
        pipeline({**ROUTES, "key": key}, **others)


@pytest.mark.parametrize(
    ("key", "others"),
    [
        ("KIND", {"format": {"type": "csv", "columns": ["kind", "n"]}}),
        ("kind", {"format": {"type": "csv", "columns": ['"kind"', "n"], "header": True}}),
        ("kind", {"format": {"type": "csv", "header": True}}),
        ("C", {"format": {"type": "text"}, "content_column": "C"}),
        (
            "kind",
            {"format": {"type": "text"}, "transforms": [{"type": "insert", "field": "kind", "metadata": "shard_id"}]},
        ),
        ("KINESISMETADATA", {"content_column": "C"}),
        ("kinesis_row", {"metadata": {"form": "columns"}}),
    ],
)
def test_a_key_that_a_row_may_have_is_taken(key: str, others: dict[str, object]) -> None:
    assert pipeline({**ROUTES, "key": key}, **others).routes


def test_what_sends_a_record_elsewhere_changes_the_hash_and_nothing_else_does() -> None:
    same = {"key": "kind", "tables": {"again": '"ORDERS"', "refund": '"Refunds"', "order": "Orders"}}
    assert pipeline(ROUTES).conversion_hash == pipeline(same).conversion_hash
    hashes = {
        pipeline(routes).conversion_hash
        for routes in (
            None,
            ROUTES,
            {**ROUTES, "key": "other"},
            {**ROUTES, "unmatched": "own_table"},
            {**ROUTES, "tables": {"order": "orders"}},
        )
    }
    assert len(hashes) == 5


def test_a_channel_is_named_after_its_table_and_keeps_its_name() -> None:
    assert routed_channel(CHANNEL, "ORDERS") == f"{CHANNEL}~ORDERS"
    assert routed_channel(CHANNEL, "Orders") == f"{CHANNEL}~E283F8D8"
