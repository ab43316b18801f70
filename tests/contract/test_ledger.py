"""One suite for every ledger: the one in memory, DynamoDB's (moto's, in process), and an account's where `scripts/live` asks."""

import os
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import ClientError

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.kinesis.start import AtTimestamp, TrimHorizon
from firnline_ingest.ledger.backend import Ledger, Run
from firnline_ingest.ledger.consumer import ConsumerRecord
from firnline_ingest.ledger.dynamodb import KEY_SCHEMA, DynamoLedger
from firnline_ingest.ledger.errors import Fenced, LedgerTableForeign, LedgerTableMissing
from firnline_ingest.ledger.incident import Incident, IncidentKind, Loss
from firnline_ingest.ledger.mark import StreamMark
from firnline_ingest.ledger.row import ChannelEntry, DecidedRange, Proven, ResumeFrom, ShardRow
from firnline_ingest.ledger.standby import BY_HAND, Standby, StandbyState
from firnline_ingest.values import Fence, Position, ShardKey, TargetTable
from tests.fakes.ledger import MemoryLedger

pytestmark = pytest.mark.contract

KEY = ShardKey("events", 1_700_000_000_000, "shardId-000000000000")
TARGET = TargetTable("DB", "RAW", "EVENTS", "2026-01-01T00:00:00.000+00:00", "EVENTS-STREAMING")


IN_AN_ACCOUNT = os.environ.get("FIRNLINE_LIVE_TABLE")
"""Its name, which scripts/live removes with all that it has made."""
TABLE = IN_AN_ACCOUNT or "ledger"
NAMES = dict(zip(("#a", "#b"), KEY_SCHEMA, strict=True))


@pytest.fixture
def dynamodb() -> Iterator[Any]:
    if IN_AN_ACCOUNT:
        yield dynamodb_client(AwsConfig(region=os.environ["AWS_REGION"]))
        return
    from moto import mock_aws

    with mock_aws():
        yield dynamodb_client(AwsConfig(region="us-east-1"))


@pytest.fixture(params=["memory", "dynamodb"])
def ledger(request: pytest.FixtureRequest) -> Ledger:
    if request.param == "memory":
        return MemoryLedger()
    return dynamo_ledger(request.getfixturevalue("dynamodb"))


def dynamo_ledger(client: Any) -> DynamoLedger:
    """Over an empty table."""
    if not IN_AN_ACCOUNT or TABLE not in client.list_tables()["TableNames"]:
        client.create_table(
            TableName=TABLE,
            BillingMode="PAY_PER_REQUEST",
            AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEY_SCHEMA],
            KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEY_SCHEMA.items()],
        )
        client.get_waiter("table_exists").wait(TableName=TABLE)
    what = {"ProjectionExpression": "#a, #b", "ExpressionAttributeNames": NAMES, "ConsistentRead": True}
    for item in client.scan(TableName=TABLE, **what)["Items"]:
        client.delete_item(TableName=TABLE, Key=item)
    return DynamoLedger(client, TABLE)


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
        read_again="r0",
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


def test_a_run_is_replaced_only_as_it_was_seen(ledger: Ledger) -> None:
    first, second, third = Run("a", "engine a"), Run("b", "engine b"), Run("c", "engine c")
    assert ledger.begin_run(first, None)
    assert not ledger.begin_run(second, None)
    seen = ledger.current_run()
    ledger.beat("a")
    assert not ledger.begin_run(second, seen)
    seen = ledger.current_run()
    assert ledger.begin_run(second, seen)
    assert not ledger.begin_run(third, seen)
    assert ledger.beat("a") is None


def test_a_run_that_ended_leaves_the_application_free(ledger: Ledger) -> None:
    ledger.begin_run(Run("a", "engine a"), None)
    ledger.end_run("a")
    assert ledger.current_run() is None
    assert ledger.begin_run(Run("b", "engine b"), None)


def test_a_run_says_which_keys_it_uses_and_its_successor_begins_without_them(ledger: Ledger) -> None:
    assert ledger.begin_run(Run("one", "process 1"), None)
    ledger.show_fingerprints("one", ("SHA256:a", "SHA256:b"))
    found = ledger.current_run()
    assert found.fingerprints == ("SHA256:a", "SHA256:b")
    assert ledger.beat("one") == replace(found, beat=1)
    ledger.show_fingerprints("a stranger", ("SHA256:c",))
    assert ledger.current_run() == replace(found, beat=1)
    assert ledger.begin_run(Run("two", "process 2"), replace(found, beat=1))
    successor = ledger.current_run()
    assert successor.fingerprints == ()


