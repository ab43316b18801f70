from typing import Any

import pytest

from tests.infra.specification.checks.tables import COLUMNS, FAST, interactive
from tests.infra.specifications import one_pipeline, pipeline, problems, told

TOPIC = "arn:aws:sns:eu-central-1:123456789012:oncall"
TWO = [{"name": "a"}, {"name": "b"}]
SHARED = {"table": "T", "shared_table": True}
SELECTING = {"pipe": {"name": "p", "select": "$1:KINESISMETADATA"}, "schema_evolution": False}


def test_a_pipeline_names_one_of_the_streams() -> None:
    assert problems(pipelines=[pipeline("order"), pipeline("clicks", table="C")]) == [
        "pipelines[0].stream: 'order' is not among the streams; did you mean 'orders'?",
        "pipelines[1].stream: 'clicks' is not among the streams; expected one of: orders.",
    ]


def test_fan_out_reads_by_a_consumer_of_its_own_stream() -> None:
    read = one_pipeline(reader={"fan_out": {"consumer": "fraude"}})
    absent = "pipelines[0].reader.fan_out.consumer: 'fraude' is not among the consumers of orders; "
    assert problems(**read) == [f"{absent}say consumers: [fraude] of the stream."]
    fraud, fraude = ([{"name": "orders", "consumers": [name]}] for name in ("fraud", "fraude"))
    assert problems(streams=fraud, **read) == [f"{absent}did you mean 'fraud'?"]
    assert problems(streams=fraude, **read) == []


def test_a_consumer_that_the_engine_registers_is_not_made_by_the_environment() -> None:
    read = one_pipeline(reader={"fan_out": {"registration": "lazy", "consumer": "us"}})
    assert problems(**read) == []
    assert problems(streams=[{"name": "orders", "consumers": ["us"]}], **read) == [
        "pipelines[0].reader.fan_out.consumer: the environment makes 'us' (consumers of orders); say registration: none, or "
        "give another name."
    ]


def test_a_consumer_that_is_there_is_one_of_its_own_stream() -> None:
    """Neither of another stream, nor of one of the same name in another account or region."""
    arn = "arn:aws:kinesis:eu-central-1:123456789012:stream/orders/consumer/us:1700000000"

    def read_by(consumer: str) -> list[str]:
        return problems(**one_pipeline(reader={"fan_out": {"consumer_arn": consumer}}))

    assert read_by(arn) == []
    other = arn.replace("/orders/", "/clicks/")
    assert read_by(other) == [
        f"pipelines[0].reader.fan_out.consumer_arn: {other} is not a consumer of {arn.partition('/consumer')[0]}."
    ]
    for here, elsewhere in (("123456789012", "999988887777"), ("eu-central-1", "us-east-1")):
        assert len(read_by(arn.replace(here, elsewhere))) == 1


@pytest.mark.parametrize("place", ["us-east-1:123456789012", "eu-central-1:222233334444"])
def test_a_stream_of_the_same_name_elsewhere_needs_another_environment(place: str) -> None:
    elsewhere = {"name": "orders", "origin": "adopt", "arn": f"arn:aws:kinesis:{place}:stream/orders"}
    assert problems(streams=[{"name": "orders"}, elsewhere]) == told(
        "streams[1].name: 'orders' is already the name of a stream of another region or account; each needs an environment…"
    )


def test_a_stream_is_named_once_and_read_once() -> None:
    pipelines = [pipeline(table="A"), pipeline(table="B")]
    assert problems(streams=[{"name": "orders"}, {"name": "orders"}], pipelines=pipelines) == [
        "streams[1].name: 'orders' is already the name of another stream.",
        "pipelines[1].stream: 'orders' is already read by pipelines[0].",
    ]


def test_the_lag_alarm_rings_before_records_are_lost() -> None:
    alarms = {"topics": [TOPIC], "lag_minutes": 1425}
    assert problems(alarms=alarms) == told(
        "alarms.lag_minutes: 1425 wakes somebody when the first records are gone…Expected less than 1425."
    )
    assert problems(alarms={**alarms, "lag_minutes": 1424}) == []
    assert problems(alarms=alarms, streams=[{"name": "orders", "retention_hours": 48}]) == []
    assert problems(alarms=alarms, streams=[{"name": "orders", "origin": "adopt"}]) == []


