"""A shard whose records name schemas: a registry that is down, an id that nobody knows, and any schedule of what it forgets."""

import json
import random
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from typing import Any

import pytest

from firnline_ingest.config.format import RegisteredSchema
from firnline_ingest.schemas.errors import RegistryUnreachable
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.shard.work import Destination
from tests.fakes.configs import TARGET
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem
from tests.ingest.formats.test_avro import alone
from tests.ingest.formats.test_registered import CONFLUENT, Known, confluent
from tests.ingest.shard.conftest import World
from tests.ingest.waiting import until

from .running import bounded, now_ms

SCHEMA = {"type": "record", "name": "R", "fields": [{"name": "n", "type": "int"}]}
NEW = 99


def record(n: int, schema_id: int = 7) -> bytes:
    return confluent(alone({"n": n}, SCHEMA), schema_id)


@pytest.fixture
def known(world: World) -> Known:
    world.configure(format=CONFLUENT)
    return Known({7: RegisteredSchema(json.dumps(SCHEMA))})


def reasons(world: World) -> list[str]:
    return [letter.reason for letter in world.letters]


def test_a_shard_waits_for_a_registry_that_is_down_and_says_which(world: World, known: Known) -> None:
    world.put(*map(record, range(3)))
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
    assert world.numbers == [0, 1, 2]
    assert reasons(world) == []


def test_records_of_a_schema_that_nobody_knows_are_letters_and_the_others_rows(world: World, known: Known) -> None:
    world.put(*(record(n, NEW if n in (1, 2, 4) else 7) for n in range(6)))
    receipt = bounded(world.services(schemas=known.of), world.work())
    assert world.numbers == [0, 3, 5]
    assert reasons(world) == ["unknown-schema"] * 3
    assert (receipt.records, receipt.rows, receipt.dead_letters) == (6, 3, 3)
    assert world.row.read_through == world.shard.last_position


@contextmanager
def killed_at(world: World, known: Known, count: int) -> Iterator[bool]:
    """At so many of the shard's steps. Gives whether it came so far."""
    try:
        bounded(world.services(schemas=known.of, observer=dies_at(times=count)), world.work())
    except Killed:
        yield True
    else:
        yield False


@pytest.mark.parametrize("count", range(1, 17))
def test_a_schema_that_somebody_registers_while_the_engine_is_down_changes_no_row(
    world: World, known: Known, count: int
) -> None:
    """A dead letter stays one: a replay of it would otherwise double the row."""
    world.put(*(record(n, NEW if n in (1, 2) else 7) for n in range(5)))
    with killed_at(world, known, count) as was_killed:
        kept_before = len(world.letters)
        known.schemas[NEW] = known.schemas[7]
        receipt = bounded(world.services("second", schemas=known.of), world.work())
    assert receipt.problem is None
    rows = world.numbers
    assert sorted(set(rows) - {1, 2}) == [0, 3, 4]
    assert len(rows) + len(world.letters) == 5
    assert len(world.letters) >= kept_before
    assert was_killed or len(world.letters) == 2
    assert world.row.decided == ()


def test_behind_what_was_a_letter_a_schema_that_is_known_by_now_makes_rows(world: World, known: Known) -> None:
    world.put(record(0, NEW))
    with pytest.raises(Killed):
        bounded(world.services(schemas=known.of, observer=dies_at(EpochStep.DEAD_LETTERED)), world.work())
    world.put(record(1, NEW))
    known.schemas[NEW] = known.schemas[7]
    assert bounded(world.services("second", schemas=known.of), world.work()).problem is None
    assert (world.numbers, reasons(world)) == ([1], ["unknown-schema"])


