"""Every record that is read comes to something that is counted: a row, a letter, or rightly nothing."""

from collections.abc import Iterator

import pytest

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.shard.receipt import Receipt
from tests.ingest.formats.test_cloudwatch_logs import envelope
from tests.ingest.shard.conftest import World

from .running import bounded

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


def test_what_is_read_once_more_is_counted_once_more_and_is_not_new(world: World) -> None:
    world.configure(**LEAVES_OUT)
    world.put(*PAYLOADS)
    taken_in(world)
    world.ledger.forget(world.key())
    world.channels.served.clear()
    receipt = taken_in(world, "second")
    assert (receipt.records, receipt.dead_letters, receipt.reread_letters) == (5, 0, 1)


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
