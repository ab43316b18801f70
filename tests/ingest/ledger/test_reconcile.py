"""The reconciliation table of docs/design/ledger.md, line by line."""

from dataclasses import replace
from typing import NamedTuple

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.ledger.errors import ChannelDropped, LedgerBehind, RoutingChanged, TargetReplaced, TokenMissing
from firnline_ingest.ledger.reconcile import EXPIRES_MS, Case, ChannelLookup, Resume, TargetSnapshot, reconcile
from firnline_ingest.ledger.row import ChannelEntry, Proven, ResumeFrom, ShardRow
from firnline_ingest.values import ChannelState, Position, ShardKey, TargetTable
from tests.fakes.configs import TARGET

CHANNEL = "app~events~1700000000000~shardId-000000000000"
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


def with_channel(row: ShardRow, **changes: object) -> ShardRow:
    return replace(row, channels={CHANNEL: replace(row.channels[CHANNEL], **changes)})  # type: ignore[arg-type] # by name


def missed(row: ShardRow, by: str = "run/5", seen: int | None = None) -> ShardRow:
    """Some epochs ago an opening found no token."""
    return with_channel(row, missed=by, seen=at(seen) if seen else None)


def by_pipe(row: ShardRow, made: str) -> ShardRow:
    """A shard whose channel was opened through a pipe that is not there any more."""
    return with_channel(row, target=replace(TARGET, pipe="P", pipe_created_on=made))


def decided(row: ShardRow, where: ResumeFrom, **others: object) -> ShardRow:
    return replace(row, reset=where, **others)  # type: ignore[arg-type] # by name, as each line needs it


def listed(created_ms: int, *, is_sending: bool = True) -> ShardRow:
    """A channel whose first rows may have been sent, and of which nobody saw a token."""
    return replace(with_channel(known(None, None, rows=0), created_ms=created_ms), is_sending=is_sending)


EMPTY, COUNTED = ChannelState(None), Proven(at(100), 10, 0)
NOTHING_SENT = known(None, None, rows=0)


class Line(NamedTuple):
    """A line of the table about a row and a channel's state: up to the token nothing is appended again."""

    row: ShardRow
    state: ChannelState
    case: Case
    start: int | Start = TrimHorizon()
    baseline: Proven = Proven()
    unseen_errors: int = 0

    @property
    def expected(self) -> Resume:
        start = After(at(self.start)) if isinstance(self.start, int) else self.start
        return Resume(self.case, start, self.state.committed, self.baseline, unseen_errors=self.unseen_errors)


GOLDEN = {
    "neither a row nor a token: the pin": Line(replace(NEW, start=AtTimestamp(5)), EMPTY, Case.FIRST, AtTimestamp(5)),
    "no token, but dead letters were accounted for: after them": Line(
        replace(NEW, read_through=at(7)), EMPTY, Case.FIRST, 7
    ),
    "the token is what was proven: after what was read through": Line(
        known(100, 120), ChannelState(at(100), 10), Case.IN_STEP, 120, COUNTED
    ),
    "the channel was opened, nothing was ever appended: the pin": Line(NOTHING_SENT, EMPTY, Case.IN_STEP),
    "rows are committed beyond the proof: read them again, compare with the proof's counters": Line(
        known(100, 120), ChannelState(at(150), 14, 1), Case.UNPROVEN, 120, COUNTED
    ),
    "rows are committed, nothing was proven yet: from the pin": Line(
        NOTHING_SENT, ChannelState(at(150), 14), Case.UNPROVEN
    ),
    "rows may have been sent, none was ever seen committed: from the pin": Line(
        replace(NOTHING_SENT, is_sending=True, sent_through=at(5)), EMPTY, Case.IN_STEP
    ),
    "the channel expired with nothing in flight: a new channel, after what was read through": Line(
        missed(known(100, 120)), EMPTY, Case.CHANNEL_EXPIRED, 120
    ),
    "the engine ran, nothing was sent for thirty days, and the channel expired": Line(
        replace(missed(known(100, 120)), heartbeat_ms=SNAPSHOT.now_ms, sent_ms=EXPIRES_MS),
        EMPTY,
        Case.CHANNEL_EXPIRED,
        120,
    ),
    "the pipe was made again with nothing in flight: a new channel, after what was read through": Line(
        by_pipe(known(100, 120), "1"), EMPTY, Case.PIPE_REPLACED, 120
    ),
    "the pipe was made again before anything was sent: the pin": Line(
        by_pipe(NOTHING_SENT, "1"), EMPTY, Case.PIPE_REPLACED
    ),
    "the row is gone, the token is not: after the token, with the counters as they are": Line(
        NEW, ChannelState(at(150), 14, 1), Case.LEDGER_REBUILT, 150, Proven(at(150), 14, 1), unseen_errors=1
    ),
    "the row is gone, Spark knows a later position than the token: after that": Line(
        replace(NEW, read_through=at(170)), ChannelState(at(150), 14), Case.LEDGER_REBUILT, 170, Proven(at(150), 14, 0)
    ),
    "a person said horizon, the table is another one: the oldest record, whatever was proven of the one before": Line(
        decided(known(100, 120), ResumeFrom.TRIM_HORIZON, read_through=None), EMPTY, Case.FIRST
    ),
    "a person said horizon, the channel has a token: the oldest record, and nothing up to the token again": Line(
        decided(known(100, 120, errors=2), ResumeFrom.TRIM_HORIZON, read_through=None),
        ChannelState(at(150), 14, 2),
        Case.DECIDED,
        baseline=Proven(at(150), 14, 2),
    ),
    "a person said proven, the channel is gone: after what was read through": Line(
        decided(known(100, 120), ResumeFrom.PROVEN), EMPTY, Case.FIRST, 120
    ),
    "a person said proven, the channel is further: after its token; what was rejected in between nobody saw": Line(
        decided(known(100, 120, errors=2), ResumeFrom.PROVEN),
        ChannelState(at(150), 14, 5),
        Case.DECIDED,
        150,
        Proven(at(150), 14, 5),
        unseen_errors=3,
    ),
    "a person said proven, the channel is another table's: all that it rejected nobody saw": Line(
        decided(replace(NEW, channels={CHANNEL: ChannelEntry(OTHER, Proven(at(9), 9, 9))}), ResumeFrom.PROVEN),
        ChannelState(at(150), 14, 5),
        Case.DECIDED,
        150,
        Proven(at(150), 14, 5),
        unseen_errors=5,
    ),
    "rows were sent and never committed: the channel is still the one that was listed": Line(
        listed(1000), ChannelState(None, created_ms=1000), Case.IN_STEP
    ),
    "another channel than the one that was listed, to which nothing was sent": Line(
        listed(1000, is_sending=False), ChannelState(None, created_ms=2000), Case.IN_STEP
    ),
    "an older engine did not ask when the channel was made": Line(
        listed(0), ChannelState(None, created_ms=2000), Case.IN_STEP
    ),
}