def test_the_last_call_comes_before_the_records_are_gone() -> None:
    streams = [{"name": "orders", "retention_hours": 48}]
    assert problems(streams=streams, alarms={"topics": [TOPIC], "time_to_trim_hours": 47}) == []
    assert problems(streams=streams, alarms={"topics": [TOPIC], "time_to_trim_hours": 48}) == told(
        "alarms.time_to_trim_hours: 48 would ring always: a stream keeps records for 48 hours…"
    )
    assert problems(streams=streams, alarms={"time_to_trim_hours": 48}) == [], "nobody is told"


def test_two_pipelines_share_a_table_where_both_say_so() -> None:
    assert problems(streams=TWO, pipelines=[pipeline("a", **SHARED), pipeline("b", **SHARED)]) == []
    assert problems(streams=TWO, pipelines=[pipeline("a", **SHARED), pipeline("b", table='"T"')]) == [
        "pipelines[1].table: LAKE.RAW.T is also the table of pipelines[0]; say shared_table: true in each of them if that "
        "is meant, or name another table."
    ]
    assert problems(**one_pipeline(shared_table=True)) == told(
        "pipelines[0].shared_table: no other pipeline fills LAKE.RAW.ORDERS…"
    )


def test_the_table_that_a_stream_gives_its_name_counts_too() -> None:
    pipelines = [pipeline("orders"), pipeline("b", table="orders")]
    assert problems(streams=[{"name": "orders"}, {"name": "b"}], pipelines=pipelines) == told(
        "pipelines[0].table: LAKE.RAW.ORDERS is also the table of pipelines[1];…",
        "pipelines[1].table: LAKE.RAW.ORDERS is also the table of pipelines[0];…",
    )


@pytest.mark.parametrize(
    ("path", "change"),
    [
        ("schema_evolution", {"schema_evolution": False}),
        ("error_logging", {"error_logging": False}),
        ("row_timestamp", {"row_timestamp": False}),
        ("table_privilege", {"table_privilege": "ownership"}),
        ("file_replay", {"file_replay": True}),
        ("metadata.column", {"metadata": {"column": "META"}}),
    ],
)
def test_those_who_share_a_table_agree_on_what_it_is(path: str, change: dict[str, Any]) -> None:
    assert problems(streams=TWO, pipelines=[pipeline("a", **SHARED), pipeline("b", **SHARED, **change)]) == told(
        f"pipelines[1].{path}: differs from pipelines[0], which fills the same table LAKE.RAW.T…"
    )


def test_a_pipe_of_one_name_is_one_pipe() -> None:
    def both(name: str) -> list[str]:
        second = {**SELECTING, "pipe": {**SELECTING["pipe"], "name": name}}
        pipelines = [pipeline("a", table="T", **SELECTING), pipeline("b", table="U", **second)]
        return problems(streams=TWO, pipelines=pipelines)

    assert both("p") == told("pipelines[1].pipe.name: LAKE.RAW.P is also the pipe of pipelines[0]…")
    assert both("q") == []


def test_tolerating_all_needs_the_error_table() -> None:
    assert problems(**one_pipeline(tolerance="all", error_logging=False)) == told(
        "pipelines[0].tolerance: 'all' needs error_logging…"
    )
    assert problems(pipelines=[interactive(tolerance="all", columns=COLUMNS)], snowflake=FAST) == told(
        "…an interactive table has no error table…"
    )


def test_the_metadata_column_is_an_identifier_that_sorts_nothing() -> None:
    assert problems(**one_pipeline(metadata={"column": "kinesis metadata"})) == told(
        "pipelines[0].metadata.column: 'kinesis metadata' is not a valid Snowflake identifier…"
    )
    sorting = interactive(cluster_by=["KinesisMetadata"], columns=COLUMNS)
    assert problems(pipelines=[sorting], snowflake=FAST) == told(
        "pipelines[0].cluster_by: KINESISMETADATA is the metadata column…"
    )


def test_snowflakes_own_database_takes_no_table() -> None:
    assert problems(**one_pipeline(database="snowflake")) == told(
        "pipelines[0].database: SNOWFLAKE is Snowflake's own…"
    )


@pytest.mark.parametrize("schema", ["public", "information_schema"])
def test_a_schema_that_snowflake_makes_is_refused(schema: str) -> None:
    assert problems(**one_pipeline(schema=schema)) == told(f"pipelines[0].schema: {schema.upper()} is …")


