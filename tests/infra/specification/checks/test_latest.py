"""A table of the latest row of each key: what it needs of its table, its columns and its order."""

from typing import Any

import pytest

from tests.infra.specifications import one_pipeline, pipeline, problems, smallest

COLUMNS = [
    {"name": "ORDER_ID", "type": "NUMBER"},
    {"name": "OP", "type": "VARCHAR"},
    {"name": "BODY", "type": "VARIANT"},
]
GOOD: dict[str, Any] = {"latest_by": ["ORDER_ID"], "columns": COLUMNS}
TWO = [{"name": "orders"}, {"name": "more"}]


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"latest": {"name": "STATE", "order_by": ["OP"], "deleted_by": "OP", "deleted_values": ["D"]}},
        {"latest_by": [], "latest": {"partition_key": True}},
        {"latest": {"deleted_by": "RECORD_CONTENT"}, "content_column": "RECORD_CONTENT"},
        {"latest": {"order_by": ["OP"]}, "stream_pattern": "orders-.*"},
        {"latest_by": ["order_id"], "table_privilege": "ownership"},
    ],
)
def test_what_is_whole_is_taken(changes: dict[str, Any]) -> None:
    assert problems(**one_pipeline(**{**GOOD, **changes})) == []


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"latest_by": ["ORDER_IDS"]}, "pipelines[0].latest_by[0]: ORDER_IDS is not among the declared columns"),
        ({"latest_by": ["ORDER_IDS"]}, "declare it in columns; did you mean 'ORDER_ID'?"),
        ({"latest_by": ["BODY"]}, "pipelines[0].latest_by[0]: BODY is VARIANT, which has no order"),
        ({"latest_by": [], "latest": {"name": "X"}}, "pipelines[0].latest: nothing is the key; give latest_by"),
        ({"latest": {"order_by": ["AT"]}}, "pipelines[0].latest.order_by[0]: AT is not among the declared columns"),
        ({"latest": {"deleted_by": "GONE"}}, "pipelines[0].latest.deleted_by: GONE is not among"),
        ({"latest": {"deleted_values": ["D"]}}, "pipelines[0].latest.deleted_values: of no column"),
        ({"latest": {"name": "ORDERS"}}, "pipelines[0].latest.name: LAKE.RAW.ORDERS is the table of pipelines[0]"),
        ({"metadata": {"sequence_number": False}, "audit": False}, "latest_by needs sequence_number in each row"),
        ({"metadata": {"form": "none"}, "audit": False}, "latest_by needs sequence_number and sub_sequence_number"),
        (
            {"latest": {"partition_key": True}, "metadata": {"partition_key": False}},
            "latest_by needs partition_key in each row; switch it on",
        ),
        ({"stream_pattern": "orders-.*"}, "whose sequence numbers do not compare; give latest.order_by"),
        ({"table_origin": "adopt"}, "pipelines[0].latest_by: the table is adopted"),
        (
            {"table_kind": "interactive", "cluster_by": ["ORDER_ID"]},
            "pipelines[0].latest_by: only of a standard table; one of kind interactive",
        ),
        (
            {"latest": {"target_lag_seconds": 59}},
            "latest.target_lag_seconds: input should be greater than or equal to 60",
        ),
    ],
)
def test_what_it_lacks_is_told(changes: dict[str, Any], said: str) -> None:
    assert said in "\n".join(problems(**one_pipeline(**{**GOOD, **changes})))


def test_something_has_to_refresh_it() -> None:
    snowflake = {"warehouse": None}
    (problem,) = problems(snowflake=snowflake, **one_pipeline(**GOOD))
    assert (
        problem
        == "pipelines[0].latest_by: a warehouse has to refresh it; give latest.warehouse, or snowflake.warehouse."
    )
    assert problems(snowflake=snowflake, **one_pipeline(**GOOD, latest={"warehouse": "BIG"})) == []


def test_pipelines_that_share_a_table_agree_and_order_by_a_column() -> None:
    shared = {**GOOD, "table": "T", "shared_table": True}
    both = [pipeline(**shared), pipeline("more", **shared)]
    assert "whose sequence numbers do not compare" in "\n".join(problems(streams=TWO, pipelines=both))
    both = [{**each, "latest": {"order_by": ["OP"]}} for each in both]
    assert problems(streams=TWO, pipelines=both) == []
    assert len(smallest(streams=TWO, pipelines=both).pipelines) == 2


def test_two_tables_have_two_names() -> None:
    named = {**GOOD, "latest": {"name": "STATE"}}
    (problem,) = problems(streams=TWO, pipelines=[pipeline(**named), pipeline("more", **named)])
    assert (
        problem
        == "pipelines[1].latest.name: LAKE.RAW.STATE is made of another table too (LAKE.RAW.ORDERS); give another name."
    )
