"""An engine of a simulated world, and what a look at it finds."""

from typing import Any

from firnline_infra.status.model import EnvironmentStatus, ServiceStatus
from firnline_infra.status.reader import StatusReader
from tests.infra.rollout.test_roll import OLD
from tests.infra.rollout.world import STREAM, World


def running() -> World:
    world = World()
    world.roll_out().deploy(OLD)
    return world


def in_one(text: str) -> str:
    """Without the ends of lines, as a person reads it."""
    return " ".join(text.split())


def reader(world: World, *, now_ms: int | None = None, idle_after_s: int = 300, **others: Any) -> StatusReader:
    records = tuple(world.roll_out().records.newest_first())
    return StatusReader(
        application="firnline-dev",
        ledger=world.ledger,
        streams=lambda: {STREAM: idle_after_s, "never-read": idle_after_s},
        service=others.pop("service", lambda: ServiceStatus(runs=world.runs("firnline-dev"), deployments=records)),
        now_ms=lambda: round(world.now_s * 1000) + 5000 if now_ms is None else now_ms,
        sleep=world.sleep,
        clock=lambda: world.now_s,
        **others,
    )


def looked(world: World, **others: Any) -> EnvironmentStatus:
    return reader(world, **others).read()
