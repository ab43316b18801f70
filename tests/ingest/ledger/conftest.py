"""A stream with a consumer, and engines that have a ledger in common."""

from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.registration import Registrar, deregister_all
from firnline_local.kinesis import FakeKinesis, Fault, FaultKind, ManualClock
from tests.fakes import configs
from tests.fakes.kinesis import client_of
from tests.fakes.ledger import MemoryLedger

STREAM, NAME = "events", "firnline"


class World:
    """One stream, a ledger, and engines that have both in common."""

    def __init__(self) -> None:
        self.clock = ManualClock()
        self.kinesis = FakeKinesis(clock=self.clock)
        self.stream = self.kinesis.create_stream(STREAM)
        self.ledger = MemoryLedger()
        self.client = client_of(self.kinesis)

    def registrar(self, ledger: Any = None) -> Registrar:
        return Registrar(lambda stream: self.client, ledger or self.ledger)

    def ensure(self, registrar: Registrar | None = None) -> str:
        now_ms = int(self.clock.now.timestamp()) * 1000
        return (registrar or self.registrar()).arn_of(STREAM, self.stream.arn, NAME, now_ms)

    def deregister(self, ledger: Any = None) -> list[str]:
        return deregister_all(config("lazy"), self.registrar(ledger), self.wait)

    def wait(self, seconds: float) -> bool:
        self.clock.advance(seconds=seconds)
        return False

    def by_hand(self, name: str = NAME) -> str:
        made = self.kinesis.call("RegisterStreamConsumer", {"StreamARN": self.stream.arn, "ConsumerName": name})
        return str(made["Consumer"]["ConsumerARN"])

    def remove_by_hand(self) -> None:
        self.kinesis.call("DeregisterStreamConsumer", {"StreamARN": self.stream.arn, "ConsumerName": NAME})

    @property
    def consumers(self) -> list[str]:
        return [each.arn for each in self.stream.found.consumers.values()]

    def fail(self, operation: str, kind: FaultKind = FaultKind.ERROR, **more: Any) -> None:
        self.kinesis.faults.replace([Fault(endpoint=f"kinesis:{operation}", kind=kind, **more)])


@pytest.fixture
def world(monkeypatch: pytest.MonkeyPatch) -> World:
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "fake")
    return World()


def config(*registrations: str, consumer: str | None = None, retries: dict[str, Any] | None = None) -> EngineConfig:
    fan_out = {"consumer": consumer} if consumer else {}
    streams = (STREAM, *(f"{STREAM}{number}" for number in range(1, len(registrations))))
    pipelines = [
        configs.reading(stream, reader={"fan_out": {"registration": each, **fan_out}})
        for stream, each in zip(streams, registrations, strict=bool(registrations))
    ]
    return configs.config(application=NAME, retries=retries or {}, pipelines=pipelines)


def give_up(seconds: float) -> bool:
    return True


def waiting(world: World, waited: list[float]) -> Callable[[float], bool]:
    def wait(seconds: float) -> bool:
        waited.append(seconds)
        world.clock.advance(seconds=seconds)
        return False

    return wait
