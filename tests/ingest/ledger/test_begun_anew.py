"""The lines of docs/design/ledger.md by which a channel begins anew, where what it had proven lies beyond what was read through.

A is the channel that begins anew; B held the shard back. R is 50, what A had proven is 100.
"""

from dataclasses import replace
from typing import NamedTuple

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.start import After, TrimHorizon
from firnline_ingest.ledger.errors import LedgerBehind, RoutingChanged
from firnline_ingest.ledger.item import from_item, to_item
from firnline_ingest.ledger.reconcile import EXPIRES_MS, Case, ChannelLookup, TargetSnapshot, reconcile
from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ChannelEntry, Proven, ResumeFrom, Sending, ShardRow
from firnline_ingest.values import ChannelState, Position, TargetTable
from tests.ingest.ledger.test_reconcile_several import GONE, KEY, NOW_MS, A, B, at

MADE = "2026-01-01T00:00:00.000+00:00"


def target(name: str) -> TargetTable:
    return TargetTable("DB", "RAW", name, MADE, f"{name}-STREAMING", MADE)


def entry(
    name: str, proven: int | None, *, line: int | None = None, sent_ms: int = NOW_MS, missed: str = ""
) -> ChannelEntry:
    """Returns the entry of a channel in which nothing is in flight."""
    counted = Proven(at(proven), 10 if proven else 0, 0)
    sending = Sending(at(proven), sent_ms)
    return ChannelEntry(target(name), counted, seen=at(proven), missed=missed, sending=sending, drops_through=at(line))


def row(a: ChannelEntry, *, read_through: int | None = 50, routing: str = "r1", **more: ChannelEntry) -> ShardRow:
    channels = {A: a, B: entry(B, 50), **({GONE: more["gone"]} if more else {})}
    return ShardRow(
        key=KEY,
        start=TrimHorizon(),
        read_through=at(read_through),
        channels=channels,
        heartbeat_ms=NOW_MS,
        routing=routing,
    )


def resumed(known: ShardRow, *wheres: ResumeFrom) -> ShardRow:
    for where in wheres or (ResumeFrom.PROVEN,):
        known = resume_from(known, where, NOW_MS)
    return known


OLD = NOW_MS - EXPIRES_MS
OTHER_PIPE = replace(target(A), pipe_created_on="2026-02-02T00:00:00.000+00:00")
OTHER_TABLE = replace(target(A), table_created_on="2026-02-02T00:00:00.000+00:00")
PROVEN, HORIZON = ResumeFrom.PROVEN, ResumeFrom.TRIM_HORIZON


class Line(NamedTuple):
    what: str
    known: ShardRow
    token: int | None
    case: Case
    drops: int | None
    start: int | None = 50
    look: TargetTable = target(A)
    baseline: int | None = None


GOLDEN = [
    Line("dropped, and a person said from proven", resumed(row(entry(A, 100))), None, Case.FIRST, 100),
    Line("its table was replaced, the same", resumed(row(entry(A, 100))), None, Case.FIRST, 100, look=OTHER_TABLE),
    Line("it expired", row(entry(A, 100, sent_ms=OLD, missed="run/5")), None, Case.CHANNEL_EXPIRED, 100),
    Line("another pipe, nothing in flight", row(entry(A, 100)), None, Case.PIPE_REPLACED, 100, look=OTHER_PIPE),
    Line("opened again before its first commit", row(entry(A, None, line=100)), None, Case.IN_STEP, 100),
    Line("another pipe before its first commit", row(entry(A, None, line=100)), None, Case.PIPE_REPLACED, 100, look=OTHER_PIPE),
    Line("decided twice", resumed(row(entry(A, None, line=100))), None, Case.FIRST, 100),
    Line("decided twice before anything opened it", resumed(row(entry(A, 100)), PROVEN, PROVEN), None, Case.FIRST, 100),
    Line("its first rows are committed, not proven", row(entry(A, None, line=100)), 120, Case.UNPROVEN, 100),
    Line("and proven: that is beyond the line", row(entry(A, 120, line=100)), 120, Case.IN_STEP, None, baseline=120),
    Line("and proven, and it begins anew again", resumed(row(entry(A, 120, line=100))), None, Case.FIRST, 120),
    Line("all have read past it", row(entry(A, None, line=100), read_through=100), None, Case.IN_STEP, None, 100),
    Line("nothing was read through", row(entry(A, None, line=100), read_through=None), None, Case.IN_STEP, 100, None),
    Line("a shard that is not held back", resumed(row(entry(A, 40))), None, Case.FIRST, None),
    Line("no proof is known: there is nothing to drop", resumed(row(entry(A, None))), None, Case.FIRST, None),
    Line("its token went back, and a person said from proven", resumed(row(entry(A, 100))), 40, Case.DECIDED, 100, baseline=40),
    Line(
        "the same, opened once more",
        row(replace(entry(A, 40, line=100), seen=at(40))), 40, Case.IN_STEP, 100, baseline=40,
    ),
    Line("the token is beyond the proof, from proven", resumed(row(entry(A, 100))), 130, Case.DECIDED, None, baseline=130),
    Line("from the horizon", resumed(row(entry(A, 100)), HORIZON), None, Case.FIRST, None, None),
    Line("from the horizon, with a line", resumed(row(entry(A, None, line=100)), HORIZON), None, Case.FIRST, None, None),
    Line("from proven, and then from the horizon", resumed(row(entry(A, 100)), PROVEN, HORIZON), None, Case.FIRST, None, None),
    Line("from the horizon, and then from proven", resumed(row(entry(A, 100)), HORIZON, PROVEN), None, Case.FIRST, 100, None),
]  # fmt: skip


