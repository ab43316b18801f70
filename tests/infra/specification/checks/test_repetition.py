from collections.abc import Callable
from typing import Any

Problems = Callable[..., list[str]]
Part = Callable[..., dict[str, Any]]
TOPIC = "arn:aws:sns:eu-central-1:123456789012:oncall"


def test_what_is_given_twice_is_told(problems: Problems, pipeline: Part, snowflake: Part) -> None:
    found = problems(
        streams=[{"name": "orders", "shard_metrics": ["IncomingBytes"] * 2, "consumers": ["a", "b", "a"]}],
        pipelines=[pipeline(table_kind="interactive", cluster_by=["ID", "id"])],
        snowflake=snowflake(
            allowed_networks=["192.0.2.0/24"] * 2,
            reader={"granted_to": ["ANALYST", "analyst"]},
            interactive_warehouse={"name": "FAST"},
        ),
        alarms={"topics": [TOPIC] * 2},
    )
    assert found == [
        "streams[0].shard_metrics[1]: IncomingBytes is given twice.",
        "streams[0].consumers[2]: a is given twice.",
        "pipelines[0].cluster_by[1]: ID is given twice.",
        "snowflake.allowed_networks[1]: 192.0.2.0/24 is given twice.",
        "snowflake.reader.granted_to[1]: ANALYST is given twice.",
        "alarms.topics[1]: arn:aws:sns:eu-central-1:123456789012:oncall is given twice.",
    ]


def test_an_alarm_tells_five_topics_at_most(problems: Problems) -> None:
    assert problems(alarms={"topics": [f"{TOPIC}-{number}" for number in range(5)]}) == []
    assert problems(alarms={"topics": [f"{TOPIC}-{number}" for number in range(6)]}) == [
        "alarms.topics: 6 are given; an alarm tells 5 topics."
    ]
