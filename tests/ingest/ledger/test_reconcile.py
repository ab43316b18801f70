"""The reconciliation table of docs/design/ledger.md, line by line."""

from dataclasses import replace

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.start import After, AtTimestamp, TrimHorizon
from firnline_ingest.ledger.errors import ChannelDropped, LedgerBehind, RoutingChanged, TargetReplaced, TokenMissing
from firnline_ingest.ledger.reconcile import EXPIRES_MS, Case, ChannelLookup, Resume, TargetSnapshot, reconcile
from firnline_ingest.ledger.row import ChannelEntry, Proven, ResumeFrom, ShardRow
from firnline_ingest.values import ChannelState, Position, ShardKey, TargetTable

CHANNEL = "app~events~1700000000000~shardId-000000000000"
TARGET = TargetTable("DB", "RAW", "EVENTS", "2026-01-01T00:00:00.000+00:00", "EVENTS-STREAMING")
KEY = ShardKey("events", 1_700_000_000_000, "shardId-000000000000")
NEW = ShardRow(key=KEY, start=TrimHorizon(), routing="r1")
OTHER = replace(TARGET, table_created_on="2026-02-02T00:00:00.000+00:00")
SNAPSHOT = TargetSnapshot(TARGET, "run", 7, now_ms=2 * EXPIRES_MS)


def at(sequence_number: int) -> Position:
    return Position(sequence_number)


def known(proven: int | None, read_through: int | None, *, rows: int = 10, errors: int = 0) -> ShardRow:
    entry = ChannelEntry(TARGET, Proven(at(proven) if proven else None, rows, errors))
    return replace(
        NEW,
        channels={CHANNEL: entry},
        read_through=at(read_through) if read_through else None,
        sent_through=entry.proven.position,
        heartbeat_ms=EXPIRES_MS,
    )


def missed(row: ShardRow, by: str = "run/5", seen: int | None = None) -> ShardRow:
    """Some epochs ago an opening found no token."""
    entry = replace(row.channels[CHANNEL], missed=by, seen=at(seen) if seen else None)
    return replace(row, channels={CHANNEL: entry})


def by_pipe(row: ShardRow, made: str) -> ShardRow:
    """Its channel was opened through a pipe that is not there any more."""
    target = replace(TARGET, pipe="P", pipe_created_on=made)
    entry = replace(row.channels[CHANNEL], target=target)
    return replace(row, channels={CHANNEL: entry})


def decided(row: ShardRow, where: ResumeFrom, **others: object) -> ShardRow:
    return replace(row, reset=where, **others)  # type: ignore[arg-type] # by name, as each line needs it


