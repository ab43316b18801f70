"""Letters on a Kinesis stream, through botocore's own client: each record acknowledged, large ones in parts."""

import base64
import json
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import pytest

from firnline_ingest.aws.client import aws_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.dead_letters import Choice, DeadLetter, DeadLetterStore
from firnline_ingest.dead_letters.choice import ALL, refuse
from firnline_ingest.dead_letters.errors import (
    DeadLetterPlaceMissing,
    DeadLettersForbidden,
    DeadLettersUnavailable,
    UnknownDeadLetter,
)
from firnline_ingest.dead_letters.stream import DeadLetterStream, scanned
from firnline_local.clock import ManualClock
from firnline_local.kinesis import FakeKinesis, StreamHandle
from tests.contract.dead_letters.letters import FIRST, letter, letters
from tests.fakes.kinesis import refused

RECORD_BYTES = 1024 * 1024  # that every stream takes, with its partition key


class World:
    def __init__(self, shards: int = 1) -> None:
        self.clock = ManualClock()
        self.kinesis = FakeKinesis(clock=self.clock, write_limits=True)
        self.stream: StreamHandle = self.kinesis.create_stream("orders-letters", shards=shards)
        self.pauses: list[float] = []
        aws = AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"})
        self.client = aws_client(aws, "kinesis", attempts=1)
        self.kinesis.connect(self.client)
        self.store = DeadLetterStream(self.client, "orders-letters", sleep=self._sleep)

    def _sleep(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.clock.advance(seconds=seconds)

    @property
    def records(self) -> list[dict[str, Any]]:
        return [json.loads(record.data) for shard in self.stream.shards for record in shard.records]


@pytest.fixture
def world() -> World:
    return World()


def test_each_letter_is_a_record_in_the_form_that_files_have(world: World) -> None:
    store: DeadLetterStore = world.store
    assert store.put([letter(FIRST, data=b"\x00no")]) == 1
    (record,) = world.records
    assert record["sequenceNumber"] == str(FIRST)
    assert base64.b64decode(record["data"]) == b"\x00no"
    assert "part" not in record


def test_more_than_a_request_takes_are_several(world: World) -> None:
    assert world.store.put(letters(1_200)) == 1_200
    assert {record["sequenceNumber"] for record in world.records} == {str(FIRST + n) for n in range(1_200)}


def test_records_that_were_refused_are_sent_again_until_all_are_in(world: World) -> None:
    """A shard takes 1,000 records a second; the others of the same request were kept."""
    world.store.put(letters(2_500))
    assert world.pauses
    assert sorted(record["sequenceNumber"] for record in world.records) == [str(FIRST + n) for n in range(2_500)]


def test_a_stream_that_is_full_for_long_is_passing_trouble_and_what_was_kept_comes_again(world: World) -> None:
    store = DeadLetterStream(world.client, "orders-letters", sleep=world.pauses.append)  # no time passes
    with pytest.raises(DeadLettersUnavailable, match="ProvisionedThroughputExceededException") as raised:
        store.put(letters(1_500))
    assert "500 records were refused 9 times" in raised.value.what
    assert raised.value.is_retryable
    world.clock.advance(minutes=1)
    assert world.store.put(letters(10)) == 10
    assert len(world.records) == 1_010


def whole(parts: list[dict[str, Any]]) -> bytes:
    parts = sorted(parts, key=lambda each: int(each["part"]))
    assert [each["part"] for each in parts] == list(range(1, parts[0]["parts"] + 1))
    return b"".join(base64.b64decode(each["data"]) for each in parts)


@pytest.mark.parametrize("mebibytes", [1, 10])
def test_a_letter_that_no_record_holds_comes_in_parts_that_bear_its_key(world: World, mebibytes: int) -> None:
    data = bytes(range(256)) * (mebibytes * 4_096)
    large = letter(FIRST, data=data, key="\N{SNOWFLAKE}" * 256)
    assert world.store.put([large]) == 1
    assert whole(world.records) == data
    assert {(part["sequenceNumber"], part["stage"]) for part in world.records} == {(str(FIRST), "parse")}


@pytest.mark.parametrize("size", [0, 699_999, 700_000, 700_001, 1_400_000])
def test_no_record_is_larger_than_a_stream_takes(size: int) -> None:
    from firnline_ingest.dead_letters.stream import _entries

    widest = letter(10**129 - 1, data=b"\xff" * size, key="\x01" * 256, detail="\x01" * 2_000)
    entries = list(_entries(widest))
    assert max(entry.size for entry in entries) <= RECORD_BYTES
    assert all(1 <= len(entry.key) <= 256 for entry in entries)


def test_the_parts_of_a_letter_are_letters_without_their_numbers() -> None:
    from firnline_ingest.dead_letters.stream import _entries

    large = letter(FIRST, data=b"x" * 700_001)
    first, second = [json.loads(entry.fields["Data"]) for entry in _entries(large)]
    assert (first.pop("parts"), second.pop("parts")) == (2, 2)
    assert {first.keys() - {"part"} == second.keys() - {"part"}} == {True}
    import msgspec

    assert msgspec.convert(first, DeadLetter).key == large.key


def test_letters_are_spread_over_the_streams_shards() -> None:
    world = World(shards=4)
    world.store.put(letters(400))
    assert all(len(shard.records) > 50 for shard in world.stream.shards)


def by_key(found: Iterable[DeadLetter]) -> list[DeadLetter]:
    return sorted(found, key=lambda each: each.key)


def test_letters_are_read_back_once_though_they_came_twice() -> None:
    world = World(shards=3)
    world.store.put(letters(50))
    world.store.put(letters(60))
    assert by_key(world.store.list()) == letters(60)
    assert [shard.shard_id for shard in world.store.shards()] == [letter(1).shard_id]
    assert world.store.get(letter(FIRST + 7).key) == letter(FIRST + 7)
    with pytest.raises(UnknownDeadLetter):
        world.store.get(letter(1).key)


def test_a_letter_in_parts_is_read_back_in_whole(world: World) -> None:
    large = letter(FIRST, data=bytes(range(256)) * 8_000)
    world.store.put([large, letter(FIRST + 1)])
    world.store.put([large])
    assert len(world.records) > 4
    assert by_key(world.store.list()) == [large, letter(FIRST + 1)]


def test_a_letter_whose_first_part_has_left_the_stream_is_told(world: World) -> None:
    whole = World()
    whole.store.put([letter(FIRST, data=bytes(1_500_000))])
    for part in whole.records[1:]:
        world.client.put_record(StreamName="orders-letters", Data=json.dumps(part).encode(), PartitionKey="p")
        world.clock.advance(seconds=1)
    world.store.put([letter(FIRST + 1)])
    told: list[Exception] = []
    assert list(world.store.list(on_damaged=told.append)) == [letter(FIRST + 1)]
    assert ["some of its parts" in str(each) for each in told] == [True]


def test_records_that_are_no_letters_are_told_and_the_others_read(world: World) -> None:
    world.store.put([letter(1)])
    newer = json.dumps({**world.records[0], "version": 2}).encode()
    for data in (b"mine", newer):
        world.client.put_record(StreamName="orders-letters", Data=data, PartitionKey="p")
    world.store.put([letter(2)])
    told: list[Exception] = []
    assert list(world.store.list(on_damaged=told.append)) == [letter(1), letter(2)]
    assert ["newer version" in str(each) for each in told] == [False, True]


def test_letters_of_a_stream_are_chosen(world: World) -> None:
    world.store.put(letters(3))
    assert list(world.store.list(Choice(stream="others"))) == []
    assert len(list(world.store.list(Choice(reasons=frozenset({"not-json"}))))) == 3
    assert list(world.store.list(Choice(until=datetime(2000, 1, 1, tzinfo=UTC)))) == []


def test_a_reading_ends_at_what_came_after_its_beginning(world: World) -> None:
    """Whoever puts faster than somebody reads is not read for ever."""
    world.store.put(letters(2))
    pages = 0

    def more(_seconds: float) -> None:
        nonlocal pages
        pages += 1
        world.clock.advance(seconds=1)
        world.store.put([letter(pages)])

    began = world.clock()
    found = list(scanned(world.client, "orders-letters", ALL, refuse, sleep=more, now=lambda: began))
    assert len(found) <= 4
    assert pages <= 3


def test_the_check_finds_the_stream_and_writes_nothing(world: World) -> None:
    assert world.store.check() == "the stream orders-letters"
    assert world.records == []


def test_a_stream_that_is_not_there_is_named(world: World) -> None:
    store = DeadLetterStream(world.client, "nowhere", sleep=lambda _: None)
    for ask in (store.check, lambda: store.put(letters(1))):
        with pytest.raises(DeadLetterPlaceMissing, match="the stream nowhere"):
            ask()


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("AccessDeniedException", DeadLettersForbidden),
        ("KMSAccessDeniedException", DeadLettersForbidden),
        ("KMSThrottlingException", DeadLettersUnavailable),
        ("ExpiredTokenException", DeadLettersUnavailable),
    ],
)
def test_a_refusal_names_the_action(world: World, code: str, expected: type[Exception]) -> None:
    world.kinesis.faults.replace([refused("PutRecords", code, message="said Kinesis")])
    with pytest.raises(expected, match=r"kinesis:PutRecords on the stream orders-letters.*said Kinesis"):
        world.store.put(letters(1))
