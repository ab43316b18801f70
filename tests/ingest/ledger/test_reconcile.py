"""The reconciliation table of docs/design/ledger.md, line by line."""

from dataclasses import replace

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.start import After, AtTimestamp, TrimHorizon
from firnline_ingest.ledger.errors import LedgerBehind, RoutingChanged, TargetReplaced
from firnline_ingest.ledger.reconcile import Case, Resume, reconcile
from firnline_ingest.ledger.row import ChannelEntry, Proven, ShardRow
from firnline_ingest.values import ChannelState, Position, ShardKey, TargetTable

CHANNEL = "app~events~1700000000000~shardId-000000000000"
TARGET = TargetTable("DB", "RAW", "EVENTS", "2026-01-01T00:00:00.000+00:00", "EVENTS-STREAMING")
KEY = ShardKey("events", 1_700_000_000_000, "shardId-000000000000")
NEW = ShardRow(key=KEY, start=TrimHorizon(), routing="r1")


def at(sequence_number: int) -> Position:
    return Position(sequence_number)


def known(proven: int | None, read_through: int | None, *, rows: int = 10, errors: int = 0) -> ShardRow:
    entry = ChannelEntry(TARGET, Proven(at(proven) if proven else None, rows, errors))
    return replace(NEW, channels={CHANNEL: entry}, read_through=at(read_through) if read_through else None)


GOLDEN: list[tuple[str, ShardRow, ChannelState, Resume]] = [
    (
        "neither a row nor a token: the pin",
        replace(NEW, start=AtTimestamp(5)),
        ChannelState(None),
        Resume(Case.FIRST, AtTimestamp(5), None, Proven()),
    ),
    (
        "no token, but dead letters were accounted for: after them",
        replace(NEW, read_through=at(7)),
        ChannelState(None),
        Resume(Case.FIRST, After(at(7)), None, Proven()),
    ),
    (
        "the token is what was proven: after what was read through",
        known(100, 120),
        ChannelState(at(100), 10),
        Resume(Case.IN_STEP, After(at(120)), at(100), Proven(at(100), 10, 0)),
    ),
    (
        "the channel was opened, nothing was ever appended: the pin",
        known(None, None, rows=0),
        ChannelState(None),
        Resume(Case.IN_STEP, TrimHorizon(), None, Proven()),
    ),
    (
        "rows are committed beyond the proof: read them again, compare with the proof's counters",
        known(100, 120),
        ChannelState(at(150), 14, 1),
        Resume(Case.UNPROVEN, After(at(120)), at(150), Proven(at(100), 10, 0)),
    ),
    (
        "rows are committed, nothing was proven yet: from the pin",
        known(None, None, rows=0),
        ChannelState(at(150), 14),
        Resume(Case.UNPROVEN, TrimHorizon(), at(150), Proven()),
    ),
    (
        "the channel expired, the table is the same: a new channel, after what was read through",
        known(100, 120),
        ChannelState(None),
        Resume(Case.CHANNEL_GONE, After(at(120)), None, Proven()),
    ),
    (
        "the row is gone, the token is not: after the token, with the counters as they are",
        NEW,
        ChannelState(at(150), 14, 1),
        Resume(Case.LEDGER_REBUILT, After(at(150)), at(150), Proven(at(150), 14, 1)),
    ),
    (
        "the row is gone, Spark knows a later position than the token: after that",
        replace(NEW, read_through=at(170)),
        ChannelState(at(150), 14, 1),
        Resume(Case.LEDGER_REBUILT, After(at(170)), at(150), Proven(at(150), 14, 1)),
    ),
]

REFUSED: list[tuple[str, ShardRow, ChannelState, TargetTable, str, type[FirnlineError]]] = [
    ("the token lies before the proof", known(100, 120), ChannelState(at(90), 9), TARGET, "r1", LedgerBehind),
    (
        "the table was made again",
        known(100, 120),
        ChannelState(None),
        replace(TARGET, table_created_on="2026-02-02T00:00:00.000+00:00"),
        "r1",
        TargetReplaced,
    ),
    (
        "the pipe was made again, even where the token is in step",
        known(100, 120),
        ChannelState(at(100), 10),
        replace(TARGET, pipe="MY_PIPE", pipe_created_on="2026-02-02T00:00:00.000+00:00"),
        "r1",
        TargetReplaced,
    ),
    (
        "the conversion changed under unproven rows",
        known(100, 120),
        ChannelState(at(150), 14),
        TARGET,
        "r2",
        RoutingChanged,
    ),
]


@pytest.mark.parametrize(("line", "row", "state", "expected"), GOLDEN, ids=[line for line, *_ in GOLDEN])
def test_a_shard_is_resumed_as_the_table_says(line: str, row: ShardRow, state: ChannelState, expected: Resume) -> None:
    assert reconcile(row, CHANNEL, state, TARGET, "r1") == expected


@pytest.mark.parametrize(
    ("line", "row", "state", "target", "routing", "error"), REFUSED, ids=[line for line, *_ in REFUSED]
)
def test_what_cannot_be_explained_is_refused(
    line: str, row: ShardRow, state: ChannelState, target: TargetTable, routing: str, error: type[FirnlineError]
) -> None:
    with pytest.raises(error):
        reconcile(row, CHANNEL, state, target, routing)


def test_a_changed_conversion_is_no_reason_to_stop_once_everything_is_proven() -> None:
    assert reconcile(known(100, 120), CHANNEL, ChannelState(at(100), 10), TARGET, "r2").case is Case.IN_STEP