@pytest.mark.parametrize("line", GOLDEN, ids=[line.what for line in GOLDEN])
def test_what_is_dropped(line: Line) -> None:
    resume, other = reconcile(line.known, found(line.token, line.look), "r1")
    assert (resume.case, resume.drops_through, resume.baseline.position) == (
        line.case,
        at(line.drops),
        at(line.baseline),
    )
    assert resume.start == other.start == (After(Position(line.start)) if line.start else TrimHorizon())
    assert other.drops_through is None or line.start is None


def found(token: int | None, look: TargetTable = OTHER_TABLE) -> list[ChannelLookup]:
    tokens = {A: (token, look), B: (50, target(B))}
    return [
        ChannelLookup(name, ChannelState(at(token), 12 if token else 0, 0, 1), TargetSnapshot(there, "run", 7, NOW_MS))
        for name, (token, there) in tokens.items()
    ]


REFUSED: list[tuple[str, ShardRow, int | None, type[FirnlineError]]] = [
    ("the routing changed, and the line is beyond", row(entry(A, None, line=100), routing="r0"), None, RoutingChanged),
    ("the same, and a person said from proven", resumed(row(entry(A, 100), routing="r0")), None, RoutingChanged),
    (
        "a route is gone whose channel was begun anew, with its line beyond",
        row(entry(A, 50), routing="r0", gone=entry(GONE, None, line=100)), 50, RoutingChanged,
    ),
    ("a token before the line is somebody else's", row(entry(A, None, line=100)), 90, LedgerBehind),
]  # fmt: skip


@pytest.mark.parametrize(("known", "token", "error"), [line[1:] for line in REFUSED], ids=[line[0] for line in REFUSED])
def test_what_is_refused(known: ShardRow, token: int | None, error: type[FirnlineError]) -> None:
    with pytest.raises(error):
        reconcile(known, found(token, target(A)), "r1")


def test_a_route_that_is_gone_is_nothing_to_who_begins_at_the_horizon() -> None:
    known = resumed(row(entry(A, 100), routing="r0", gone=entry(GONE, 90)), HORIZON)
    tokens = [replace(one, state=ChannelState(None, 0, 0, 1)) for one in found(None, target(A))]
    assert {resume.start for resume in reconcile(known, tokens, "r1")} == {TrimHorizon()}


def test_where_the_row_is_gone_too_nobody_knows_the_line() -> None:
    known = replace(row(entry(A, None, line=100)), channels={}, read_through=None)
    resume, _ = reconcile(known, found(None, target(A)), "r1")
    assert (resume.case, resume.drops_through) == (Case.FIRST, None)


def test_a_line_is_kept_in_the_ledger() -> None:
    known = row(entry(A, None, line=100))
    assert from_item(to_item(known)).channels[A].drops_through == at(100)
    assert "drops_through" not in to_item(known)["channels"][B], "as rows are that never had one"