@pytest.mark.parametrize("count", range(4, 17))
def test_a_schema_that_a_registry_forgets_makes_no_letter_of_what_may_be_a_row(
    world: World, known: Known, count: int
) -> None:
    """A replica that is behind, an id that was deleted: the shard waits until it is there again."""
    world.put(*map(record, range(4)))
    with killed_at(world, known, count):
        schema, are_rows = known.schemas.pop(7), world.numbers
        request = ShardRequest.lasting(world.work(), 0.5, arrival_ms=now_ms())
        runner = ShardRunner(world.services("second", schemas=known.of), request)
        runner.run()
    kept = world.letters
    assert len(world.numbers) + len(kept) <= 4, "no record is both"
    if are_rows and not kept:
        assert problem(runner.receipt()) in (None, "FL-4106")
    known.schemas[7] = schema
    receipt = bounded(world.services("third", schemas=known.of), world.work())
    assert receipt.problem is None
    assert len(world.numbers) + len(world.letters) == 4
    assert world.numbers[: len(are_rows)] == are_rows


def test_a_stop_is_heard_while_the_rows_before_such_a_letter_wait_for_their_commit(world: World, known: Known) -> None:
    world.channels.commits_at_once = False
    world.put(*(record(n, NEW if n == 1 else 7) for n in range(4)))
    request = ShardRequest.lasting(world.work(), 60)
    runner = ShardRunner(world.services(schemas=known.of, final_commit_s=0.1), request)
    runner.start()
    until(lambda: world.letters)
    request.stop()
    assert runner.over.wait(10)
    world.channels.commits_at_once = True
    assert bounded(world.services("second", schemas=known.of), world.work()).problem is None
    assert (world.numbers, reasons(world)) == ([0, 2, 3], ["unknown-schema"])


FIELDS = [{"name": "n", "type": "int"}, {"name": "kind", "type": "string"}]
WITH_KIND = {"type": "record", "name": "R", "fields": FIELDS}
KNOWN = RegisteredSchema(json.dumps(WITH_KIND))
ORDERS = Destination(replace(TARGET, table="ORDERS", pipe="ORDERS-STREAMING"), "app~orders", "ORDERS")
ROUTES = {"key": "kind", "tables": {"order": "ORDERS"}, "unmatched": "own_table"}
LIVES = 8
OFTEN_KNOWN = {7: 0.8, 8: 0.4, 9: 0.3}
"""How likely a life's registry has the schema."""


@pytest.mark.parametrize("routes", [None, ROUTES], ids=["one table", "two tables"])
@pytest.mark.parametrize("seed", range(2))
def test_whatever_a_registry_forgets_each_record_is_a_row_or_a_dead_letter_once(
    world: World, seed: int, routes: dict[str, Any] | None
) -> None:
    rng, known = random.Random(seed), Known({})
    world.configure(format=CONFLUENT, routes=routes)
    asked, total = world.work(routed=(ORDERS,) if routes else ()), 0
    for _ in range(LIVES):
        for _ in range(rng.randint(0, 6)):
            value = {"n": total, "kind": rng.choice(("order", "other"))}
            world.put(confluent(alone(value, WITH_KIND), rng.choice((7, 7, 8, 9))))
            total += 1
        known.schemas = {schema_id: KNOWN for schema_id, often in OFTEN_KNOWN.items() if rng.random() < often}
        world.channels.holds = rng.choice((ORDERS.channel, "")) if routes else ""
        world.channels.commits_at_once = rng.random() < 0.7
        services = world.services(schemas=known.of, observer=dies_at(times=rng.randint(1, 25)), final_commit_s=0.05)
        with suppress(Killed):
            ShardRunner(services, ShardRequest.lasting(asked, 0.15, arrival_ms=now_ms())).run()
    known.schemas, world.channels.holds, world.channels.commits_at_once = dict.fromkeys(OFTEN_KNOWN, KNOWN), "", True
    assert bounded(world.services(schemas=known.of), asked).problem is None
    places = {str(one.sequence_number): n for n, one in enumerate(world.shard.records)}
    rows = [json.loads(row)["n"] for served in world.channels.served.values() for row in served.rows]
    letters = [places[letter.sequence_number] for letter in world.letters]
    assert sorted(rows + letters) == list(range(total))
    assert world.row.decided == ()