@pytest.mark.parametrize(
    ("table", "more", "expected"),
    [
        ("T" * 245, {}, []),
        ("T" * 246, {}, ["pipelines[0].table: has 246 characters, and Snowflake adds -STREAMING…"]),
        ("T" * 255, SELECTING, []),
        ("my orders", {}, ["pipelines[0].table: 'my orders' is not a valid Snowflake identifier…\"My Orders\"…"]),
    ],
    ids=["one with a default pipe", "one too long for its pipe", "one with a pipe of its own", "one that needs quotes"],
)
def test_a_table_is_an_identifier_with_room_for_its_pipe(table: str, more: dict[str, Any], expected: list[str]) -> None:
    assert problems(**one_pipeline(table=table, **more)) == told(*expected)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"stream_pattern": "orders-.*"}, []),
        ({"stream_pattern": ".*-orders"}, []),
        (
            {"stream_pattern": ".*-orders-.*"},
            ["…stream_pattern has to begin or end as all its streams' names do…"],
        ),
        (
            {"stream_pattern": "orders-.*", "reader": {"fan_out": {"consumer": "fraud"}}},
            ["…a consumer belongs to one stream…"],
        ),
        ({"stream_pattern": "orders-("}, ["…is not a regular expression…"]),
    ],
)
def test_other_streams_are_found_by_how_their_names_begin_or_end(change: dict[str, Any], expected: list[str]) -> None:
    assert problems(**one_pipeline(**change)) == told(*expected)


def test_two_patterns_that_a_stream_shows_to_overlap_are_refused() -> None:
    streams = [{"name": name} for name in ("orders", "clicks", "orders-eu")]
    first, clicks = pipeline(stream_pattern="orders-.*"), pipeline("clicks", table="C", stream_pattern="clicks-.*")
    assert problems(streams=streams, pipelines=[first, clicks]) == []
    assert problems(streams=streams, pipelines=[first, {**clicks, "stream_pattern": "orders-e.*"}]) == [
        "pipelines[1].stream_pattern: 'orders-e.*' overlaps with 'orders-.*' of pipelines[0]: both match 'orders-eu'; narrow "
        "one of them."
    ]


BY_FILE = {"oversize_rows": "file", "file_replay": True}


def test_what_goes_by_file_has_a_way_into_its_table_and_is_kept_before() -> None:
    assert problems(**one_pipeline(**BY_FILE)) == []
    needs = "pipelines[0]: oversize_rows: file goes through the table's own stage and pipe; give file_replay: true…"
    assert problems(**one_pipeline(oversize_rows="file")) == told(needs)
    for on_error in ("skip", "stop"):
        assert problems(**one_pipeline(**BY_FILE, on_error=on_error)) == told(
            f"pipelines[0]: oversize_rows: file is made of dead letters, and on_error: {on_error} keeps none…"
        )
    streams = [{"name": "orders"}, {"name": "letters"}]
    assert problems(streams=streams, dead_letters={"stream": "letters"}, **one_pipeline(**BY_FILE)) == told(
        "pipelines[0].oversize_rows: file needs dead letters in a bucket or a folder…"
    )


@pytest.mark.parametrize(
    "other",
    [
        {"table_kind": "interactive", "cluster_by": ["ID"], "columns": [{"name": "ID", "type": "NUMBER"}]},
        SELECTING,
        {"pipe": {"name": "P", "origin": "adopt"}, "audit": False},
    ],
)
def test_a_table_that_takes_no_files_has_no_rows_by_file(other: dict[str, Any]) -> None:
    assert any("file_replay" in each for each in problems(**one_pipeline(**BY_FILE, **other)))


@pytest.mark.parametrize(
    "other",
    [
        {"table_origin": "adopt"},
        {"table_kind": "iceberg", "external_volume": "SNOWFLAKE_MANAGED"},
        {"table_kind": "iceberg", "external_volume": "SNOWFLAKE_MANAGED", "iceberg_version": 2},
        {"table_kind": "iceberg", "external_volume": "SNOWFLAKE_MANAGED", "table_origin": "adopt"},
    ],
)
def test_an_adopted_and_an_iceberg_table_take_rows_by_file(other: dict[str, Any]) -> None:
    lake = {"name": "LAKE", "origin": "adopt", "schemas": [{"name": "RAW", "origin": "adopt"}]}
    one = one_pipeline(**BY_FILE, **other, database="LAKE", schema="RAW")
    assert problems(snowflake={"account": "ORG-ACCOUNT", "databases": [lake]}, **one) == []


def test_a_route_without_a_way_for_files_is_allowed_and_its_dead_letters_stay() -> None:
    routes = {"key": "kind", "tables": [{"table": "side", "values": ["s"], "file_replay": False}]}
    assert problems(**one_pipeline(**BY_FILE, routes=routes)) == []
