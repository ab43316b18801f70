"""Plays Spark's part of a streaming query: it calls a reader in Spark's order, keeps a checkpoint, and may be killed anywhere.

The reader object of the driver and the copies in the tasks share nothing but what they pickle, as on Spark.
"""

import json
import pickle
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.datasource import KinesisDataSource
from firnline_local.kinesis import FakeKinesis, KinesisServer
from firnline_local.kinesis.operations import subscriptions

Sink = Callable[[int, list[tuple[Any, ...]]], None]


class Killed(Exception):
    """The process ends here."""


@dataclass
class Checkpoint:
    """Files that outlive a process: Spark's logs of offsets and commits, and a sink that knows a batch by its number."""

    offsets: list[dict[str, Any]] = field(default_factory=list)
    committed: int = 0
    written: dict[int, list[tuple[Any, ...]]] = field(default_factory=dict)

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return [row for number in sorted(self.written) for row in self.written[number]]

    def ids(self) -> Counter[str]:
        return Counter(json.loads(row[0])["n"] for row in self.rows)


class Query:
    """One run of the driver over a checkpoint."""

    def __init__(self, options: dict[str, str], checkpoint: Checkpoint, kill_at: str = "") -> None:
        self._reader: Any = KinesisDataSource(dict(options)).streamReader(None)  # type: ignore[arg-type]
        self._checkpoint = checkpoint
        self._kill_at = kill_at
        self._tasks = 0

    def run(self, batches: int) -> None:
        """Takes up a batch that was planned and not committed, then makes new ones. Raises Killed."""
        log = self._checkpoint
        if log.committed < len(log.offsets):
            self._batch(log.committed)
        for _ in range(batches):
            start = log.offsets[-1] if log.offsets else self._reader.initialOffset()
            end = json.loads(json.dumps(self._reader.latestOffset(start, None)))
            if end == start:
                return
            if log.offsets:
                self._reader.commit(log.offsets[-1])
            self._dies("before the offset is logged")
            log.offsets.append(end)
            self._dies("after the offset is logged")
            self._batch(len(log.offsets) - 1)

    def _batch(self, number: int) -> None:
        log = self._checkpoint
        start = log.offsets[number - 1] if number else {}
        rows: list[tuple[Any, ...]] = []
        for partition in self._reader.partitions(start, log.offsets[number]):
            copy = pickle.loads(pickle.dumps(self._reader))
            for batch in copy.read(pickle.loads(pickle.dumps(partition))):
                rows += list(zip(*(column.to_pylist() for column in batch.columns), strict=True))
                self._dies("inside a task")
            self._tasks += 1
            self._dies("after a task")
        self._dies("before the sink")
        log.written[number] = rows  # a sink that is idempotent by the batch's number: the last attempt counts
        self._dies("after the sink")
        log.committed = number + 1

    def _dies(self, where: str) -> None:
        if self._kill_at == where:
            self._kill_at = ""
            raise Killed(where)


def subscribe(server: KinesisServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Registers a consumer, by which the options of the stream read then. What the service refuses for five seconds, two
    subscriptions to a shard, stands still with the fake's clock: here it does not.
    """
    monkeypatch.setattr(subscriptions, "AGAIN_AFTER_MS", 0)
    arn = server.kinesis.stream("orders").arn
    server.kinesis.call("RegisterStreamConsumer", {"StreamARN": arn, "ConsumerName": "spark"})
    server.kinesis.clock.advance(seconds=60)  # type: ignore[attr-defined] # a ManualClock: it is ACTIVE now


def consumer_of(server: KinesisServer) -> dict[str, str]:
    """Returns the option that names the stream's consumer, where it has one."""
    arn = server.kinesis.stream("orders").arn
    found = server.kinesis.call("ListStreamConsumers", {"StreamARN": arn})["Consumers"]
    return {"consumerArn": str(found[0]["ConsumerARN"])} if found else {}


def options_of(server: KinesisServer, folder: Path, **more: str) -> dict[str, str]:
    return {
        "stream": "orders",
        "region": "us-east-1",
        "endpoint": server.endpoint,
        "metadataPath": str(folder),
        **consumer_of(server),
        **more,
    }


def put(kinesis: FakeKinesis, first: int, count: int) -> None:
    stream = kinesis.stream("orders")
    for number in range(first, first + count):
        stream.put({"n": number}, key=f"key-{number}")
