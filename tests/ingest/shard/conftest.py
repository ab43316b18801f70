"""A shard's world in memory: the fake Kinesis behind a real client, channels and a ledger without servers."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.dead_letters import DeadLetter, LocalFolder
from firnline_ingest.kinesis.start import Start, TrimHorizon
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.values import ShardKey
from firnline_local.kinesis import FakeKinesis, ManualClock, ShardHandle, StreamHandle
from tests.fakes.channels import MemoryChannels, ServedChannel
from tests.fakes.configs import TARGET, pipeline
from tests.fakes.kinesis import client_of
from tests.fakes.ledger import MemoryLedger

READ_EVERY_MS = 20
"""Nobody else reads these streams: the pause that the service asks for is tested in tests/ingest/kinesis."""


def polling(**changes: int) -> PollingConfig:
    return PollingConfig(**changes).model_copy(update={"interval_ms": READ_EVERY_MS})


@dataclass
class World:
    folder: Path
    kinesis: FakeKinesis = field(default_factory=lambda: FakeKinesis(read_limits=False))
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    channels: MemoryChannels = field(default_factory=MemoryChannels)
    pipeline: PipelineConfig = field(default_factory=pipeline)

    def __post_init__(self) -> None:
        self.stream: StreamHandle = self.kinesis.create_stream("events")
        self.dead_letters = LocalFolder(self.folder)

    def use_clock(self) -> ManualClock:
        """Begins again with a service whose time is the test's."""
        clock = ManualClock()
        self.kinesis = FakeKinesis(read_limits=False, clock=clock)
        self.stream = self.kinesis.create_stream("events")
        return clock

    def configure(self, **settings: object) -> None:
        self.pipeline = pipeline(**settings)

    def put(self, *payloads: object, shard: ShardHandle | None = None) -> list[str]:
        """A number is the record {"n": number}. Says their sequence numbers."""
        records = [{"n": each} if isinstance(each, int) else each for each in payloads]
        return [str((shard or self.stream).put(record).sequence_number) for record in records]

    @property
    def shard(self) -> ShardHandle:
        return self.stream.shards[0]

    def key(self, shard: ShardHandle | None = None) -> ShardKey:
        return ShardKey("events", self.stream.found.created_ms, (shard or self.shard).id)

    def work(self, start: Start | None = None, *, shard: ShardHandle | None = None, **changes: object) -> ShardWork:
        settings: dict[str, object] = {
            "key": self.key(shard),
            "epoch": 1,
            "start": start or TrimHorizon(),
            "pipeline": self.pipeline,
            "target": TARGET,
            "channel": f"app~{(shard or self.shard).id}",
            "retention_hours": 24,
        }
        return ShardWork(**{**settings, **changes})

    def services(self, run_id: str = "run", **changes: object) -> ShardServices:
        settings: dict[str, object] = {
            "ledger": self.ledger,
            "kinesis": client_of(self.kinesis),
            "channels": self.channels,
            "dead_letters": self.dead_letters,
            "polling": polling(),
            "run_id": run_id,
            "prove_every_s": 0.0,
            "write_every_s": 0.0,
            "final_commit_s": 5.0,
            "counter_settle_s": 0.0,
            "reopen_delay_s": 0.0,
        }
        return ShardServices(**{**settings, **changes})

    @contextmanager
    def group(self, run_id: str = "run", **changes: object) -> Iterator[ShardGroup]:
        """Closed at the block's end, with everything proven."""
        group = ShardGroup(self.services(run_id, **changes))
        try:
            yield group
        finally:
            group.close()

    @property
    def served(self) -> ServedChannel:
        (served,) = self.channels.served.values()
        return served

    @property
    def numbers(self) -> list[int]:
        """Numbers of the table's rows, which one channel has brought."""
        return [json.loads(row)["n"] for row in self.served.rows]

    @property
    def letters(self) -> list[DeadLetter]:
        return list(self.dead_letters.list())

    @property
    def row(self) -> ShardRow:
        return self.ledger.kept[self.key()]


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path / "dead-letters")
