from collections.abc import Callable
from typing import Any

import pytest

from tests.infra.specification.checks.conftest import COLUMNS

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]
TOPIC = "arn:aws:sns:eu-central-1:123456789012:oncall"


def test_a_pipeline_names_one_of_the_streams(problems: Problems, pipeline: Part) -> None:
    assert problems(pipelines=[pipeline("order"), pipeline("clicks", table="C")]) == [
        "pipelines[0].stream: 'order' is not among the streams; did you mean 'orders'?",
        "pipelines[1].stream: 'clicks' is not among the streams; expected one of: orders.",
    ]


def test_fan_out_reads_by_a_consumer_of_its_own_stream(problems: Problems, pipeline: Part) -> None:
    read = pipeline(reader={"fan_out": {"consumer": "fraude"}})
    assert problems(pipelines=[read]) == [
        "pipelines[0].reader.fan_out.consumer: 'fraude' is not among the consumers of orders; "
        "say consumers: [fraude] of the stream."
    ]
    assert problems(streams=[{"name": "orders", "consumers": ["fraud"]}], pipelines=[read]) == [
        "pipelines[0].reader.fan_out.consumer: 'fraude' is not among the consumers of orders; did you mean 'fraud'?"
    ]
    assert problems(streams=[{"name": "orders", "consumers": ["fraude"]}], pipelines=[read]) == []


def test_a_consumer_that_the_engine_registers_is_not_made_by_the_environment(
    problems: Problems, pipeline: Part
) -> None:
    read = pipeline(reader={"fan_out": {"registration": "lazy", "consumer": "us"}})
    assert problems(pipelines=[read]) == []
    assert problems(streams=[{"name": "orders", "consumers": ["us"]}], pipelines=[read]) == [
        "pipelines[0].reader.fan_out.consumer: the environment makes 'us' (consumers of orders); say registration: none, or "
        "give another name."
    ]


def test_a_consumer_that_is_there_is_one_of_its_own_stream(problems: Problems, pipeline: Part) -> None:
    arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders/consumer/us:1700000000"
    assert problems(pipelines=[pipeline(reader={"fan_out": {"consumer_arn": arn}})]) == []
    other = arn.replace("/orders/", "/clicks/")
    assert problems(pipelines=[pipeline(reader={"fan_out": {"consumer_arn": other}})]) == [
        f"pipelines[0].reader.fan_out.consumer_arn: {other} is no consumer of {arn.partition('/consumer')[0]}."
    ]
    for here, elsewhere in (
        ("123456789012", "999988887777"),
        ("eu-central-1", "us-east-1"),
    ):  # a stream of the same name
        assert (
            len(problems(pipelines=[pipeline(reader={"fan_out": {"consumer_arn": arn.replace(here, elsewhere)}})])) == 1
        )


def test_a_stream_is_named_once_and_read_once(problems: Problems, pipeline: Part) -> None:
    assert problems(
        streams=[{"name": "orders"}, {"name": "orders"}],
        pipelines=[pipeline(table="A"), pipeline(table="B")],
    ) == [
        "streams[1].name: 'orders' is already the name of another stream.",
        "pipelines[1].stream: 'orders' is already read by pipelines[0].",
    ]


def test_the_lag_alarm_rings_before_records_are_lost(problems: Problems) -> None:
    alarms = {"topics": [TOPIC], "lag_minutes": 1425}
    (problem,) = problems(alarms=alarms)
    assert problem.startswith("alarms.lag_minutes: 1425 wakes somebody when the first records are gone")
    assert problem.endswith("Expected less than 1425.")
    assert problems(alarms={**alarms, "lag_minutes": 1424}) == []
    assert problems(alarms=alarms, streams=[{"name": "orders", "retention_hours": 48}]) == []
    assert problems(alarms=alarms, streams=[{"name": "orders", "origin": "adopt"}]) == []


TWO = [{"name": "a"}, {"name": "b"}]


def test_two_pipelines_share_a_table_where_both_say_so(problems: Problems, pipeline: Part) -> None:
    said = {"table": "T", "shares_table": True}
    assert problems(streams=TWO, pipelines=[pipeline("a", **said), pipeline("b", **said)]) == []
    assert problems(streams=TWO, pipelines=[pipeline("a", **said), pipeline("b", table='"T"')]) == [
        "pipelines[1].table: LAKE.RAW.T is also the table of pipelines[0]; say shares_table: true in each of them if that "
        "is meant, or name another table."
    ]


def test_the_table_that_a_stream_gives_its_name_counts_too(problems: Problems, pipeline: Part) -> None:
    found = problems(
        streams=[{"name": "orders"}, {"name": "b"}], pipelines=[pipeline("orders"), pipeline("b", table="orders")]
    )
    assert [problem.partition(";")[0] for problem in found] == [
        "pipelines[0].table: LAKE.RAW.ORDERS is also the table of pipelines[1]",
        "pipelines[1].table: LAKE.RAW.ORDERS is also the table of pipelines[0]",
    ]


def test_who_shares_alone_is_told(problems: Problems, pipeline: Part) -> None:
    (problem,) = problems(pipelines=[pipeline(shares_table=True)])
    assert problem.startswith("pipelines[0].shares_table: no other pipeline fills LAKE.RAW.ORDERS")


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("schema_evolution", {"schema_evolution": False}),
        ("error_logging", {"error_logging": False}),
        ("row_timestamp", {"row_timestamp": False}),
        ("table_privilege", {"table_privilege": "ownership"}),
        ("metadata.column", {"metadata": {"column": "META"}}),
    ],
)
def test_those_who_share_a_table_agree_on_what_it_is(
    problems: Problems, pipeline: Part, path: str, change: dict[str, Any]
) -> None:
    said = {"table": "T", "shares_table": True}
    (problem,) = problems(streams=TWO, pipelines=[pipeline("a", **said), pipeline("b", **said, **change)])
    assert problem.startswith(f"pipelines[1].{path}: differs from pipelines[0], which fills the same table LAKE.RAW.T")


