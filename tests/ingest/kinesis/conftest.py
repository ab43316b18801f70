"""One shard of a fake stream, its clock, and readers whose waiting moves that clock."""

from typing import Any

import pytest

from firnline_ingest.config.running import PollingConfig
from firnline_ingest.kinesis import client as client_module
from firnline_ingest.kinesis.reader import Read, ShardReader
from firnline_ingest.kinesis.start import Start, TrimHorizon
from firnline_ingest.native import SWITCH, find_native
from firnline_ingest.values import Position, ShardKey
from firnline_local.kinesis import FakeKinesis, Fault, ManualClock
from tests.fakes.kinesis import client_of


class Shard:
    def __init__(self, **settings: Any) -> None:
        self.clock = ManualClock()
        self.kinesis = FakeKinesis(clock=self.clock, **settings)
        self.stream = self.kinesis.create_stream("events")
        self.waited: list[float] = []

    def reader(self, start: Start | None = None, polling: PollingConfig | None = None, **more: Any) -> ShardReader:
        key = ShardKey("events", self.stream.found.created_ms, self.stream.shards[0].id)
        options = {"clock": self.seconds, "jitter": lambda: 1.0, **more}
        client, polling = client_of(self.kinesis), polling or PollingConfig()
        return ShardReader(client, key, start or TrimHorizon(), polling, **options)

    def read(self, reader: ShardReader | None = None) -> Read:
        """The next answer that has something to say; of a new reader, where none is given."""
        reader = reader or self.reader()
        for _ in range(20):
            answer = reader.read(self.wait)
            if answer is not None:
                return answer
        raise AssertionError("nothing was read")

    def put(self, number: int) -> Position:
        return Position(self.stream.put({"n": number}).sequence_number)

    def fails(self, *faults: Fault) -> None:
        self.kinesis.faults.replace(faults)

    def seconds(self) -> float:
        return self.clock.now.timestamp()

    def wait(self, seconds: float) -> bool:
        self.waited.append(seconds)
        self.clock.advance(seconds=seconds)
        return False


@pytest.fixture
def shard() -> Shard:
    return Shard()


def numbers(answer: Read) -> list[int]:
    return [int(record.Data.removeprefix(b'{"n":').removesuffix(b"}")) for record in answer.records]


@pytest.fixture
def in_json(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "http_proxy", "https_proxy", "AWS_CA_BUNDLE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "first")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "secret")
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setattr(client_module, "native", lambda: find_native({SWITCH: "off"}))
