import json
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any

import grpc
import pytest

from firnline_infra.local.pulumi.plugin.pause import VARIABLE, Pause

if TYPE_CHECKING:
    from firnline_infra.local.running import RunningEnvironment

STREAM = "aws:kinesis/stream:Stream"
FOREVER_S = 30


@pytest.fixture
def goes_on() -> Event:
    return Event()


@pytest.fixture(params=["before", "after"])
def pause(request: Any, tmp_path: Path, goes_on: Event) -> Pause:
    when, marker = request.param, tmp_path / "marker"
    return Pause(when=when, call="create", type=STREAM, marker=marker, wait=lambda: goes_on.wait(FOREVER_S) and None)


@pytest.mark.contract
def test_the_provider_stops_on_the_named_side_of_the_effect(
    aws: Any, pause: Pause, goes_on: Event, local_environment: "RunningEnvironment"
) -> None:
    name = f"pause-{pause.when}"
    creation = aws.begin_to_create(STREAM, {"name": name, "shardCount": 1})
    while not pause.marker.exists():
        with pytest.raises(grpc.FutureTimeoutError):
            creation.result(timeout=0.05)
    streams = local_environment.client("kinesis").list_streams()["StreamNames"]
    assert (name in streams) is (pause.when == "after")
    goes_on.set()
    aws.delete(STREAM, creation.result(FOREVER_S).id, {"name": name})


def test_it_comes_from_a_variable(tmp_path: Path) -> None:
    said = {"when": "after", "call": "delete", "type": STREAM, "marker": str(tmp_path / "marker")}
    pause = Pause.from_variables({VARIABLE: json.dumps(said)})
    assert (pause.when, pause.call, pause.type, pause.marker) == ("after", "delete", STREAM, tmp_path / "marker")


def test_without_the_variable_nothing_stops(tmp_path: Path) -> None:
    Pause.from_variables({}).at("before", "create", STREAM)


def test_another_point_is_passed(tmp_path: Path) -> None:
    pause = Pause(when="before", call="create", type=STREAM, marker=tmp_path / "marker")
    pause.at("after", "create", STREAM)
    pause.at("before", "update", STREAM)
    pause.at("before", "create", "aws:iam/role:Role")
    assert not pause.marker.exists()


def test_patterns_match_and_the_first_calls_may_go_on(tmp_path: Path) -> None:
    waited: list[None] = []
    marker = tmp_path / "marker"
    pause = Pause(when="*", call="*", type="aws:*", marker=marker, skip=2, wait=lambda: waited.append(None))
    pause.at("before", "create", STREAM)
    pause.at("before", "create", "snowflake:index/table:Table")
    pause.at("after", "create", STREAM)
    assert not marker.exists()
    pause.at("before", "update", STREAM)
    pause.at("before", "delete", "aws:iam/role:Role")
    assert marker.read_text().splitlines() == [STREAM, "aws:iam/role:Role"]
    assert len(waited) == 2