def listed(created_ms: int, *, is_sending: bool = True) -> ShardRow:
    """A channel whose first rows may have been sent, and of which nobody saw a token."""
    row = known(None, None, rows=0)
    entry = replace(row.channels[CHANNEL], created_ms=created_ms)
    return replace(row, channels={CHANNEL: entry}, is_sending=is_sending)


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
        "rows may have been sent, none was ever seen committed: from the pin",
        replace(known(None, None, rows=0), is_sending=True, sent_through=at(5)),
        ChannelState(None),
        Resume(Case.IN_STEP, TrimHorizon(), None, Proven()),
    ),
    (
        "the channel expired with nothing in flight: a new channel, after what was read through",
        missed(known(100, 120)),
        ChannelState(None),
        Resume(Case.CHANNEL_EXPIRED, After(at(120)), None, Proven()),
    ),
    (
        "the engine ran, nothing was sent for thirty days, and the channel expired",
        replace(missed(known(100, 120)), heartbeat_ms=SNAPSHOT.now_ms, sent_ms=EXPIRES_MS),
        ChannelState(None),
        Resume(Case.CHANNEL_EXPIRED, After(at(120)), None, Proven()),
    ),
    (
        "the pipe was made again with nothing in flight: a new channel, after what was read through",
        by_pipe(known(100, 120), "1"),
        ChannelState(None),
        Resume(Case.PIPE_REPLACED, After(at(120)), None, Proven()),
    ),
    (
        "the pipe was made again before anything was sent: the pin",
        by_pipe(known(None, None, rows=0), "1"),
        ChannelState(None),
        Resume(Case.PIPE_REPLACED, TrimHorizon(), None, Proven()),
    ),
    (
        "the row is gone, the token is not: after the token, with the counters as they are",
        NEW,
        ChannelState(at(150), 14, 1),
        Resume(Case.LEDGER_REBUILT, After(at(150)), at(150), Proven(at(150), 14, 1), unseen_errors=1),
    ),
    (
        "the row is gone, Spark knows a later position than the token: after that",
        replace(NEW, read_through=at(170)),
        ChannelState(at(150), 14),
        Resume(Case.LEDGER_REBUILT, After(at(170)), at(150), Proven(at(150), 14, 0)),
    ),
    (
        "a person said horizon, the table is another one: the oldest record, whatever was proven of the one before",
        decided(known(100, 120), ResumeFrom.TRIM_HORIZON, read_through=None),
        ChannelState(None),
        Resume(Case.FIRST, TrimHorizon(), None, Proven()),
    ),
    (
        "a person said horizon, the channel has a token: the oldest record, and nothing up to the token again",
        decided(known(100, 120, errors=2), ResumeFrom.TRIM_HORIZON, read_through=None),
        ChannelState(at(150), 14, 2),
        Resume(Case.DECIDED, TrimHorizon(), at(150), Proven(at(150), 14, 2)),
    ),
    (
        "a person said proven, the channel is gone: after what was read through",
        decided(known(100, 120), ResumeFrom.PROVEN),
        ChannelState(None),
        Resume(Case.FIRST, After(at(120)), None, Proven()),
    ),
    (
        "a person said proven, the channel is further: after its token; what was rejected in between nobody saw",
        decided(known(100, 120, errors=2), ResumeFrom.PROVEN),
        ChannelState(at(150), 14, 5),
        Resume(Case.DECIDED, After(at(150)), at(150), Proven(at(150), 14, 5), unseen_errors=3),
    ),
    (
        "a person said proven, the channel is another table's: all that it rejected nobody saw",
        decided(replace(NEW, channels={CHANNEL: ChannelEntry(OTHER, Proven(at(9), 9, 9))}), ResumeFrom.PROVEN),
        ChannelState(at(150), 14, 5),
        Resume(Case.DECIDED, After(at(150)), at(150), Proven(at(150), 14, 5), unseen_errors=5),
    ),
]
GOLDEN += [
    (
        "rows were sent and never committed: the channel is still the one that was listed",
        listed(1000),
        ChannelState(None, created_ms=1000),
        Resume(Case.IN_STEP, TrimHorizon(), None, Proven()),
    ),
    (
        "another channel than the one that was listed, to which nothing was sent",
        listed(1000, is_sending=False),
        ChannelState(None, created_ms=2000),
        Resume(Case.IN_STEP, TrimHorizon(), None, Proven()),
    ),
    (
        "an older engine did not ask when the channel was made",
        listed(0),
        ChannelState(None, created_ms=2000),
        Resume(Case.IN_STEP, TrimHorizon(), None, Proven()),
    ),
]

