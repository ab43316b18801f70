"""A partition of a DataFrame into a table, through the real SDK: each row once, whatever an earlier attempt has left."""

import json
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from typing import Any

import pytest

from firnline_ingest.config.rows import Tolerance
from firnline_ingest.datasource.snowpipe import partition as partitions
from firnline_ingest.datasource.snowpipe.errors import (
    AttemptReplaced,
    BatchDiffers,
    CheckpointBehind,
    FrameRowsRejected,
    QueryForeign,
    RowTooLarge,
)
from firnline_ingest.datasource.snowpipe.partition import PartitionKey, PartitionWriter, Written
from firnline_ingest.datasource.snowpipe.place import Place
from firnline_ingest.values import Position
from firnline_local.snowflake.streaming.channel import LastError

World = Any  # of conftest.py

pytestmark = pytest.mark.contract

QUERY, OTHER = "f" * 32, "0" * 31 + "1"
LOST = LastError(message="it must be opened again", offset_upper_bound=None, at=datetime(2026, 1, 1, tzinfo=UTC))
PADDING = "x" * 200_000
"""Two rows of it are an append."""


class Killed(Exception):
    """The attempt ends here."""


def writer(world: World, batch: int = 0, *, query: str = QUERY, partition: int = 0, **more: Any) -> PartitionWriter:
    key = PartitionKey(query, batch, partition, f"SPARK~TEST~{partition}")
    return PartitionWriter(world.channels(), world.target, key, settle_s=0.0, **more)


def rows(numbers: Iterable[int], padding: str = PADDING) -> list[bytes]:
    return [json.dumps({"ID": number, "PADDING": padding}).encode() for number in numbers]


def until_killed(made: list[bytes]) -> Iterator[bytes]:
    yield from made
    raise Killed


def late_clock() -> float:
    """Returns the time after half a second, in which the SDK hears of what it has sent."""
    time.sleep(0.5)
    return time.monotonic()


def lose(world: World) -> None:
    """Makes the service want the channel opened again; what it has not committed is gone."""
    channels = world.snowflake.streaming.channels
    with world.catalog.lock, channels.changed:
        channel = world.channel("SPARK~TEST~0", world.pipe_of("ORDERS"))
        channel.invalidate(LOST)
        channels.waiting.pop(channel.id, None)


def cut_off(world: World, made: list[bytes]) -> Place:
    """An attempt that ends after these rows, once what it has sent is committed."""
    attempt = writer(world)

    def committed() -> Iterator[bytes]:
        yield from made
        attempt._prove(lambda: not attempt._unproven)
        raise Killed

    with pytest.raises(Killed):
        attempt.write(committed())
    assert attempt._proven is not None
    place = Place.of(attempt._proven)
    assert place is not None
    return place


@pytest.fixture
def table(world: World) -> Any:
    return world.table("ID NUMBER", "PADDING VARCHAR", error_logging=True)


def ids(world: World, table: Any) -> list[int]:
    return sorted(int(row[0]) for row in world.rows(table))


def test_batches_follow_one_another_and_an_empty_one_leaves_its_channel_as_it_is(world: World, table: Any) -> None:
    assert writer(world, 0).write(rows(range(5))) == Written(5, 0, 0)
    assert writer(world, 1).write([]) == Written(0, 0, 0)
    assert writer(world, 2).write(rows(range(5, 7), "")) == Written(2, 0, 0)
    assert ids(world, table) == list(range(7))


@pytest.mark.parametrize("cut", [1, 2, 3, 5, 7, 8])
def test_an_attempt_that_was_cut_off_is_gone_on_with(world: World, table: Any, cut: int) -> None:
    every = rows(range(8))
    attempt = writer(world)
    with pytest.raises(Killed):
        attempt.write(until_killed(every[:cut]))
    again = writer(world).write(every)
    assert again.rows == 8
    assert ids(world, table) == list(range(8))
    assert writer(world).write(every) == Written(8, 8, 0)
    assert ids(world, table) == list(range(8))


def test_a_source_may_have_read_further_behind_what_an_attempt_did_not_come_to(world: World, table: Any) -> None:
    place = cut_off(world, rows(range(5)))
    assert (place.rows, place.is_end) == (4, False)
    assert writer(world).write(rows(range(9))) == Written(9, 4, 0)
    assert ids(world, table) == list(range(9))


@pytest.mark.parametrize(
    ("again", "why"),
    [
        (rows([1, 0, 2, 3, 4, 5]), "its first 4 rows are not those that it had"),
        (rows([0, 1, 2]), "it had 4 rows at least, and now has 3"),
        (rows([9, *range(1, 6)]), "its first 4 rows are not"),
        ([], "now has 0"),
    ],
)
def test_other_rows_than_those_of_before_are_refused_and_none_is_added(
    world: World, table: Any, again: list[bytes], why: str
) -> None:
    cut_off(world, rows(range(5)))
    with pytest.raises(BatchDiffers, match=why):
        writer(world).write(again)
    assert ids(world, table) == list(range(4))


