from collections.abc import Callable
from typing import Any

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]
TOPIC = "arn:aws:sns:eu-central-1:123456789012:oncall"


def test_a_pipeline_names_one_of_the_streams(problems: Problems, pipeline: Part) -> None:
    assert problems(pipelines=[pipeline("order"), pipeline("clicks", table="C")]) == [
        "pipelines[0].stream: 'order' is not among the streams; did you mean 'orders'?",
        "pipelines[1].stream: 'clicks' is not among the streams; expected one of: orders.",
    ]


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
