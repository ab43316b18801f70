import json
from pathlib import Path

import pytest

from firnline_local.running import RunningEnvironment
from tests.pulumi.pause import VARIABLE, Pause
from tests.pulumi.pausing_plugin import PausingCloud

STREAM = "aws:kinesis/stream:Stream"


@pytest.mark.contract
@pytest.mark.parametrize("when", ["before", "after"])
def test_the_provider_stops_on_the_named_side_of_the_effect(
    when: str, tmp_path: Path, local_environment: RunningEnvironment
) -> None:
    name, streams = f"pause-{when}", local_environment.client("kinesis").list_streams
    there: list[bool] = []
    pause = Pause(
        when=when,
        call="create",
        type=STREAM,
        marker=tmp_path / "marker",
        wait=lambda: there.append(name in streams()["StreamNames"]),
    )
    cloud = PausingCloud("aws", local_environment, pause)
    made = cloud.create(STREAM, name, {"name": name, "shardCount": 1})
    cloud.delete(STREAM, name, made.id, made.properties)
    cloud.close()
    assert pause.marker.exists()
    assert there == [when == "after"]


def test_it_comes_from_a_variable(tmp_path: Path) -> None:
    said = {"when": "after", "call": "delete", "type": STREAM, "marker": str(tmp_path / "marker")}
    pause = Pause.from_variables({VARIABLE: json.dumps(said)})
    assert (pause.when, pause.call, pause.type, pause.marker) == ("after", "delete", STREAM, tmp_path / "marker")


def test_without_the_variable_nothing_stops(tmp_path: Path) -> None:
    Pause.from_variables({}).at("before", "create", STREAM, "a")


def test_another_point_is_passed(tmp_path: Path) -> None:
    pause = Pause(when="before", call="create", type=STREAM, marker=tmp_path / "marker")
    pause.at("after", "create", STREAM, "a")
    pause.at("before", "update", STREAM, "a")
    pause.at("before", "create", "aws:iam/role:Role", "a")
    assert not pause.marker.exists()


def test_patterns_match_and_the_first_calls_may_go_on(tmp_path: Path) -> None:
    waited: list[None] = []
    marker = tmp_path / "marker"
    pause = Pause(when="*", call="*", type="aws:*", marker=marker, skip=2, wait=lambda: waited.append(None))
    pause.at("before", "create", STREAM, "a")
    pause.at("before", "create", "snowflake:index/table:Table", "a")
    pause.at("after", "create", STREAM, "a")
    assert not marker.exists()
    pause.at("before", "update", STREAM, "a")
    pause.at("before", "delete", "aws:iam/role:Role", "b")
    assert marker.read_text().splitlines() == [f"update {STREAM} a", "delete aws:iam/role:Role b"]
    assert len(waited) == 2


def test_the_calls_of_every_provider_are_counted_together(tmp_path: Path) -> None:
    marker = tmp_path / "marker"
    of_each = [Pause(when="before", call="*", type="*", marker=marker, skip=1, wait=lambda: None) for _ in range(2)]
    for pause in of_each:
        pause.at("before", "create", STREAM, "a")
    assert len(marker.read_text().splitlines()) == 1


def test_a_call_is_stopped_before_its_effect_then_after_it_and_then_no_more(tmp_path: Path) -> None:
    marker, seen = tmp_path / "marker", list[str]()
    pause = Pause(when="before", call="*", type="*", marker=marker, seen=seen, wait=lambda: None)
    stops = []
    for _ in range(3):
        for when in ("before", "after"):
            pause.at(when, "create", STREAM, "a")
            stopped, seen[:] = len(marker.read_text().splitlines()) > len(seen), marker.read_text().splitlines()
            stops.append((when, stopped))
            if stopped:
                break
    assert stops == [("before", True), ("before", False), ("after", True), ("before", False), ("after", False)]
    assert seen == [f"create {STREAM} a"] * 2
