"""A shard whose records name schemas: a registry that is down, an id that nobody knows, and one that somebody knows later."""

import io
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import fastavro
import pytest

from firnline_ingest.config.format import RegisteredSchema
from firnline_ingest.schemas.errors import RegistryUnreachable
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.steps import EpochStep
from tests.ingest.formats.test_registered import CONFLUENT, Known, confluent
from tests.ingest.shard.conftest import World
from tests.ingest.shard.test_formats import Killed, pipeline

from .running import bounded, now_ms, numbers, until

SCHEMA = {"type": "record", "name": "R", "fields": [{"name": "n", "type": "int"}]}
NEW = 99


def record(n: int, schema_id: int = 7) -> bytes:
    file = io.BytesIO()
    fastavro.schemaless_writer(file, SCHEMA, {"n": n})
    return confluent(file.getvalue(), schema_id)


@pytest.fixture
def known(world: World) -> Known:
    world.pipeline = pipeline(CONFLUENT)
    return Known({7: RegisteredSchema(json.dumps(SCHEMA))})


def letters(world: World) -> list[str]:
    return [entry.reason for entry in world.dead_letters.list()]


def test_a_shard_waits_for_a_registry_that_is_down_and_says_which(world: World, known: Known) -> None:
    for n in range(3):
        world.stream.put(record(n))
    known.fails = {7}
    told: list[str] = []

    def asked(of: object) -> Any:
        def ask(schema_id: Any) -> RegisteredSchema | None:
            try:
                return known(schema_id)
            except RegistryUnreachable:
                told.append(runner.report.receipt(world.work(), "").problem.id if runner.report.failures else "")
                if len(told) == 3:
                    known.fails.clear()
                raise

        return ask

    request = ShardRequest.lasting(world.work(), 20, arrival_ms=now_ms())
    runner = ShardRunner(world.services(schemas=asked), request)
    runner.run()
    assert told == ["", "FL-4101", "FL-4101"]
    assert runner.receipt().state is ShardState.DONE
    assert numbers(world.served.rows) == [0, 1, 2]
    assert letters(world) == []


def test_records_of_a_schema_that_nobody_knows_are_letters_and_the_others_rows(world: World, known: Known) -> None:
    for n in range(6):
        world.stream.put(record(n, NEW if n in (1, 2, 4) else 7))
    receipt = bounded(world.services(schemas=known.of), world.work())
    assert numbers(world.served.rows) == [0, 3, 5]
    assert letters(world) == ["unknown-schema"] * 3
    assert (receipt.records, receipt.rows, receipt.dead_letters) == (6, 3, 3)
    assert world.row.read_through == world.shard.last_position


@contextmanager
def killed_at(world: World, known: Known, count: int) -> Iterator[bool]:
    """At so many of the shard's steps. Gives whether it came so far."""
    steps = 0

    def die(step: EpochStep, _key: object) -> None:
        nonlocal steps
        steps += 1
        if steps == count:
            raise Killed

    try:
        bounded(world.services(schemas=known.of, observer=die), world.work())
    except Killed:
        yield True
    else:
        yield False


@pytest.mark.parametrize("count", range(1, 17))
def test_a_schema_that_somebody_registers_while_the_engine_is_down_changes_no_row(
    world: World, known: Known, count: int
) -> None:
    """What is a dead letter stays one: a replay of it would otherwise double the row."""
    for n in range(5):
        world.stream.put(record(n, NEW if n in (1, 2) else 7))
    with killed_at(world, known, count) as was_killed:
        kept_before = len(letters(world))
        known.schemas[NEW] = known.schemas[7]
        receipt = bounded(world.services("second", schemas=known.of), world.work())
    assert receipt.problem is None
    rows = numbers(world.served.rows)
    assert sorted(set(rows) - {1, 2}) == [0, 3, 4]
    assert len(rows) + len(letters(world)) == 5
    assert len(letters(world)) >= kept_before
    assert was_killed or len(letters(world)) == 2
    assert world.row.decided == ()


def test_behind_what_was_a_letter_a_schema_that_is_known_by_now_makes_rows(world: World, known: Known) -> None:
    world.stream.put(record(0, NEW))

    def die(step: EpochStep, _key: object) -> None:
        if step is EpochStep.DEAD_LETTERED:
            raise Killed

    with pytest.raises(Killed):
        bounded(world.services(schemas=known.of, observer=die), world.work())
    world.stream.put(record(1, NEW))
    known.schemas[NEW] = known.schemas[7]
    assert bounded(world.services("second", schemas=known.of), world.work()).problem is None
    assert (numbers(world.served.rows), letters(world)) == ([1], ["unknown-schema"])


@pytest.mark.parametrize("count", range(4, 17))
def test_a_schema_that_a_registry_forgets_makes_no_letter_of_what_may_be_a_row(
    world: World, known: Known, count: int
) -> None:
    """A replica that is behind, an id that was deleted: the shard waits until it is there again."""
    for n in range(4):
        world.stream.put(record(n))
    with killed_at(world, known, count):
        schema, are_rows = known.schemas.pop(7), numbers(world.served.rows)
        request = ShardRequest.lasting(world.work(), 0.5, arrival_ms=now_ms())
        runner = ShardRunner(world.services("second", schemas=known.of), request)
        runner.run()
    kept = letters(world)
    assert len(numbers(world.served.rows)) + len(kept) <= 4, "no record is both"
    if are_rows and not kept:
        problem = runner.receipt().problem
        assert problem is None or problem.id == "FL-4106"
    known.schemas[7] = schema
    receipt = bounded(world.services("third", schemas=known.of), world.work())
    assert receipt.problem is None
    assert len(numbers(world.served.rows)) + len(letters(world)) == 4
    assert numbers(world.served.rows)[: len(are_rows)] == are_rows


def test_a_stop_is_heard_while_the_rows_before_such_a_letter_wait_for_their_commit(world: World, known: Known) -> None:
    world.channels.commits_at_once = False
    for n in range(4):
        world.stream.put(record(n, NEW if n == 1 else 7))
    request = ShardRequest.lasting(world.work(), 60)
    runner = ShardRunner(world.services(schemas=known.of, final_commit_s=0.1), request)
    runner.start()
    until(lambda: letters(world))
    request.stop()
    assert runner.over.wait(10)
    world.channels.commits_at_once = True
    assert bounded(world.services("second", schemas=known.of), world.work()).problem is None
    assert (numbers(world.served.rows), letters(world)) == ([0, 2, 3], ["unknown-schema"])
