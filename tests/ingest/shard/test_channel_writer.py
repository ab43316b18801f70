"""What a proof tells of rows that the table rejected; what it proves is test_in_flight.py's."""

from types import SimpleNamespace
from typing import Any

import pytest

from firnline_ingest.kinesis.start import After, TrimHorizon
from firnline_ingest.ledger.reconcile import Case, Resume
from firnline_ingest.ledger.row import Proven, ShardRow
from firnline_ingest.shard.append_bisection import AppendBisection
from firnline_ingest.shard.channel_writer import ChannelWriter
from firnline_ingest.shard.opening import ResumedChannel
from firnline_ingest.snowflake.in_flight import Chunk
from firnline_ingest.snowflake.row_positions import RowPositions
from firnline_ingest.values import ChannelState, Position, ShardKey
from tests.ingest.shard.conftest import World

KEY = ShardKey("events", 1, "shardId-000000000000")


def told(world: World, error_through: Position | None) -> list[tuple[int, str, str]]:
    """Rows up to 5 are proven, 6 to 9 were sent, and one of them was rejected."""
    world.configure(tolerance="all")
    work, found = world.work(), list[tuple[int, str, str]]()
    state = ChannelState(Position(9), 8, 1, error_through=error_through)
    channel: Any = SimpleNamespace(state=lambda: state, last_error=lambda: "because")
    baseline = Proven(Position(5), 5)
    resume = Resume(Case.IN_STEP, After(Position(5)), baseline.position, baseline)
    report: Any = SimpleNamespace(proved=lambda _: None, rejected=lambda *what: found.append(what))
    writer = ChannelWriter(
        ResumedChannel(work.destinations[0], channel, resume),
        ShardRow(key=KEY, start=TrimHorizon(), read_through=Position(5)),
        work=work,
        services=world.services(),
        report=report,
        bisection=AppendBisection(work.channel),
        before_append=lambda _: None,
        after_append=lambda: None,
    )
    writer.in_flight.add(Chunk(Position(9), RowPositions(["6", "7", "8", "9"]), 400))
    assert writer.prove(0.0)
    return found


@pytest.mark.parametrize(
    ("error_through", "through"),
    [
        (Position(7), Position(7)),
        (Position(9), Position(9)),
        (None, Position(9)),
        (Position(5), Position(9)),  # the words trail the counters
        (Position(12), Position(9)),  # of rows that are not proven yet
    ],
    ids=str,
)
def test_a_rejected_row_is_told_with_the_last_place_that_it_can_have(
    world: World, error_through: Position | None, through: Position
) -> None:
    assert told(world, error_through) == [(1, "because", through.token)]
