"""Every record that is read comes to something that is counted: a row, a letter, or rightly nothing; with transforms, too."""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from types import ModuleType
from typing import Any

import pytest

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.runner import ShardRunner
from firnline_ingest.shard.steps import EpochStep
from tests.fakes.kills import Killed, dies_at
from tests.fakes.receipts import problem
from tests.ingest.formats.test_cloudwatch_logs import envelope
from tests.ingest.shard.conftest import World, polling

from .running import bounded, now_ms

LEAVES_OUT = {"transforms": [{"type": "filter", "field": "n", "one_of": [3]}], "empty_records": "ignore"}
PAYLOADS = (b'{"n":0}', b"bad", b"", b'{"n":3}', b'{"n":4}')


def taken_in(world: World, owner: str = "first") -> Receipt:
    return bounded(world.services(owner), world.work())


def test_each_end_of_a_record_is_counted_once(world: World) -> None:
    world.configure(**LEAVES_OUT)
    world.put(*PAYLOADS)
    receipt = taken_in(world)
    assert (receipt.records, receipt.ingested, receipt.dead_letters, receipt.left_out) == (5, 2, 1, 2)
    assert (receipt.tombstones, receipt.filtered) == (1, 1)


def test_what_is_read_once_more_without_the_ledgers_row_is_counted_once_more(world: World) -> None:
    world.configure(**LEAVES_OUT)
    world.put(*PAYLOADS)
    taken_in(world)
    world.ledger.forget(world.key())
    world.channels.served.clear()
    receipt = taken_in(world, "second")
    counts = receipt.records, receipt.dead_letters, receipt.reread_letters
    assert counts == (5, 1, 0), "the ledger's row was lost, and with it who had counted what"


def test_an_envelope_without_events_is_something_too(world: World) -> None:
    world.configure(format={"type": "cloudwatch_logs"})
    world.stream.put(envelope(logEvents=[]))
    receipt = taken_in(world)
    assert (receipt.records, receipt.problem) == (1, None)


