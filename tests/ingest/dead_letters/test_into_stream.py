"""Records of dead letters that are put into their stream again: a killed run puts nothing twice without a person's word."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from firnline_ingest.config.model import AwsConfig
from firnline_ingest.dead_letters import DeadLetter
from firnline_ingest.dead_letters.into_stream import (
    PARTLY,
    THROTTLED,
    UNKNOWN,
    IntoStream,
    NotIntoStream,
    PutUnanswered,
    ReplayRaced,
    StreamReplay,
)
from firnline_ingest.dead_letters.journal import Journal, Outcome, place_of
from firnline_ingest.dead_letters.passed import FORGOTTEN, NOT_PASSED, READ_AGAIN
from firnline_ingest.dead_letters.put_journal import PutJournal, PutOutcome, PutRequest
from firnline_ingest.dead_letters.replay import ReplayRequest
from firnline_ingest.dead_letters.shard_replay import ReplayReport
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.row import ReadAgain, ResumeFrom, ShardRow
from firnline_ingest.sink.errors import PutForbidden
from firnline_ingest.values import Position
from firnline_local.kinesis import FakeKinesis
from tests.fakes.configs import config
from tests.fakes.kills import Killed

from .conftest import SHARD, MemoryObjects, letter

AWS = AwsConfig(region="us-east-1", endpoints={"kinesis": "http://fake.invalid"})


def no_effect(_: str) -> None:
    return None


@dataclass
class World:
    """A stream, a journal in memory and some dead letters; `effect` happens at each write and request, before and behind it."""

    letters: list[DeadLetter] = field(default_factory=lambda: [letter(n, b"%d" % n) for n in range(1, 6)])
    objects: MemoryObjects = field(default_factory=MemoryObjects)
    kinesis: FakeKinesis = field(default_factory=lambda: FakeKinesis(read_limits=False))
    effect: Callable[[str], None] = no_effect

    def __post_init__(self) -> None:
        self.kinesis.create_stream("orders")
        self.client = kinesis_client(AWS)
        self.kinesis.connect(self.client)

    def replay(self, **changes: Any) -> StreamReplay:
        journal = Journal(self, "app", SHARD)
        values = {"client": self, "stream": "orders", "data_of": lambda each: each.data, "pause": lambda _: None}
        return StreamReplay(journal=journal, puts=PutJournal(self, journal.folder), **values | changes)  # type: ignore[arg-type]

    def run(self, **changes: Any) -> ReplayReport:
        return self.replay(**changes).run(self.letters)

    def create(self, name: str, content: bytes) -> bool:
        self.effect("write")
        made = self.objects.create(name, content)
        self.effect("written")
        return made

    def read(self, name: str) -> bytes:
        return self.objects.read(name)

    def names(self, folder: str) -> Any:
        return self.objects.names(folder)

    def put_records(self, **request: Any) -> Any:
        self.effect("put")
        answer = self.client.put_records(**request)
        self.effect("is put")
        return answer

    @property
    def in_stream(self) -> list[bytes]:
        stream = self.kinesis.stream("orders")
        return sorted(each.data for shard in stream.shards for each in shard.records)


@pytest.fixture
def world() -> World:
    return World()


def at(number: int) -> Callable[[str], None]:
    seen: list[str] = []

    def effect(name: str) -> None:
        seen.append(name)
        if len(seen) == number + 1:
            raise Killed

    return effect


def test_the_original_bytes_and_keys_go_into_the_stream_once_however_often_it_is_run(world: World) -> None:
    assert world.run().letters == 5
    assert world.in_stream == [b"1", b"2", b"3", b"4", b"5"]
    again = world.run()
    assert (again.letters, again.already) == (0, 5)
    assert len(world.in_stream) == 5


@pytest.mark.parametrize("place", range(6))
def test_a_kill_anywhere_puts_nothing_twice_and_what_is_unknown_waits_for_a_persons_word(
    world: World, place: int
) -> None:
    world.effect = at(place)
    with pytest.raises(Killed):
        world.run()
    world.effect = no_effect
    before = len(world.in_stream)
    report = world.run()
    assert len(world.in_stream) == len(set(world.in_stream)), "twice"
    if report.remaining:
        assert report.remaining == {UNKNOWN: 5}
        assert len(world.in_stream) == before, "nobody knows, so nothing is put"
        replay = world.replay()
        replay.decide(Outcome.ACCEPTED if before else Outcome.VOID)
        replay.run(world.letters)
    assert world.in_stream == [b"1", b"2", b"3", b"4", b"5"]
    assert world.run().already == 5


def test_what_the_stream_refuses_for_the_moment_goes_alone_again_and_what_it_goes_on_refusing_stays(
    world: World,
) -> None:
    refused = {b"2", b"4"}

    def put_records(**request: Any) -> Any:
        records = [each for each in request["Records"] if each["Data"] not in refused]
        if records:
            world.client.put_records(StreamName="orders", Records=records)
        return {"Records": [{"ErrorCode": "Busy"} if each["Data"] in refused else {} for each in request["Records"]]}

    world.put_records = put_records  # type: ignore[method-assign]
    report = world.run()
    assert (report.letters, report.remaining) == (3, {THROTTLED: 2})
    refused.clear()
    assert world.run().letters == 2
    assert world.in_stream == [b"1", b"2", b"3", b"4", b"5"]


def test_a_request_without_an_answer_is_said_and_its_records_are_put_by_a_person_alone(world: World) -> None:
    def put_records(**request: Any) -> Any:
        world.client.put_records(**request)
        raise ReadTimeoutError(endpoint_url="https://fake.invalid")

    world.put_records = put_records  # type: ignore[method-assign]
    with pytest.raises(PutUnanswered, match="--unfinished"):
        world.run()
    assert world.run().remaining == {UNKNOWN: 5}
    assert len(world.in_stream) == 5


def test_who_may_not_put_is_told_the_right_and_has_put_nothing(world: World) -> None:
    from botocore.exceptions import ClientError

    def put_records(**_: Any) -> Any:
        denied = {
            "Error": {"Code": "AccessDeniedException", "Message": "no"},
            "ResponseMetadata": {"HTTPStatusCode": 400},
        }
        raise ClientError(denied, "PutRecords")  # type: ignore[arg-type]

    world.put_records = put_records  # type: ignore[method-assign]
    with pytest.raises(PutForbidden, match="kinesis:PutRecords"):
        world.run()
    del world.put_records  # type: ignore[method-assign]
    assert world.run().letters == 5, "nothing was in, and nothing waits for a person"


def test_two_runs_at_once_put_nothing_twice(world: World) -> None:
    other = world.replay()

    def race(name: str) -> None:
        if name == "write":
            world.effect = no_effect
            other.run(world.letters)

    world.effect = race
    with pytest.raises(ReplayRaced):
        world.run()
    assert world.in_stream == [b"1", b"2", b"3", b"4", b"5"]


def test_a_replay_into_the_table_takes_none_that_was_put(world: World) -> None:
    world.run()
    assert Journal(world, "app", SHARD).replayed().has(place_of(world.letters[0].key.position))


def test_a_dry_run_puts_and_writes_nothing(world: World) -> None:
    assert world.run(only_look=True).letters == 5
    assert (world.in_stream, world.objects.kept) == ([], {})


def test_of_a_voided_request_all_are_free_and_of_an_accepted_one_none() -> None:
    for outcome, free in ((Outcome.VOID, 5), (Outcome.ACCEPTED, 0)):
        world = World()
        journal = Journal(world, "app", SHARD)
        tokens = tuple(each.key.position.token for each in world.letters)
        PutJournal(world, journal.folder).begin(PutRequest(number=1, stream="orders", begun_ms=1, letters=tokens))
        replay = world.replay()
        replay.decide(outcome)
        assert replay.run(world.letters).letters == free
        (first, *_) = PutJournal(world, journal.folder).puts()
        assert first.end is not None
        assert first.end.outcome == (PutOutcome.VOID if free else PutOutcome.ACCEPTED)


class Ledger:
    def __init__(self, row: ShardRow | None) -> None:
        self.row = row

    def read(self, _: object) -> ShardRow | None:
        return self.row


def of_all(world: World, row: ShardRow | None, query: bool = True, **request: Any) -> ReplayReport:
    more = {"query": {"schema": "n BIGINT", "sql": "SELECT * FROM rows"}} if query else {}
    of = config(pipelines=[{"stream": "orders", "database": "D", "schema": "S", **more}])
    services: Any = type("Services", (), {"ledger": Ledger(row), "objects": world, "letters": Letters(world.letters)})()
    replays = IntoStream(of, ReplayRequest(**request), services, lambda _: None, client_of=lambda _: world)  # type: ignore[arg-type,return-value]
    return replays.run(lambda *_: None)


class Letters:
    def __init__(self, letters: list[DeadLetter]) -> None:
        self.letters = letters

    def shards(self, _: object) -> list[Any]:
        return [SHARD]

    def list(self, *_: object) -> Any:
        return iter(self.letters)


def row_at(through: int | None, **changes: Any) -> ShardRow:
    place = None if through is None else Position(through)
    return ShardRow(key=SHARD, start=TrimHorizon(), read_through=place, **changes)


@pytest.mark.parametrize(
    ("row", "request_", "put", "remaining"),
    [
        (row_at(5), {}, 5, {}),
        (row_at(3), {}, 3, {NOT_PASSED: 2}),
        (row_at(5, reset=ResumeFrom.TRIM_HORIZON), {}, 0, {NOT_PASSED: 5}),
        (None, {}, 0, {FORGOTTEN: 5}),
        (None, {"with_forgotten": True}, 5, {}),
        (row_at(5, read_again=ReadAgain(Position(2))), {}, 3, {READ_AGAIN: 2}),
        (row_at(5, read_again=ReadAgain(Position(2))), {"read_again": True}, 5, {}),
        (row_at(5), {"repair": lambda each: None if each.data == b"1" else b"{}"}, 4, {"left alone": 1}),
    ],
    ids=["passed", "not all passed", "to be read again", "forgotten", "taken", "read again", "taken too", "repaired"],
)
def test_only_letters_that_the_engine_is_done_with_are_put(
    world: World, row: ShardRow | None, request_: dict[str, Any], put: int, remaining: dict[str, int]
) -> None:
    report = of_all(world, row, **request_)
    assert (report.letters, report.remaining) == (put, remaining)
    assert len(world.in_stream) == put


def test_a_record_of_which_rows_are_in_the_table_is_not_put(world: World) -> None:
    world.letters = [letter(1, row=2, reason="refused")]
    assert of_all(world, row_at(5)).remaining == {PARTLY: 1}


def test_a_pipeline_without_a_query_has_no_need_of_the_stream(world: World) -> None:
    with pytest.raises(NotIntoStream, match="leave out --into-stream"):
        of_all(world, row_at(5), query=False)
    assert world.in_stream == []


def test_what_was_put_is_written_for_people_too(world: World) -> None:
    world.run()
    name = min(world.objects.kept)
    assert name.endswith("0000000001.put.done.json")
    assert json.loads(world.objects.kept[name]) == {"version": 1, "outcome": "answered", "areIn": [True] * 5}