def test_the_streams_that_were_begun_are_known_by_name(ledger: Ledger) -> None:
    assert ledger.begun_streams() == []
    for name in ("orders", "clicks-2", "clicks-1"):
        ledger.set_mark(name, StreamMark(f"{name}@1", since_ms=1), None)
    ledger.set_mark("matching clicks-.*", StreamMark("matching clicks-.*", since_ms=1), None)
    assert sorted(ledger.begun_streams()) == ["clicks-1", "clicks-2", "orders"]


def test_a_run_says_how_many_shards_it_has_no_room_for_and_its_successor_begins_without_them(ledger: Ledger) -> None:
    assert ledger.begin_run(Run("one", "process 1"), None)
    ledger.show_waiting("one", 7)
    ledger.show_waiting("a stranger", 9)
    assert ledger.beat("one") == Run("one", "process 1", beat=1, waiting=7)
    ledger.show_waiting("one", 0)
    assert ledger.current_run() == Run("one", "process 1", beat=1)
    ledger.show_waiting("one", 3)
    assert ledger.begin_run(Run("two", "process 2"), Run("one", "process 1", beat=1, waiting=3))
    assert ledger.current_run() == Run("two", "process 2")


def test_a_run_says_what_it_runs_with_for_as_long_as_it_has_the_application(ledger: Ledger) -> None:
    one = Run("one", "process 1", configuration="0123456789abcdef", version="0.1.0")
    assert ledger.begin_run(one, None)
    assert ledger.current_run() == one
    assert ledger.beat("one") == replace(one, beat=1)
    assert ledger.begin_run(Run("two", "process 2"), replace(one, beat=1))
    assert ledger.current_run() == Run("two", "process 2")


def test_a_stop_request_that_names_another_run_stops_nobody(ledger: Ledger) -> None:
    ledger.begin_run(Run("a", "engine a"), None)
    assert ledger.begin_run(Run("b", "engine b"), ledger.current_run())
    assert ledger.request_stop("a") is None
    beat = ledger.beat("b")
    assert beat.stop_requests == 0


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


def test_a_stop_request_is_seen_with_the_next_beat(ledger: Ledger) -> None:
    assert ledger.request_stop("a") is None
    ledger.begin_run(Run("a", "engine a"), None)
    ledger.request_stop("a")
    beat = ledger.beat("a")
    assert (beat.beat, beat.stop_requests) == (1, 1)


def test_a_standby_shows_itself_and_is_promoted_by_its_run(ledger: Ledger) -> None:
    assert ledger.standby() is None
    first, second = (Standby(run_id, f"process of {run_id}", f"start of {run_id}", "c0ffee", "1.0") for run_id in "ab")
    ledger.stand_by(first, ledger.standby())
    assert ledger.standby() == first
    assert not ledger.admit("b")
    assert ledger.beat_standby("b", StandbyState.READY, "") is None
    ready = replace(first, state=StandbyState.READY, told="in words", beat=1)
    assert ledger.beat_standby("a", StandbyState.READY, "in words") == ready
    assert ledger.admit("a")
    assert ledger.standby() == replace(ready, is_admitted=True)
    ledger.stand_by(second, ledger.standby())
    assert ledger.beat_standby("a", StandbyState.READY, "") is None
    assert not ledger.admit("a")
    assert ledger.standby() == second
    third = replace(second, run_id="c", displaced=("1-a", "2-b"))
    ledger.stand_by(third, ledger.standby())
    assert ledger.standby() == third


def test_a_standby_takes_the_row_from_exactly_what_it_has_seen_but_for_its_beats(ledger: Ledger) -> None:
    first, second, third = (Standby(run_id, f"process of {run_id}", f"start of {run_id}") for run_id in "abc")
    assert not ledger.stand_by(second, first)
    assert ledger.stand_by(first, None)
    assert not ledger.stand_by(second, None)
    assert not ledger.stand_by(second, third)
    ledger.beat_standby("a", StandbyState.READY, "")
    ledger.admit("a")
    assert not ledger.stand_by(second, first), "it was let in since"
    assert ledger.stand_by(second, replace(first, is_admitted=True)), "a beat takes nothing away"
    assert ledger.standby() == second