class Refused(NamedTuple):
    row: ShardRow
    error: type[FirnlineError]
    state: ChannelState = EMPTY
    target: TargetTable = TARGET
    routing: str = "r1"


REFUSED = {
    "the token lies before the proof": Refused(known(100, 120), LedgerBehind, ChannelState(at(90), 9)),
    "the table was made again": Refused(known(100, 120), TargetReplaced, target=OTHER),
    "a token was there, and nobody looked at the table since": Refused(known(100, 120), TokenMissing),
    "a token was there, and the last look may be older than that it is gone": Refused(
        missed(known(100, 120), by="run/6"), TokenMissing
    ),
    "a token was seen and never proven": Refused(missed(NOTHING_SENT, by="", seen=5), TokenMissing),
    "another channel than the one that was listed, and rows may have been sent to that": Refused(
        listed(1000), TokenMissing, ChannelState(None, created_ms=2000)
    ),
    "the same, and the table was looked at since": Refused(
        missed(listed(1000)), ChannelDropped, ChannelState(None, created_ms=2000)
    ),
    "the channel is gone with rows in flight, however long ago": Refused(
        replace(missed(known(100, 120)), sent_through=at(130)), ChannelDropped
    ),
    "the channel is gone, and rows may have been sent after the row was written": Refused(
        replace(missed(known(100, 120)), is_sending=True), ChannelDropped
    ),
    "the channel is gone with nothing in flight, before its thirty days": Refused(
        replace(missed(known(100, 120)), heartbeat_ms=EXPIRES_MS + 1), ChannelDropped
    ),
    "an engine of another run missed the token: this one's look is newer": Refused(
        replace(missed(known(100, 120), by="run before/900"), sent_ms=SNAPSHOT.now_ms), ChannelDropped
    ),
    "a token was seen and never proven, and it is gone": Refused(missed(NOTHING_SENT, seen=5), ChannelDropped),
    "the pipe was made again, even where the token is in step": Refused(
        known(100, 120),
        TargetReplaced,
        ChannelState(at(100), 10),
        replace(TARGET, pipe="MY_PIPE", pipe_created_on="2026-02-02T00:00:00.000+00:00"),
    ),
    "the pipe was made again, and rows may have been in flight": Refused(
        replace(by_pipe(known(100, 120), "1"), is_sending=True), TargetReplaced
    ),
    "the pipe was made again, and what was committed was not proven": Refused(
        by_pipe(missed(known(100, 120), by="", seen=130), "1"), TargetReplaced
    ),
    "the pipe was made again with nothing in flight, and so was the table": Refused(
        by_pipe(known(100, 120), "1"), TargetReplaced, target=OTHER
    ),
    "the conversion changed under unproven rows": Refused(
        known(100, 120), RoutingChanged, ChannelState(at(150), 14), routing="r2"
    ),
    "the conversion changed behind letters that were kept ahead": Refused(
        replace(known(100, 120), kept_through=at(130)), RoutingChanged, ChannelState(at(100), 10), routing="r2"
    ),
    "the same, and a person said to go on from what is proven": Refused(
        decided(replace(known(100, 120), kept_through=at(130)), ResumeFrom.PROVEN),
        RoutingChanged,
        ChannelState(at(100), 10),
        routing="r2",
    ),
}


def reconciled(row: ShardRow, state: ChannelState, routing: str = "r1", target: TargetTable = TARGET) -> Resume:
    (resume,) = reconcile(row, [ChannelLookup(CHANNEL, state, replace(SNAPSHOT, target=target))], routing)
    return resume


@pytest.mark.parametrize("line", GOLDEN.values(), ids=GOLDEN)
def test_a_shard_is_resumed_as_the_table_says(line: Line) -> None:
    assert reconciled(line.row, line.state) == line.expected


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_explained_is_refused(line: Refused) -> None:
    with pytest.raises(line.error):
        reconciled(line.row, line.state, line.routing, line.target)


def test_a_changed_conversion_is_no_reason_to_stop_once_everything_is_proven() -> None:
    assert reconciled(known(100, 120), ChannelState(at(100), 10), "r2").case is Case.IN_STEP
