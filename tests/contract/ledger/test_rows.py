"""One suite for every ledger, in memory and in DynamoDB: the rows of shards."""

from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_ingest.kinesis.start import AtTimestamp, TrimHorizon
from firnline_ingest.ledger.backend import Ledger
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.errors import Fenced, LedgerTableForeign, LedgerTableMissing
from firnline_ingest.ledger.incident import Incident, IncidentKind, Loss
from firnline_ingest.ledger.row import ChannelEntry, DecidedRange, Proven, ReadAgain, ResumeFrom, ShardRow
from firnline_ingest.values import Fence, Position, ShardKey, TargetTable
from tests.contract.ledger.tables import TABLE, dynamo_ledger
from tests.fakes.ledger import MemoryLedger

pytestmark = pytest.mark.contract

KEY = ShardKey("events", 1_700_000_000_000, "shardId-000000000000")


TARGET = TargetTable("DB", "RAW", "EVENTS", "2026-01-01T00:00:00.000+00:00", "EVENTS-STREAMING")


class AskedTwice:
    """A client whose first answer to a taking is lost: botocore asks again, and is refused."""

    def __init__(self, client: Any) -> None:
        self._client = client

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def put_item(self, **request: Any) -> Any:
        self._client.put_item(**request)
        return self._client.put_item(**request)

    def update_item(self, **request: Any) -> Any:
        self._client.update_item(**request)
        return self._client.update_item(**request)


def taken(ledger: Ledger, owner: str = "me") -> ShardRow:
    before = ledger.read(KEY)
    return ledger.take(KEY, before.fence if before else Fence(), owner, TrimHorizon())


def test_a_shard_that_was_never_taken_has_no_row(ledger: Ledger) -> None:
    assert ledger.read(KEY) is None
    assert ledger.rows(KEY.incarnation) == {}


def test_taking_raises_the_generation_and_keeps_what_was_known(ledger: Ledger) -> None:
    first = ledger.take(KEY, Fence(), "a", AtTimestamp(42))
    ledger.write(replace(first, read_through=Position(7)))
    second = ledger.take(KEY, first.fence, "b", TrimHorizon())
    assert second.fence == Fence(2, "b")
    assert (second.start, second.read_through) == (AtTimestamp(42), Position(7))
    assert ledger.read(KEY) == second


def test_taking_keeps_what_the_owner_wrote_at_the_last_moment(dynamodb: Any, ledger: Ledger) -> None:
    owned = ledger.take(KEY, Fence(), "owner", TrimHorizon())
    lost = Incident(IncidentKind.RETENTION_LOSS, 5, "lost", Position(4))
    last = replace(owned, read_through=Position(200), incidents=(lost,), ended=True, children=("shardId-000000000001",))
    writes = iter([last])

    def write_first(**_: Any) -> None:
        for row in writes:
            ledger.write(row)

    for operation in ("PutItem", "UpdateItem"):
        dynamodb.meta.events.register(f"before-call.dynamodb.{operation}", write_first)
    if isinstance(ledger, MemoryLedger):
        write_first()  # nothing comes between the two halves of its taking
    assert ledger.take(KEY, owned.fence, "taker", TrimHorizon()) == replace(last, fence=Fence(2, "taker"))
    assert ledger.read(KEY) == replace(last, fence=Fence(2, "taker"))


@pytest.mark.parametrize("held", [Fence(), Fence(1, "before")])
def test_a_taking_whose_answer_was_lost_is_found_to_have_succeeded(dynamodb: Any, ledger: Ledger, held: Fence) -> None:
    if held.generation:
        ledger.take(KEY, Fence(), "before", AtTimestamp(42))
    if isinstance(ledger, DynamoLedger):
        ledger = DynamoLedger(AskedTwice(dynamodb), TABLE)
    row = ledger.take(KEY, held, "me", AtTimestamp(42))
    assert row == ledger.read(KEY) == ShardRow(key=KEY, start=AtTimestamp(42), fence=Fence(held.generation + 1, "me"))


def test_of_two_that_take_the_same_generation_one_is_fenced(ledger: Ledger) -> None:
    seen = taken(ledger).fence
    ledger.take(KEY, seen, "fast", TrimHorizon())
    with pytest.raises(Fenced, match="fast"):
        ledger.take(KEY, seen, "slow", TrimHorizon())


def test_of_two_that_take_a_new_shard_one_is_fenced(ledger: Ledger) -> None:
    ledger.take(KEY, Fence(), "fast", TrimHorizon())
    with pytest.raises(Fenced):
        ledger.take(KEY, Fence(), "slow", TrimHorizon())


def test_a_writer_whose_shard_was_taken_is_fenced(ledger: Ledger) -> None:
    zombie = taken(ledger, "zombie")
    taken(ledger, "owner")
    with pytest.raises(Fenced, match="owner"):
        ledger.write(replace(zombie, read_through=Position(9)))


def test_an_owner_of_the_same_generation_by_another_name_is_fenced(ledger: Ledger) -> None:
    row = taken(ledger)
    with pytest.raises(Fenced):
        ledger.write(replace(row, fence=Fence(row.fence.generation, "impostor"), read_through=Position(9)))