def test_a_person_s_command_leaves_what_the_last_engine_s_start_was(ledger: Ledger) -> None:
    ledger.begin_run(Run("a", "process of a", start="1-a", configuration="c0ffee"), None)
    ledger.end_run("a")
    for command in ("resume", "migrate"):
        assert ledger.begin_run(Run(command, "a person's", start=BY_HAND), None)
        assert ledger.last_start() == "1-a"
        ledger.end_run(command)
    assert ledger.last_start() == "1-a"
    ledger.begin_run(Run("b", "process of b", start=BY_HAND, configuration="c0ffee"), None)
    assert ledger.last_start() == BY_HAND


def test_the_last_start_is_known_after_its_engine_has_given_the_application_back(ledger: Ledger) -> None:
    assert ledger.last_start() == ""
    assert ledger.begin_run(Run("a", "process of a", start="1-a"), None)
    ledger.end_run("a")
    assert (ledger.current_run(), ledger.last_start()) == (None, "1-a")
    assert ledger.begin_run(Run("b", "process of b"), None)
    assert ledger.last_start() == ""


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


def test_a_stream_is_paused_in_its_mark_and_stays_so_until_it_is_resumed(ledger: Ledger) -> None:
    assert ledger.pause("events", True) is False, "nobody has read it yet"
    first = StreamMark("events@1", "h", (Incident(IncidentKind.RESUMED, 5, "begun anew"),))
    ledger.set_mark("events", first, None)
    assert ledger.pause("events", True)
    assert ledger.mark("events") == replace(first, is_paused=True)
    again = replace(first, incarnation="events@2", is_paused=True)
    assert ledger.set_mark("events", again, first) == again
    assert ledger.mark("events") == again
    assert ledger.pause("events", False)
    assert ledger.mark("events") == replace(again, is_paused=False)


def test_a_mark_that_is_set_while_a_person_pauses_its_stream_stays_paused(ledger: Ledger) -> None:
    """An engine, or the decision to begin anew, may have read it before."""
    first, second = StreamMark("events@1"), StreamMark("events@2", "h")
    assert ledger.set_mark("events", replace(first, is_paused=True), None) == first
    assert ledger.pause("events", True)
    assert ledger.set_mark("events", second, first) == replace(second, is_paused=True)
    assert ledger.mark("events") == replace(second, is_paused=True)


def test_a_streams_mark_is_set_by_whoever_knows_the_one_before(ledger: Ledger) -> None:
    first = StreamMark("events@1")
    second = StreamMark("events@2", "h", (Incident(IncidentKind.RESUMED, 5, "begun anew"),))
    assert ledger.mark("events") is None
    assert ledger.set_mark("events", first, None) == first
    assert ledger.set_mark("events", second, None) == first, "somebody was faster"
    assert ledger.set_mark("events", second, first) == second
    assert (ledger.mark("events"), ledger.mark("other")) == (second, None)


def test_a_consumers_record_is_replaced_and_forgotten_only_as_it_was_seen(ledger: Ledger) -> None:
    asked = ConsumerRecord("events", "mine", "one", 1_700_000_000_000)
    assert (ledger.consumer("events", "mine"), ledger.consumers()) == (None, [])
    assert ledger.set_consumer(asked, None)
    assert not ledger.set_consumer(replace(asked, id="two"), None), "somebody was faster"
    heard = replace(asked, arn="arn:aws:kinesis:us-east-1:1:stream/events/consumer/mine:1700000000")
    assert ledger.set_consumer(heard, asked)
    assert not ledger.set_consumer(replace(asked, id="two"), asked)
    other = replace(asked, name="other")
    assert ledger.set_consumer(other, None)
    assert (ledger.consumer("events", "mine"), ledger.consumers()) == (heard, [heard, other])
    ledger.forget_consumer(asked)
    assert ledger.consumer("events", "mine") == heard
    ledger.forget_consumer(heard)
    assert ledger.consumers() == [other]
