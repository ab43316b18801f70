"""The real engine and the obvious loop, for a few seconds, through the same canned servers."""

import time

import pytest

from bench.processes import Role
from bench.world import Shards, World

pytestmark = [pytest.mark.e2e, pytest.mark.spark, pytest.mark.slow]

LITTLE = Shards(count=2, records_per_s=50.0, is_trickle=True)


def test_the_engine_writes_all_that_it_read_and_notes_each_append() -> None:
    with World(LITTLE) as world:
        notes = world.folder / "appends.txt"
        with world.engine(epoch_s=10.0, notes=notes) as engine:
            engine.wait_until(lambda: world.written()["rows"] > 0, what="the first row", timeout_s=120)
            engine.finish()
        noted = sum(int(line.split()[2]) for line in notes.read_text().splitlines())
        assert world.read()["records"] == world.written()["rows"] == noted
        assert engine.tree.samples[-1].cpu_s.keys() >= {Role.DRIVER, Role.JVM, Role.WORKER}
        give_up_s = time.monotonic() + 20
        while engine.tree.pids and time.monotonic() < give_up_s:  # workers notice the JVM's end by themselves
            time.sleep(0.1)
        assert engine.tree.pids == []


def test_the_obvious_loop_writes_rows_to_the_same_servers() -> None:
    with World(LITTLE) as world, world.obvious_loop() as loop:
        loop.wait_until(lambda: world.written()["rows"] > 10, what="rows", timeout_s=60)