def test_a_pipe_of_one_name_is_one_pipe(problems: Problems, pipeline: Part) -> None:
    def both(**second: Any) -> list[dict[str, Any]]:
        first, fixed = {"name": "p", "select": "$1:KINESISMETADATA"}, {"schema_evolution": False}
        return [
            pipeline("a", table="T", pipe=first, **fixed),
            pipeline("b", table="U", pipe={**first, **second}, **fixed),
        ]

    (problem,) = problems(streams=TWO, pipelines=both())
    assert problem.startswith("pipelines[1].pipe.name: LAKE.RAW.P is also the pipe of pipelines[0]")
    assert problems(streams=TWO, pipelines=both(name="q")) == []


def test_tolerating_all_needs_the_error_table(problems: Problems, pipeline: Part, snowflake: Part) -> None:
    (problem,) = problems(pipelines=[pipeline(tolerance="all", error_logging=False)])
    assert problem.startswith("pipelines[0].tolerance: 'all' needs error_logging")
    (problem,) = problems(
        pipelines=[
            pipeline(
                tolerance="all",
                table_kind="interactive",
                cluster_by=["ID"],
                columns=COLUMNS,
            )
        ],
        snowflake=snowflake(interactive_warehouse={"name": "FAST"}),
    )
    assert "an interactive table has no error table" in problem


def test_the_metadata_column_is_an_identifier_that_sorts_nothing(
    problems: Problems, pipeline: Part, snowflake: Part
) -> None:
    (problem,) = problems(pipelines=[pipeline(metadata={"column": "kinesis metadata"})])
    assert problem.startswith("pipelines[0].metadata.column: 'kinesis metadata' is no Snowflake identifier")
    (problem,) = problems(
        pipelines=[
            pipeline(
                table_kind="interactive",
                cluster_by=["KinesisMetadata"],
                columns=COLUMNS,
            )
        ],
        snowflake=snowflake(interactive_warehouse={"name": "FAST"}),
    )
    assert problem.startswith("pipelines[0].cluster_by: KINESISMETADATA is the metadata column")


@pytest.mark.parametrize("schema", ["public", "information_schema"])
def test_a_schema_that_snowflake_makes_is_refused(problems: Problems, pipeline: Part, schema: str) -> None:
    (problem,) = problems(pipelines=[pipeline(schema=schema)])
    assert problem.startswith(f"pipelines[0].schema: {schema.upper()} is ")


def test_a_table_leaves_room_for_the_name_of_its_default_pipe(problems: Problems, pipeline: Part) -> None:
    assert problems(pipelines=[pipeline(table="T" * 245)]) == []
    (problem,) = problems(pipelines=[pipeline(table="T" * 246)])
    assert problem.startswith("pipelines[0].table: has 246 characters, and Snowflake adds -STREAMING")
    own = {"pipe": {"name": "p", "select": "$1:KINESISMETADATA"}, "schema_evolution": False}
    assert problems(pipelines=[pipeline(table="T" * 255, **own)]) == []


def test_an_identifier_that_needs_quotes_is_told_how_to_have_them(problems: Problems, pipeline: Part) -> None:
    (problem,) = problems(pipelines=[pipeline(table="my orders")])
    assert problem.startswith("pipelines[0].table: 'my orders' is no Snowflake identifier")
    assert '"My Orders"' in problem


def test_other_streams_are_found_by_how_their_names_begin_or_end(problems: Problems, pipeline: Part) -> None:
    assert problems(pipelines=[pipeline(also_streams="orders-.*")]) == []
    assert problems(pipelines=[pipeline(also_streams=".*-orders")]) == []
    (told,) = problems(pipelines=[pipeline(also_streams=".*-orders-.*")])
    assert "also_streams has to begin or end as all its streams' names do" in told
    (told,) = problems(pipelines=[pipeline(also_streams="orders-.*", reader={"fan_out": {"consumer": "fraud"}})])
    assert "a consumer belongs to one stream" in told
    (told,) = problems(pipelines=[pipeline(also_streams="orders-(")])
    assert "is no regular expression" in told


def test_two_patterns_that_a_stream_shows_to_overlap_are_refused(problems: Problems, pipeline: Part) -> None:
    streams = [{"name": name} for name in ("orders", "clicks", "orders-eu")]
    first, clicks = pipeline(also_streams="orders-.*"), pipeline("clicks", table="C", also_streams="clicks-.*")
    assert problems(streams=streams, pipelines=[first, clicks]) == []
    assert problems(streams=streams, pipelines=[first, {**clicks, "also_streams": "orders-e.*"}]) == [
        "pipelines[1].also_streams: 'orders-e.*' overlaps with 'orders-.*' of pipelines[0]: both match 'orders-eu'; narrow "
        "one of them."
    ]


def test_the_last_call_comes_before_the_records_are_gone(problems: Problems) -> None:
    topics = ["arn:aws:sns:eu-central-1:123456789012:oncall"]
    stream = {"name": "orders", "retention_hours": 48}
    assert problems(streams=[stream], alarms={"topics": topics, "time_to_trim_hours": 47}) == []
    (problem,) = problems(streams=[stream], alarms={"topics": topics, "time_to_trim_hours": 48})
    assert problem.startswith("alarms.time_to_trim_hours: 48 would ring always: a stream keeps records for 48 hours")
    assert problems(streams=[stream], alarms={"time_to_trim_hours": 48}) == []  # nobody is told