def test_a_record_that_came_to_nothing_stops_its_shard_before_anything_of_its_page_is_sent(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    world.configure(format={"type": "json_lines"})
    world.put(b'{"n":0}', b'{"n":1}', b'{"n":2}')
    documents = RowMaker._documents

    def forgets(self: RowMaker, record: Record) -> Iterator[bytes]:
        return iter(()) if record.Data == b'{"n":1}' else documents(self, record)

    with monkeypatch.context() as patch:
        patch.setattr(RowMaker, "_documents", forgets)
        receipt = taken_in(world)
    assert (receipt.problem.id, receipt.problem.is_retryable) == ("FL-2204", False)
    assert "1 came to nothing" in receipt.problem.what
    taken_in(world, "second")
    assert world.numbers == [0, 1, 2]


TRANSFORMS = [
    {"type": "filter", "field": "kind", "one_of": ["heartbeat"]},
    {"type": "exclude", "fields": ["card"]},
    {"type": "insert", "field": "source", "value": "web"},
]


def test_every_record_is_a_row_a_letter_or_filtered_and_the_sum_is_right(world: World) -> None:
    world.configure(transforms=TRANSFORMS)
    world.put({"n": 0, "card": 1}, {"kind": "heartbeat"}, {"source": "app"}, 3, {"kind": "heartbeat"})
    receipt = bounded(world.services(), world.work())
    rows = [json.loads(row) for row in world.served.rows]
    assert [{key: each[key] for key in each if key != "KINESISMETADATA"} for each in rows] == [
        {"n": 0, "source": "web"},
        {"n": 3, "source": "web"},
    ]
    counts = (receipt.records, receipt.rows, receipt.dead_letters, receipt.filtered, receipt.problem)
    assert counts == (5, 2, 1, 2, None)
    (letter,) = world.letters
    assert letter.reason == "transform-failed"
    assert letter.detail == "transforms[2] (insert): source is there already."
    assert world.row.read_through == world.shard.last_position, "what is filtered behind the last row is read through"
    assert bounded(world.services("second"), world.work()).records == 0


def test_a_callable_that_hangs_is_named_as_where_its_shard_is(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """The thread is not ended: one can't be. Whoever looks is told."""
    module = ModuleType("firnline_test_functions")
    monkeypatch.setitem(sys.modules, module.__name__, module)
    world.configure(transforms=[{"type": "callable", "callable": f"{module.__name__}:f", "version": "1"}])
    world.put(0)
    work = world.work()
    runner = ShardRunner(world.services(), ShardRequest.lasting(work, 20.0, arrival_ms=now_ms()))
    seen = []

    def f(record: dict[str, Any]) -> dict[str, Any]:
        seen.append(runner.report.receipt(work, "", is_due=True))
        return record

    module.f = f  # type: ignore[attr-defined] # it is empty
    runner.run()
    assert (seen[0].state, seen[0].problem is not None) == (ShardState.LATE, True)
    assert "has been making rows of records" in seen[0].problem.what
    assert len(world.served.rows) == 1


def test_a_callable_that_is_not_there_stops_its_shard_before_any_record(world: World) -> None:
    world.configure(transforms=[{"type": "callable", "callable": "firnline_no_such_module:f"}])
    world.put(0)
    receipt = bounded(world.services(), world.work())
    assert (receipt.problem.id, receipt.problem.is_retryable, receipt.records) == ("FL-4141", False, 0)
    assert world.served.rows == []


def test_keys_without_a_column_are_counted_where_the_columns_are_known(world: World) -> None:
    world.configure(transforms=TRANSFORMS[:2])
    world.put({"n": 0, "x": 1}, {"kind": "heartbeat", "x": 1}, {"n": 1, "card": 2}, {"N": 2, "x": 1, "y": None})
    receipt = bounded(world.services(), replace(world.work(), columns=("N", "KINESISMETADATA")))
    assert (receipt.rows, receipt.unknown_keys, receipt.problem) == (3, 3, None)


def test_what_a_killed_process_took_in_and_did_not_report_is_in_the_next_ones_receipt(world: World) -> None:
    """Rows and dead letters are there, and no receipt has said so: counts are as durable as what they count."""
    world.put(*PAYLOADS)
    with pytest.raises(Killed):
        bounded(world.services("killed", observer=dies_at(EpochStep.LEDGERED)), world.work())
    receipt = taken_in(world, "second")
    assert (receipt.rows, receipt.dead_letters) == (len(world.numbers), len(world.letters)) == (3, 2)
    again = taken_in(world, "third")
    assert (again.rows, again.dead_letters) == (0, 0), "once"


def test_what_was_kept_after_the_last_write_is_counted_by_who_reads_it_again(world: World) -> None:
    world.put(b'{"n":0}')
    taken_in(world)
    world.put(*PAYLOADS)
    with pytest.raises(Killed):
        bounded(world.services("killed", observer=dies_at(EpochStep.COMMITTED)), world.work())
    receipt = taken_in(world, "second")
    assert (receipt.rows, receipt.reread_rows, receipt.dead_letters, receipt.reread_letters) == (3, 0, 2, 0)


def test_a_limit_that_stopped_a_shard_holds_until_the_pipeline_is_changed(world: World) -> None:
    """Not until the next try, nor a restart: each would let some more through."""
    world.configure(max_unusable_per_minute=3)
    world.put(*(b"bad" for _ in range(12)))
    for owner in ("first", "second", "third"):
        services = world.services(owner, polling=polling(max_records=2))
        receipt = bounded(services, world.work())
        assert problem(receipt) == "FL-4018"
        assert len(world.letters) == 2, owner
    world.configure(max_unusable_per_minute=30)
    assert problem(taken_in(world, "fourth")) is None
    assert len(world.letters) == 12


@pytest.mark.parametrize("step", [EpochStep.DEAD_LETTERED, EpochStep.APPENDED])
def test_what_was_sent_before_the_first_checkpoint_is_reported_by_the_next_process(
    world: World, step: EpochStep
) -> None:
    """No row of the ledger says how far anybody has counted, and no receipt has had any of it."""
    world.put(0, b"bad", 1)
    with pytest.raises(Killed):
        bounded(world.services("first", observer=dies_at(step, 1)), world.work())
    receipt = bounded(world.services("second"), world.work())
    assert (receipt.rows, receipt.dead_letters) == (2, 1)
    assert (receipt.reread_rows, receipt.reread_letters) == (0, 0)
