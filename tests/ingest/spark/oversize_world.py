"""Dead letters, a ledger and a table for the driver's rounds by file, in memory."""

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import Choice, DeadLetter
from firnline_ingest.dead_letters.file_load import FileLoads
from firnline_ingest.dead_letters.file_transport import FileTransport
from firnline_ingest.dead_letters.replay import ReplayServices
from firnline_ingest.dead_letters.transport import BY_FILE, ReplayTable
from firnline_ingest.kinesis.page import Record
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.records.rejection import RejectedRecord, RejectReason
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.snowflake.target import TargetState
from firnline_ingest.spark.oversize import OversizeRounds
from firnline_ingest.values import Position, ShardKey, TargetTable
from tests.fakes.configs import config, reading
from tests.fakes.ledger import MemoryLedger
from tests.fakes.snowpipe import Asker, Pipe
from tests.ingest.dead_letters.conftest import Effect, MemoryObjects, Watched
from tests.ingest.spark.standing_in import receipt

CREATED = 1_700_000_000_000
ONE, TWO = (ShardKey("orders", CREATED, f"shardId-00000000000{number}") for number in (1, 2))
LARGE = b'{"text":"' + b"x" * 2000 + b'"}'
TARGET = TargetTable("DB", "RAW", "ORDERS", "2026-01-01T00:00:00.000+00:00", "ORDERS-STREAMING")


def letter(number: int, data: bytes = LARGE, *, shard: ShardKey = ONE, reason: str = "too-large") -> DeadLetter:
    return DeadLetter.of(
        RejectedRecord(0, RejectReason(reason), "x"), Record(str(number), data, "p", 1763725995.0), shard
    )


@dataclass
class World:
    """Dead letters with the time of their writing, a ledger, a journal, stage and pipe; they outlive a driver."""

    letters: list[tuple[datetime, DeadLetter]] = field(default_factory=list)
    objects: MemoryObjects = field(default_factory=MemoryObjects)
    ledger: MemoryLedger = field(default_factory=MemoryLedger)
    pipe: Pipe = field(default_factory=Pipe)
    asked: list[Choice] = field(default_factory=list)
    pipe_created_ms: int = 1
    fails: Exception | None = None
    effect: Effect = lambda _: None
    """Before and after each thing that a round does: a place to be killed at."""
    config: EngineConfig = field(
        default_factory=lambda: config(pipelines=[reading("orders", max_row_bytes=1024, oversize_rows="file")])
    )

    def __post_init__(self) -> None:
        self.ledger.set_mark("orders", StreamMark(f"orders@{CREATED}"), None)
        for shard in (ONE, TWO):
            self.passed(shard, 10_000)

    def passed(self, shard: ShardKey, number: int) -> None:
        self.ledger.restore(ShardRow(key=shard, start=TrimHorizon(), read_through=Position(number)))

    def keep(self, *letters: DeadLetter) -> None:
        self.letters += [(self.pipe.now, each) for each in letters]

    def rounds(self, **changes: Any) -> OversizeRounds:
        return OversizeRounds(
            **{
                "config": self.config,
                "ledger": self.ledger,
                "is_ours": lambda: True,
                "services": self.services,
                "objects_of": lambda _: self.objects,
                "now": lambda: self.pipe.now,
                **changes,
            }
        )

    @contextmanager
    def services(self, config: EngineConfig, objects: Any, ledger: Any, memories: Any) -> Iterator[ReplayServices]:
        if self.fails:
            raise self.fails
        yield ReplayServices(
            letters=self,  # type: ignore[arg-type] # as much of it as a round asks for
            objects=Watched(objects, self.effect, ["create", "names", "read"]),  # type: ignore[arg-type] # the same
            ledger=ledger,
            channels_of=None,  # type: ignore[arg-type] # not asked for by file
            target_of=lambda _: TargetState(TARGET, evolves=True, logs_errors=True),
            files=self.tables,
            memories=memories,
        )

    def tables(self, *_: Any) -> Mapping[str, ReplayTable]:
        asker: Any = Watched(Asker(self.pipe), self.effect, ["history", "put", "submit", "report", "scan", "remove"])
        loads = FileLoads(asker, now=lambda: self.pipe.now, sleep=self.sleep)
        channel, made = f"{BY_FILE}DB.RAW.ORDERS_DEAD_LETTERS", self.pipe_created_ms
        lane = FileTransport(
            loads=loads, target=TARGET, channel=channel, pipe_created_ms=made, now=lambda: self.pipe.now
        )
        return {"": ReplayTable(lane, keeps_rejected=False)}

    def sleep(self, seconds: float) -> None:
        self.pipe.now += timedelta(seconds=seconds)
        self.pipe.work()

    def list(self, choice: Choice, _: Any) -> Iterator[DeadLetter]:
        self.asked.append(choice)
        return (each for written, each in self.letters if choice.has(each) and choice.has_time(written))

    def shards(self, choice: Choice) -> Sequence[ShardKey]:
        return sorted(
            {ShardKey(each.stream, each.stream_created_ms, each.shard_id) for _, each in self.letters}, key=str
        )

    @property
    def numbers(self) -> Sequence[str]:
        return sorted(json.loads(row)["KINESISMETADATA"]["sequenceNumber"] for row in self.pipe.table)


def not_over() -> bool:
    return False


def kept(shard: ShardKey = ONE, **counts: int) -> Receipt:
    return receipt(shard.stream, shard.shard_id, stream_created_ms=CREATED, **(counts or {"dead_letters": 1}))
