"""A shard whose pipeline has a query: what Spark drops holds no position up, and what it made counts when its job has succeeded.

Rounds are run by a thread with a function in place of Spark's query; tests/spark/test_query.py has Spark.
"""

import json
import threading
from collections.abc import Callable, Container, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from firnline_ingest.config.query import QueryNotRunHere, SeveralRowsOfOneRecord
from firnline_ingest.dead_letters.errors import UnusableRecord
from firnline_ingest.records.rejection import RejectReason
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.shard.checkpointer import SettlingStopped
from firnline_ingest.shard.queries import FULL_BYTES, PageQueries, Round
from firnline_ingest.shard.receipt import ShardState
from firnline_ingest.shard.request import ShardRequest
from firnline_ingest.shard.steps import EpochStep
from firnline_ingest.snowflake import sending
from firnline_ingest.values import Position
from tests.fakes.kills import Killed, dies_at
from tests.fakes.kpl_packing import Packed, pack
from tests.fakes.receipts import problem
from tests.ingest.shard.conftest import World
from tests.ingest.waiting import HANGS_S

from .running import bounded, frozen_at, run

Query = Callable[[dict[str, Any]], Sequence[dict[str, Any]]]
OF = {"schema": "n BIGINT", "sql": "SELECT * FROM rows"}


def odd(row: dict[str, Any]) -> Sequence[dict[str, Any]]:
    return [{"n": row["n"], "twice": 2 * row["n"]}] if row["n"] % 2 else []


def nothing(_: dict[str, Any]) -> Sequence[dict[str, Any]]:
    return []


def rows_of(of: Round, query: Query) -> Iterator[tuple[int, bytes]]:
    for position, document in of.positions():
        for made in query(json.loads(document)):
            yield position, json.dumps(made, separators=(",", ":")).encode()


def typed(document: bytes) -> bytes:
    if not isinstance(json.loads(document).get("n"), int):
        raise ValueError("n: it is not an integer")
    return document


@contextmanager
def rounds(queries: PageQueries, query: Query, stream: str = "events") -> Iterator[None]:
    """Runs one round behind the other, each confirmed."""
    over = threading.Event()

    def go_on() -> None:
        while not over.is_set():
            of = queries.begin(stream, 0.05)
            queries.keep(of, rows_of(of, query))
            queries.confirm([of.token])

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(HANGS_S)


@contextmanager
def decided(queries: PageQueries, bad: Container[int], at_once: int) -> Iterator[None]:
    """Rounds by way of the driver, which decides about so many objects of a page; keeps odd numbers, and raises on some."""
    over = threading.Event()

    def go_on() -> None:
        while not over.is_set():
            begun = queries.begin("events", 0.05, most_pages=1)
            if objects := list(begun.positions())[:at_once]:
                numbers = {position: json.loads(text)["n"] for position, text in objects}
                raised = {position: "[DIVIDE_BY_ZERO]" for position, n in numbers.items() if n in bad}
                good = [(each, text) for each, text in objects if each not in raised and numbers[each] % 2]
                queries.decide("of another process", [], {}, objects[-1][0])
                queries.decide(begun.token, good, raised, objects[-1][0])

    thread = threading.Thread(target=go_on, daemon=True)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join(HANGS_S)


@pytest.fixture
def queried(world: World) -> World:
    world.configure(query=OF)
    return world


def services(world: World, query: Query, run_id: str = "run", **changes: object) -> Any:
    queries = PageQueries()
    return rounds(queries, query), world.services(run_id, queries=queries, typed_by=lambda _: typed, **changes)


def taken(world: World, query: Query, run_id: str = "run", **changes: object) -> Any:
    running, of = services(world, query, run_id, **changes)
    with running:
        return bounded(of, world.work())


def test_rows_are_what_the_query_makes_with_their_records_metadata(queried: World) -> None:
    numbers = queried.put(*range(6))
    receipt = taken(queried, odd)
    rows = [json.loads(row) for row in queried.served.rows]
    assert [(row["n"], row["twice"]) for row in rows] == [(1, 2), (3, 6), (5, 10)]
    assert [row["KINESISMETADATA"]["sequenceNumber"] for row in rows] == numbers[1::2]
    assert (receipt.records, receipt.rows, receipt.ingested, receipt.filtered) == (6, 3, 3, 3)
    assert queried.row.read_through == queried.shard.last_position


def test_a_query_that_drops_everything_holds_the_position_up_nowhere(queried: World) -> None:
    queried.put(*range(5))
    receipt = taken(queried, nothing)
    assert (receipt.state, receipt.rows) == (ShardState.DONE, 0)
    assert queried.row.read_through == queried.shard.last_position
    assert taken(queried, nothing, "again").records == 0