def test_a_partition_that_was_whole_does_not_get_more_rows(world: World, table: Any) -> None:
    writer(world).write(rows(range(3), ""))
    with pytest.raises(BatchDiffers, match="it had 3 rows, and now has more"):
        writer(world).write(rows(range(4), ""))
    assert ids(world, table) == list(range(3))


def test_another_query_of_the_name_is_refused_and_so_is_an_older_checkpoint(world: World, table: Any) -> None:
    writer(world, 4).write(rows(range(2), ""))
    for query in (OTHER, "a" * 32):
        with pytest.raises(QueryForeign, match=f"rows of query {QUERY}"):
            writer(world, 0, query=query)
    with pytest.raises(CheckpointBehind, match="rows of batch 4, and the checkpoint is at batch 3"):
        writer(world, 3)
    assert writer(world, 0, query=OTHER, partition=1).write(rows([7], "")) == Written(1, 0, 0)
    world.ingest({"ID": 1}, name="SPARK~TEST~2", start=Position(1).token, end=Position(2).token)
    with pytest.raises(QueryForeign, match="rows of another program"):
        writer(world, partition=2)


@pytest.mark.parametrize("learnt_from", ["status", "append"])
@pytest.mark.parametrize("others", [8, 10])
def test_another_attempt_of_the_partition_at_the_same_time_adds_no_row_twice(
    world: World, table: Any, others: int, learnt_from: str
) -> None:
    """The two replies race: here, the one that is not to tell is late."""
    first, every = writer(world, clock=late_clock if learnt_from == "append" else time.monotonic), rows(range(8))

    def overtaken() -> Iterator[bytes]:
        yield from every[:5]
        if learnt_from == "status":
            first._prove(
                lambda: not first._unproven
            )  # what the SDK still held would be refused before the fault is there
        assert writer(world).write(rows(range(others))).rows == others
        if learnt_from == "status":
            world.fail("append", kind="SLOW", delay_s=3.0)
        yield from every[5:]

    if learnt_from == "append":
        with pytest.raises(AttemptReplaced, match="continuation token is stale"):
            first.write(overtaken())
    elif others == len(every):
        assert first.write(overtaken()).rows == len(every)
    else:
        with pytest.raises(AttemptReplaced, match="10 rows of the partition are in it"):
            first.write(overtaken())
    world.snowflake.faults.replace([])
    assert writer(world).write(rows(range(others))) == Written(others, others, 0)
    assert ids(world, table) == list(range(others))


def test_a_channel_that_is_lost_is_opened_again_and_nothing_is_lost_or_doubled(world: World, table: Any) -> None:
    attempt = writer(world)

    def interrupted() -> Iterator[bytes]:
        for number, row in enumerate(rows(range(12))):
            if number in (3, 8):
                lose(world)
            yield row

    assert attempt.write(interrupted()) == Written(12, 0, 0)
    assert ids(world, table) == list(range(12))


def test_rows_that_the_table_rejects_stop_the_query_or_are_counted(world: World, table: Any) -> None:
    bad = [b'{"ID": "no number"}', *rows(range(2), "")]
    with pytest.raises(FrameRowsRejected, match="rejected 1 rows of partition 0 of batch 0"):
        writer(world).write(bad)
    with pytest.raises(FrameRowsRejected, match="rejected rows of partition 0 of batch 0"):
        writer(world).write(bad)
    tolerant = writer(world, 1, tolerance=Tolerance.ALL).write([b'{"ID": "no number"}', *rows([5], "")])
    assert tolerant == Written(2, 0, 1)
    assert writer(world, 2).write(rows([6], "")) == Written(1, 0, 0)
    assert ids(world, table) == [0, 1, 5, 6]


def test_a_row_that_is_too_large_stops_before_it_is_sent(
    world: World, table: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(partitions, "MOST_ROW_BYTES", 1000)
    with pytest.raises(RowTooLarge, match="Row 2 of partition 0 has"):
        writer(world).write(rows([1], "") + rows([2]))


def test_a_place_survives_as_a_token_and_tokens_are_ordered_by_batch_and_row() -> None:
    places = [
        Place(QUERY, 0, 1, 2**64 - 1),
        Place(QUERY, 0, 2, 0),
        Place(QUERY, 0, 2, 0, is_end=True),
        Place(QUERY, 1, 1, 5),
    ]
    positions = [place.position for place in places]
    assert [Place.of(Position.from_token(position.token)) for position in positions] == places
    assert positions == sorted(positions)
    assert Place.of(Position(49590338271490256608559692538361571095921575989136588898)) is None
