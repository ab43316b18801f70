"""drain(writer) where a run of availableNow takes one batch, as on Spark 4.0 and 4.1: nothing that had arrived is left."""

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.datasource import drain, source
from firnline_ingest.datasource import draining as module
from firnline_local.kinesis import FakeKinesis, KinesisServer, ManualClock
from tests.contract.datasource.query import Checkpoint, Killed, Query, options_of, put

pytestmark = pytest.mark.contract


@pytest.fixture
def server(monkeypatch: pytest.MonkeyPatch) -> Iterator[KinesisServer]:
    monkeypatch.setattr(source, "PLAN_EVERY_S", 0.0)
    monkeypatch.setattr(module, "READS_ALL", False)
    with KinesisServer(FakeKinesis(clock=ManualClock(), read_limits=False)) as server:
        server.kinesis.create_stream("orders", shards=2)
        yield server


class Writer:
    """Stands for a DataStreamWriter, and for the query that it starts: one batch, whatever there is."""

    def __init__(self, options: dict[str, str], checkpoint: Checkpoint, before: Callable[[int], None] = lambda _: None):
        self._options, self.checkpoint, self._before = options, checkpoint, before
        self.runs = 0
        self.kill_at = ""
        self.form: Callable[[Any], str] = str

    def trigger(self, *, availableNow: bool) -> "Writer":  # noqa: N803 (Spark's name)
        assert availableNow
        return self

    def start(self) -> "Writer":
        self._before(self.runs)
        self.runs += 1
        return self

    def awaitTermination(self) -> None:
        self._is_planned = self.checkpoint.committed == len(self.checkpoint.offsets)
        Query(self._options, self.checkpoint, self.kill_at).run(int(self._is_planned))

    @property
    def lastProgress(self) -> Any:
        others = [{"endOffset": each} for each in ("a text", "None", None, "7", "{'logOffset': 3}")]
        took = {"addBatch": 12} | ({"latestOffset": 7} if self._is_planned else {})
        return {"durationMs": took, "sources": [*others, {"endOffset": self.form(self.checkpoint.offsets[-1])}]}


def drained(writer: Any) -> int:
    before = writer.runs
    assert drain(writer) is writer
    return int(writer.runs - before)


@pytest.mark.parametrize("form", [str, json.dumps], ids=["as on Spark 4.1", "as JSON"])
def test_runs_follow_one_another_until_every_shard_was_read_to_its_tip(
    server: KinesisServer, tmp_path: Path, form: Callable[[Any], str]
) -> None:
    writer = Writer(options_of(server, tmp_path, maxRecordsPerShard="4"), Checkpoint())
    writer.form = form
    put(server.kinesis, 0, 40)
    assert drained(writer) == 5
    assert writer.checkpoint.ids() == Counter(range(40))
    assert drained(writer) == 2
    put(server.kinesis, 40, 3)
    assert drained(writer) == 2
    assert writer.checkpoint.ids() == Counter(range(43))


def test_the_children_of_shards_that_end_are_read_through_generations(server: KinesisServer, tmp_path: Path) -> None:
    stream = server.kinesis.stream("orders")
    put(server.kinesis, 0, 10)
    stream.shards[0].split()
    put(server.kinesis, 10, 10)
    stream.shards[2].merge(stream.shards[3])
    put(server.kinesis, 20, 10)
    writer = Writer(options_of(server, tmp_path), Checkpoint())
    drained(writer)
    assert writer.checkpoint.ids() == Counter(range(30))


def test_it_ends_though_records_go_on_arriving(server: KinesisServer, tmp_path: Path) -> None:
    writer = Writer(options_of(server, tmp_path), Checkpoint(), lambda run: put(server.kinesis, 40 + 10 * run, 10))
    put(server.kinesis, 0, 40)
    assert drained(writer) == 2
    assert writer.checkpoint.ids() == Counter(range(60))


def test_a_run_that_fails_ends_it_and_the_next_one_goes_on(server: KinesisServer, tmp_path: Path) -> None:
    writer = Writer(options_of(server, tmp_path, maxRecordsPerShard="4"), Checkpoint())
    put(server.kinesis, 0, 40)
    writer.kill_at = "before the sink"
    with pytest.raises(Killed):
        drain(writer)  # type: ignore[arg-type]
    writer.kill_at = ""
    put(server.kinesis, 40, 40)
    drained(writer)
    assert writer.checkpoint.ids() == Counter(range(80))


def test_a_batch_that_is_run_again_says_nothing_of_what_arrived_since(server: KinesisServer, tmp_path: Path) -> None:
    """The run before came to the tip; the one behind it does not, and one more has to follow."""
    writer = Writer(options_of(server, tmp_path, maxRecordsPerShard="4"), Checkpoint())
    put(server.kinesis, 0, 2)
    writer.kill_at = "after the sink"
    with pytest.raises(Killed):
        drain(writer)  # type: ignore[arg-type]
    writer.kill_at = ""
    put(server.kinesis, 2, 20)
    assert drained(writer) > 3
    assert writer.checkpoint.ids() == Counter(range(22))


def test_a_spark_whose_trigger_reads_everything_is_asked_once(
    server: KinesisServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "READS_ALL", True)
    assert drained(Writer(options_of(server, tmp_path), Checkpoint())) == 1


def test_a_checkpoint_of_before_goes_on(server: KinesisServer, tmp_path: Path) -> None:
    writer = Writer(options_of(server, tmp_path), Checkpoint())
    put(server.kinesis, 0, 10)
    drained(writer)
    del writer.checkpoint.offsets[-1]["is_behind"]
    put(server.kinesis, 10, 10)
    drained(writer)
    assert writer.checkpoint.ids() == Counter(range(20))