def test_what_does_not_fit_the_schema_is_a_dead_letter_before_the_position_passes_it(queried: World) -> None:
    queried.put(1, {"n": "a text"}, b"no json", 3)
    with pytest.raises(Killed):
        taken(queried, odd, "killed", observer=dies_at(EpochStep.DEAD_LETTERED))
    assert queried.row.read_through is None
    taken(queried, odd, "next")
    assert queried.numbers == [1, 3]
    letters = {letter.reason: letter.data for letter in queried.letters}
    assert letters.keys() == {RejectReason.MALFORMED, RejectReason.NOT_JSON}
    assert json.loads(letters[RejectReason.MALFORMED]) == {"n": "a text"}, "the record as it came, to be put again"


def test_a_row_that_the_query_made_too_large_is_a_dead_letter(queried: World) -> None:
    queried.put(1, 2)
    taken(queried, lambda row: [{"n": row["n"], "much": "x" * (2_000_000 if row["n"] == 1 else 1)}])
    assert queried.numbers == [2]
    assert [letter.reason for letter in queried.letters] == [RejectReason.TOO_LARGE]


@pytest.mark.parametrize("step", [EpochStep.READ, EpochStep.APPENDED, EpochStep.COMMITTED, EpochStep.PROVEN])
def test_a_kill_loses_and_doubles_nothing(queried: World, step: EpochStep) -> None:
    queried.put(*range(8))
    with pytest.raises(Killed):
        taken(queried, odd, "killed", observer=dies_at(step))
    queried.put(*range(8, 12))
    taken(queried, odd, "next")
    assert queried.numbers == [1, 3, 5, 7, 9, 11]
    assert queried.row.read_through == queried.shard.last_position


def test_a_zombie_that_froze_behind_its_append_adds_nothing_when_it_goes_on(queried: World) -> None:
    queried.put(*range(8))
    running, zombies = services(queried, odd, "zombie")
    with running, frozen_with(queried, zombies):
        taken(queried, odd, "next")
    assert queried.numbers == [1, 3, 5, 7]


@contextmanager
def frozen_with(world: World, of: Any) -> Iterator[None]:
    original = world.services

    def patched(run_id: str = "run", **changes: object) -> Any:
        if run_id == "zombie":
            return original(run_id, queries=of.queries, typed_by=of.typed_by, **changes)
        return original(run_id, **changes)

    world.services = patched  # type: ignore[method-assign] # frozen_at makes its zombie's services itself
    with frozen_at(EpochStep.APPENDED, world):
        yield


def test_rows_of_a_round_that_was_cut_short_or_not_confirmed_are_never_taken(queried: World) -> None:
    queried.put(*range(6))
    queries = PageQueries()
    of = queried.services(queries=queries, typed_by=lambda _: typed)
    receipts: list[Any] = []
    thread = threading.Thread(target=lambda: receipts.append(bounded(of, queried.work())))
    thread.start()
    cut = queries.begin("events", HANGS_S)
    queries.keep(cut, list(rows_of(cut, odd))[:1])  # as a stream of rows looks whose writer was lost
    whole = queries.begin("events", HANGS_S)
    assert list(whole.positions()) == list(cut.positions()), "what was not confirmed waits on"
    queries.confirm([cut.token])
    assert not queried.served.rows
    queries.keep(whole, rows_of(whole, odd))
    queries.confirm(["of another process"])
    assert not queried.served.rows
    queries.confirm([whole.token])
    thread.join(HANGS_S)
    assert queried.numbers == [1, 3, 5]
    assert receipts[0].state is ShardState.DONE


@pytest.mark.parametrize("at_once", [1, 2, 6])
def test_what_the_query_raises_an_error_on_is_a_dead_letter_in_its_place(queried: World, at_once: int) -> None:
    """`at_once`: of how many objects a round knows the answer, as when its time was over."""
    queried.put(*range(6))
    queries = PageQueries()
    with decided(queries, {0, 3}, at_once):
        receipt = bounded(queried.services(queries=queries, typed_by=lambda _: typed), queried.work())
    assert queried.numbers == [1, 5]
    assert [(json.loads(each.data)["n"], each.reason) for each in queried.letters] == [
        (0, RejectReason.TRANSFORM_FAILED),
        (3, RejectReason.TRANSFORM_FAILED),
    ]
    assert "raised an error on it: [DIVIDE_BY_ZERO]" in queried.letters[0].detail
    assert (receipt.state, receipt.dead_letters, receipt.filtered) == (ShardState.DONE, 2, 2)
    assert queried.row.read_through == queried.shard.last_position


def test_a_pipeline_that_wants_to_stop_at_such_a_record_stops_in_front_of_it(queried: World) -> None:
    queried.configure(query=OF, on_error="stop")
    numbers = queried.put(*range(6))
    queries = PageQueries()
    with decided(queries, {3}, 2):
        receipt = bounded(queried.services(queries=queries, typed_by=lambda _: typed), queried.work())
    assert problem(receipt) == UnusableRecord.id
    assert queried.numbers == [1]
    assert queried.letters == []
    assert queried.row.read_through == Position(int(numbers[2]))


