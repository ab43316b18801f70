"""The engine through real Spark, the real SDK and the real connector, as processes of their own."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest

from tests.fakes.kinesis import made_active
from tests.spark.conftest import HANGS_S, Lane, until

pytestmark = [pytest.mark.slow, pytest.mark.spark, pytest.mark.timeout(HANGS_S)]


def command(lane: Lane, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "firnline_ingest", *arguments, "--config", str(lane.config_file)],
        env={**os.environ, **lane.environment.variables},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )


def found_by_pattern(lane: Lane, events: int) -> str:
    """A second stream into the lane's table, which no pipeline names."""
    document = json.loads(lane.config_file.read_text())
    options = {name: value for name, value in document["pipelines"][0].items() if name != "stream"}
    document["patterns"] = [{**options, "streams": f"{lane.name}-.+"}]
    lane.config_file.write_text(json.dumps(document))
    second, kinesis = f"{lane.name}-b", lane.environment.client("kinesis")
    made_active(kinesis, second)
    records = [{"Data": json.dumps({"other": n}).encode(), "PartitionKey": "k"} for n in range(events)]
    assert kinesis.put_records(StreamName=second, Records=records)["FailedRecordCount"] == 0
    return second


def test_bounded_runs_take_in_a_resharded_stream_and_one_that_a_pattern_finds_up_to_a_time_and_then_the_rest(
    new_lane: Callable[..., Lane],
) -> None:
    lane = new_lane()
    second = found_by_pattern(lane, 100)
    kinesis = lane.environment.client("kinesis")
    lane.put(*({"n": n, "deep": {"list": [n]}} for n in range(400)), b"not json")
    shard = kinesis.list_shards(StreamName=lane.name)["Shards"][0]
    middle = (int(shard["HashKeyRange"]["StartingHashKey"]) + int(shard["HashKeyRange"]["EndingHashKey"])) // 2
    kinesis.split_shard(StreamName=lane.name, ShardToSplit=shard["ShardId"], NewStartingHashKey=str(middle))
    lane.put(*({"n": n, "late": True} for n in range(400, 800)))
    moment = datetime.now(UTC)
    time.sleep(0.01)  # arrivals are told in milliseconds
    lane.put(*({"n": n} for n in range(800, 850)))

    with lane.engine(available_now=True, until=moment) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)

    assert lane.rows("COUNT(*), COUNT(DISTINCT N), COUNT(LATE), COUNT(DISTINCT OTHER)") == [(900, 800, 400, 100)]
    written = [line for line in lane.log() if line["event"] == "shard.receipt" and line["rows"]]
    assert len({line["shard_id"] for line in written if line["stream"] == lane.name}) == 4
    assert sum(line["rows"] for line in written if line["stream"] == second) == 100
    ended = [line for line in lane.log() if line["event"] == "shard.receipt" and line["state"] == "ended"]
    assert [line["shard_id"] for line in ended] == [shard["ShardId"]]
    assert any(line["event"] == "schema.evolved" for line in lane.log())

    with lane.engine(available_now=True) as again:
        assert again.wait(HANGS_S) == 0
        assert again.total("rows") == 50
    assert lane.rows("COUNT(*), COUNT(DISTINCT N)") == [(950, 850)]


def test_a_running_engine_refuses_a_second_one_and_stops_when_asked_with_everything_proven(
    new_lane: Callable[..., Lane],
) -> None:
    lane = new_lane()
    lane.put(*({"n": n} for n in range(100)))
    with lane.engine(available_now=False) as engine:
        until(lambda: lane.rows()[0][0] == 100, engine)
        second = command(lane, "run")
        assert second.returncode == 2
        assert "FL-2106" in second.stderr
        assert "firnline stop" in second.stderr

        lane.put({"n": 100})
        until(lambda: lane.rows()[0][0] == 101, engine)
        asked = command(lane, "stop")
        assert asked.returncode == 0, asked.stderr
        assert engine.wait(HANGS_S) == 0
    last = {line["shard_id"]: line for line in lane.log() if line["event"] == "shard.receipt"}
    assert all(line["end"] == line["proven"] for line in last.values())


@pytest.mark.parametrize("ending", [signal.SIGTERM, signal.SIGINT])
def test_an_engine_that_is_told_to_end_while_it_starts_ends_well_and_frees_its_name(
    new_lane: Callable[..., Lane], ending: signal.Signals
) -> None:
    lane = new_lane()
    with lane.engine(available_now=False) as engine:
        until(engine.started.is_set, engine)  # the query has not begun yet
        os.kill(engine.pid, ending)
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
    asked = command(lane, "stop")
    assert "No engine runs" in asked.stdout


def test_a_rejected_row_stops_its_shard_with_the_servers_message_and_the_other_one_is_finished(
    new_lane: Callable[..., Lane],
) -> None:
    lane = new_lane(columns=", N NUMBER")
    lane.put(*({"n": n} for n in range(50)), {"n": "a text"})
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 4
    (failure,) = [line for line in lane.log() if line["event"] == "shard.failed"]
    assert failure["problem"] == "FL-3105"
    assert "firnline resume --config" in failure["next_step"]
    assert lane.rows("COUNT(N)") == [(50,)]
    token = failure["next_step"].split("--accept-errors ")[1].split()[0]
    shard = failure["shard"].split("/")[1]

    resumed = command(lane, "resume", "--stream", lane.name, "--shard", shard, "--accept-errors", token)
    assert resumed.returncode == 0, resumed.stderr
    with lane.engine(available_now=True) as engine:
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
    assert lane.rows("COUNT(N)") == [(50,)]


@pytest.mark.parametrize("master", ["local-cluster[2,1,900]", "local[2]"], ids=["two executors", "two tasks of one"])
def test_shards_stay_in_their_process_from_epoch_to_epoch(new_lane: Callable[..., Lane], master: str) -> None:
    lane = new_lane(
        spark={"master": master, "conf": {"spark.executor.memory": "512m"}},
        epoch={"shards_per_task": 1},
    )
    lane.put(*({"n": n} for n in range(200)))
    with lane.engine(available_now=False) as engine:

        def receipts() -> list[dict[str, Any]]:
            return [line for line in lane.log() if line["event"] == "shard.receipt"]

        def epochs() -> int:
            return sum(line["event"] == "epoch.ended" for line in lane.log())

        until(lambda: epochs() >= 3, engine)
        lane.put(*({"n": n} for n in range(200, 300)))
        until(lambda: lane.rows()[0][0] == 300, engine)
        seen = epochs()
        until(lambda: epochs() > seen + 1, engine)
        found = receipts()
        assert command(lane, "stop").returncode == 0
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)
    assert len({line["pid"] for line in found}) == 2, "each shard had a process of its own"
    opens = {
        shard: sum(line["opens"] - line["interruptions"] for line in found if line["shard_id"] == shard)
        for shard in {r["shard_id"] for r in found}
    }
    assert set(opens.values()) == {1}, f"an epoch's boundary costs no re-open: {json.dumps(found)}"
