from collections.abc import Callable
from typing import Any

import pytest

from firnline_infra.spec import EnvironmentSpec
from firnline_ingest.errors import ConfigError

Spec = Callable[..., EnvironmentSpec]


def pipeline(stream: str, **changes: Any) -> dict[str, Any]:
    return {"stream": stream, "database": "LAKE", "schema": "RAW", **changes}


def problems(spec: Spec, **changes: Any) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        spec(**changes)
    return caught.value.problems


def test_a_pipeline_names_one_of_the_streams(spec: Spec) -> None:
    assert problems(spec, pipelines=[pipeline("order"), pipeline("clicks")]) == [
        "pipelines[0].stream: 'order' is not among the streams; did you mean 'orders'?",
        "pipelines[1].stream: 'clicks' is not among the streams; expected one of: orders.",
    ]


def test_a_stream_is_named_once_and_read_once(spec: Spec) -> None:
    assert problems(
        spec,
        streams=[{"name": "orders"}, {"name": "orders"}],
        pipelines=[pipeline("orders", table="A"), pipeline("orders", table="B")],
    ) == [
        "streams[1].name: 'orders' is already the name of another stream.",
        "pipelines[1].stream: 'orders' is already read by pipelines[0].",
    ]


def test_streams_that_share_a_table_agree_on_it(spec: Spec) -> None:
    streams = [{"name": "a"}, {"name": "b"}]
    both = [pipeline("a", table="T"), pipeline("b", table='"T"')]
    assert len(spec(streams=streams, pipelines=both).pipelines) == 2

    both[1]["error_logging"] = False
    (problem,) = problems(spec, streams=streams, pipelines=both)
    assert problem.startswith("pipelines[1].table: LAKE.RAW.T is also the table of pipelines[0]")


def test_a_table_without_a_name_has_the_one_that_its_stream_gives(spec: Spec) -> None:
    (problem,) = problems(
        spec,
        streams=[{"name": "orders"}, {"name": "b"}],
        pipelines=[pipeline("orders"), pipeline("b", table="ORDERS", row_timestamp=False)],
    )
    assert "LAKE.RAW.ORDERS is also the table of pipelines[0]" in problem


def test_tolerating_all_needs_the_error_table(spec: Spec) -> None:
    (problem,) = problems(spec, pipelines=[pipeline("orders", tolerance="all", error_logging=False)])
    assert problem.startswith("pipelines[0].tolerance: 'all' needs error_logging")


def test_the_metadata_column_is_an_identifier(spec: Spec) -> None:
    (problem,) = problems(spec, pipelines=[pipeline("orders", metadata={"column": "kinesis metadata"})])
    assert problem.startswith("pipelines[0].metadata.column: 'kinesis metadata' is no Snowflake identifier")