REFUSED: list[tuple[str, ShardRow, ChannelState, TargetTable, str, type[FirnlineError]]] = [
    ("the token lies before the proof", known(100, 120), ChannelState(at(90), 9), TARGET, "r1", LedgerBehind),
    (
        "the table was made again",
        known(100, 120),
        ChannelState(None),
        OTHER,
        "r1",
        TargetReplaced,
    ),
    (
        "a token was there, and nobody looked at the table since",
        known(100, 120),
        ChannelState(None),
        TARGET,
        "r1",
        TokenMissing,
    ),
    (
        "a token was there, and the last look may be older than that it is gone",
        missed(known(100, 120), by="run/6"),
        ChannelState(None),
        TARGET,
        "r1",
        TokenMissing,
    ),
    (
        "a token was seen and never proven",
        missed(known(None, None, rows=0), by="", seen=5),
        ChannelState(None),
        TARGET,
        "r1",
        TokenMissing,
    ),
    (
        "another channel than the one that was listed, and rows may have been sent to that",
        listed(1000),
        ChannelState(None, created_ms=2000),
        TARGET,
        "r1",
        TokenMissing,
    ),
    (
        "the same, and the table was looked at since",
        missed(listed(1000)),
        ChannelState(None, created_ms=2000),
        TARGET,
        "r1",
        ChannelDropped,
    ),
    (
        "the channel is gone with rows in flight, however long ago",
        replace(missed(known(100, 120)), sent_through=at(130)),
        ChannelState(None),
        TARGET,
        "r1",
        ChannelDropped,
    ),
    (
        "the channel is gone, and rows may have been sent after the row was written",
        replace(missed(known(100, 120)), is_sending=True),
        ChannelState(None),
        TARGET,
        "r1",
        ChannelDropped,
    ),
    (
        "the channel is gone with nothing in flight, before its thirty days",
        replace(missed(known(100, 120)), heartbeat_ms=EXPIRES_MS + 1),
        ChannelState(None),
        TARGET,
        "r1",
        ChannelDropped,
    ),
    (
        "an engine of another run missed the token: this one's look is newer",
        replace(missed(known(100, 120), by="run before/900"), sent_ms=SNAPSHOT.now_ms),
        ChannelState(None),
        TARGET,
        "r1",
        ChannelDropped,
    ),
    (
        "a token was seen and never proven, and it is gone",
        missed(known(None, None, rows=0), seen=5),
        ChannelState(None),
        TARGET,
        "r1",
        ChannelDropped,
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
        "the pipe was made again, and rows may have been in flight",
        replace(by_pipe(known(100, 120), "1"), is_sending=True),
        ChannelState(None),
        TARGET,
        "r1",
        TargetReplaced,
    ),
    (
        "the pipe was made again, and what was committed was not proven",
        by_pipe(missed(known(100, 120), by="", seen=130), "1"),
        ChannelState(None),
        TARGET,
        "r1",
        TargetReplaced,
    ),
    (
        "the pipe was made again with nothing in flight, and so was the table",
        by_pipe(known(100, 120), "1"),
        ChannelState(None),
        OTHER,
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
    (
        "the conversion changed behind letters that were kept ahead",
        replace(known(100, 120), kept_through=at(130)),
        ChannelState(at(100), 10),
        TARGET,
        "r2",
        RoutingChanged,
    ),
    (
        "the conversion changed behind letters that were kept ahead, and a person said to go on from what is proven",
        decided(replace(known(100, 120), kept_through=at(130)), ResumeFrom.PROVEN),
        ChannelState(at(100), 10),
        TARGET,
        "r2",
        RoutingChanged,
    ),
]


def reconciled(row: ShardRow, state: ChannelState, routing: str = "r1", target: TargetTable = TARGET) -> Resume:
    (resume,) = reconcile(row, [ChannelLookup(CHANNEL, state, replace(SNAPSHOT, target=target))], routing)
    return resume


@pytest.mark.parametrize(("line", "row", "state", "expected"), GOLDEN, ids=[line for line, *_ in GOLDEN])
def test_a_shard_is_resumed_as_the_table_says(line: str, row: ShardRow, state: ChannelState, expected: Resume) -> None:
    assert reconciled(row, state) == expected


@pytest.mark.parametrize(
    ("line", "row", "state", "target", "routing", "error"), REFUSED, ids=[line for line, *_ in REFUSED]
)
def test_what_cannot_be_explained_is_refused(
    line: str, row: ShardRow, state: ChannelState, target: TargetTable, routing: str, error: type[FirnlineError]
) -> None:
    with pytest.raises(error):
        reconciled(row, state, routing, target)


def test_a_changed_conversion_is_no_reason_to_stop_once_everything_is_proven() -> None:
    assert reconciled(known(100, 120), ChannelState(at(100), 10), "r2").case is Case.IN_STEP