def test_read_through_never_goes_back(ledger: Ledger) -> None:
    row = replace(taken(ledger), read_through=Position(10**55))
    ledger.write(row)
    with pytest.raises(Fenced):
        ledger.write(replace(row, read_through=Position(10**55 - 1)))
    ledger.write(replace(row, read_through=Position(10**55, 0, 1)))


def test_the_row_of_an_ended_shard_can_be_removed_and_twice_is_once(ledger: Ledger) -> None:
    row = replace(taken(ledger), ended=True)
    ledger.write(row)
    for _ in range(2):
        ledger.remove(row)
    assert ledger.read(KEY) is None


def test_a_row_is_removed_only_as_it_was_seen_and_once_its_shard_has_ended(ledger: Ledger) -> None:
    open_ = taken(ledger)
    with pytest.raises(Fenced):
        ledger.remove(open_)
    ended = replace(open_, ended=True)
    ledger.write(ended)
    taken(ledger, "somebody else")
    with pytest.raises(Fenced, match="somebody else"):
        ledger.remove(ended)
    assert ledger.read(KEY) is not None


def test_everything_in_a_row_comes_back_as_it_was_written(ledger: Ledger) -> None:
    row = replace(
        taken(ledger),
        heartbeat_ms=1_700_000_000_123,
        read_through=Position(49_613_519_837_405_128_000_000_000_000_000_000_000_000_000_000_000_000_002, 3, 1),
        tip_ms=1_700_000_000_456,
        arrived_ms=1_700_000_000_400,
        since_ms=1_690_000_000_000,
        retention_hours=48,
        sent_through=Position(18),
        sent_ms=1_700_000_000_400,
        is_sending=True,
        first_read=Position(1),
        kept_through=Position(19, 1),
        decided=(
            DecidedRange(Position(18), Position(19, 1)),
            DecidedRange(Position(19, 0, 2), Position(19), "too wide"),
        ),
        channels={
            "a~b": ChannelEntry(
                TARGET, Proven(Position(17, 2, 1), 10**12, 3), seen=Position(18), missed="run/7", created_ms=9
            ),
            "c": ChannelEntry(TARGET),
        },
        ended=True,
        children=("shardId-000000000001", "shardId-000000000002"),
        routing="r1",
        read_again=ReadAgain(Position(4), "r0"),
        incidents=(
            Incident(IncidentKind.RETENTION_LOSS, 5, "lost", Position(4), Position(2), Loss(1, 9, 300, 10**10), 7, 8),
            Incident(IncidentKind.PARENT_UNREAD, 5, "lost in part", loss=Loss(to_ms=9)),
            Incident(IncidentKind.LEDGER_REBUILT, 6, "rebuilt"),
        ),
        reset=ResumeFrom.TRIM_HORIZON,
    )
    ledger.write(row)
    assert ledger.read(KEY) == row
    assert ledger.rows(KEY.incarnation) == {KEY.shard_id: row}


def test_rows_of_another_incarnation_of_the_stream_are_not_its_own(ledger: Ledger) -> None:
    taken(ledger)
    assert ledger.rows("events@1800000000000") == {}


class Late:
    """A client that keeps what it sent: each request may arrive once more, whenever a test says so."""

    def __init__(self, client: Any) -> None:
        self._client = client
        self.sent: list[dict[str, Any]] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self._client, name)

    def put_item(self, **request: Any) -> Any:
        self.sent.append(request)
        return self._client.put_item(**request)


def test_a_write_that_arrives_once_more_behind_a_later_one_changes_nothing(dynamodb: Any) -> None:
    """Both have read equally far, and the owner is the same: rows may be in flight, and the late one says that none is."""
    dynamo_ledger(dynamodb)
    late = Late(dynamodb)
    ledger = DynamoLedger(late, TABLE)  # type: ignore[arg-type] # all that it calls is passed on
    first = ledger.take(KEY, Fence(), "worker", TrimHorizon())
    ledger.write(quiet := replace(first, heartbeat_ms=1))
    ledger.write(sending := replace(quiet, is_sending=True, kept_through=Position(7)))
    for request in late.sent:
        with pytest.raises(ClientError, match="ConditionalCheckFailed"):
            late._client.put_item(**request)
    assert ledger.read(KEY) == sending
    other = DynamoLedger(late, TABLE)
    found = other.rows("events@1700000000000")[KEY.shard_id]
    other.write(again := replace(found, heartbeat_ms=9))
    assert ledger.read(KEY) == again, "another process numbers its writes above those that it has read"
    taken = other.take(KEY, first.fence, "next", TrimHorizon())
    ledger.read(KEY)
    ledger.write(last := replace(taken, heartbeat_ms=10))
    assert ledger.read(KEY) == last
    with pytest.raises(Fenced):
        other.write(replace(again, heartbeat_ms=11))


def test_a_table_that_is_missing_is_said_so(dynamodb: Any) -> None:
    with pytest.raises(LedgerTableMissing, match="'nowhere'"):
        DynamoLedger(dynamodb, "nowhere").check()


def test_another_programs_table_is_refused(dynamodb: Any) -> None:
    dynamodb.create_table(
        TableName="kcl",
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": "leaseKey", "AttributeType": "S"}],
        KeySchema=[{"AttributeName": "leaseKey", "KeyType": "HASH"}],
    )
    with pytest.raises(LedgerTableForeign, match="leaseKey"):
        DynamoLedger(dynamodb, "kcl").check()