@pytest.mark.parametrize("step", [EpochStep.READ, EpochStep.DEAD_LETTERED, EpochStep.APPENDED, EpochStep.PROVEN])
@pytest.mark.parametrize("kills_at", range(1, 4))
def test_a_kill_inside_an_aggregate_of_which_a_part_raises_loses_and_doubles_none(
    queried: World, monkeypatch: pytest.MonkeyPatch, step: EpochStep, kills_at: int
) -> None:
    monkeypatch.setattr(sending, "APPEND_BYTES", 900)
    queried.put(0, pack(Packed(b'{"n":%d}' % n) for n in range(1, 5)), 5, pack(Packed(b'{"n":%d}' % n) for n in (6, 7)))
    for run_id, observer in (("killed", {"observer": dies_at(step, kills_at)}), ("next", {})):
        queries = PageQueries()
        with decided(queries, {2, 5}, 3), suppress(Killed):
            of: Any = queried.services(run_id, queries=queries, typed_by=lambda _: typed, **observer)
            bounded(of, queried.work())
    assert queried.numbers == [1, 3, 7]
    assert sorted({json.loads(each.data)["n"] for each in queried.letters}) == [2, 5]
    assert queried.row.read_through == Position(queried.shard.last_position.sequence_number, 1)


def test_a_shard_that_is_stopped_while_it_waits_leaves_its_page_for_the_next_run(queried: World) -> None:
    queried.put(1, 2)
    request = ShardRequest.lasting(queried.work(), 20)
    queries = PageQueries()
    of = queried.services(queries=queries, typed_by=lambda _: typed)

    def stop() -> None:
        queries.begin("events", HANGS_S)
        request.stop()

    stops = threading.Thread(target=stop)
    stops.start()
    receipt = run(of, request)
    stops.join(HANGS_S)
    assert (receipt.rows, receipt.problem) == (0, None)
    assert queried.row.read_through is None
    taken(queried, odd, "next")
    assert queried.numbers == [1]


def test_several_rows_of_a_record_need_a_format_that_numbers_them(queried: World) -> None:
    queried.put(1)
    receipt = taken(queried, lambda row: [row, row])
    assert problem(receipt) == SeveralRowsOfOneRecord.id
    assert queried.row.read_through is None
    queried.configure(query=OF, format={"type": "json", "several_objects": True})
    queried.put(b'{"n": 2}{"n": 3}')
    taken(queried, lambda row: [row, row] if row["n"] > 1 else [row], "next")
    assert queried.numbers == [1, 2, 2, 3, 3]
    assert [json.loads(row)["KINESISMETADATA"]["row"] for row in queried.served.rows] == [0, 0, 1, 2, 3]
    assert queried.row.read_through == Position(queried.shard.last_position.sequence_number).whole


def test_what_runs_no_spark_makes_no_row_of_such_a_pipeline(queried: World) -> None:
    with pytest.raises(QueryNotRunHere):
        RowMaker(queried.pipeline, "events", "shard")


@pytest.mark.parametrize(("size", "pages"), [(FULL_BYTES, 2), (FULL_BYTES - 1, 1)], ids=["full", "others"])
def test_a_round_waits_for_the_pages_behind_full_ones_and_for_none_behind_others(size: int, pages: int) -> None:
    queries, over, begun = PageQueries(), threading.Event(), list[Round]()

    def look() -> None:
        if over.is_set():
            raise SettlingStopped

    def wait_for_rows() -> None:
        with suppress(SettlingStopped):
            queries.rows_of("events", [b"x" * size], look)

    waiting = [threading.Thread(target=wait_for_rows) for _ in range(4)]
    for thread in waiting[:2]:
        thread.start()
    while len((first := queries.begin("events", HANGS_S)).pages) < 2:
        """Until both pages wait."""
    queries.keep(first, [])
    queries.confirm([first.token])
    round_of = threading.Thread(target=lambda: begun.append(queries.begin("events", HANGS_S)))
    round_of.start()
    for thread in waiting[2 : 2 + pages]:
        thread.start()
    round_of.join(HANGS_S / 2)
    over.set()
    assert [len(each.pages) for each in begun] == [pages]
    for thread in waiting[: 2 + pages]:
        thread.join(HANGS_S)


def test_a_page_that_is_given_up_is_in_no_later_round() -> None:
    queries = PageQueries()

    def give_up() -> None:
        raise SettlingStopped

    with pytest.raises(SettlingStopped):
        queries.rows_of("events", [b"{}"], give_up)
    assert queries.begin("events", 0).pages == []
