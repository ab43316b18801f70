"""The reconciliation table of docs/design/ledger.md for a shard with several channels, line by line."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, NamedTuple

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.start import After, AtTimestamp, Pin, Start, TrimHorizon
from firnline_ingest.ledger.errors import ChannelDropped, LedgerBehind, RoutingChanged, TargetReplaced, TokenMissing
from firnline_ingest.ledger.reconcile import EXPIRES_MS, Case, ChannelLookup, TargetSnapshot, reconcile
from firnline_ingest.ledger.row import ChannelEntry, Proven, ResumeFrom, Sending, ShardRow
from firnline_ingest.values import ChannelState, Position, ShardKey, TargetTable

KEY = ShardKey("events", 1_700_000_000_000, "shardId-000000000000")
NOW_MS, MADE_MS = 3 * EXPIRES_MS, EXPIRES_MS
A, B, GONE = "app~a", "app~b", "app~gone"
NEW = ShardRow(key=KEY, start=TrimHorizon(), routing="r1")


def at(number: int | None) -> Position | None:
    return Position(number) if number else None


def target(name: str) -> TargetTable:
    return TargetTable("DB", "RAW", name, "2026-01-01T00:00:00.000+00:00", f"{name}-STREAMING")


def entry(name: str, proven: int | None, *, rows: int = 10, sent: int | None = None, **others: object) -> ChannelEntry:
    """Returns an entry as a session of several channels leaves it: proven up to there, and nothing else was sent unless
    said so.
    """
    sending = Sending(at(sent or proven), others.pop("sent_ms", NOW_MS), others.pop("is_on", False))  # type: ignore[arg-type] # by name
    return ChannelEntry(target(name), Proven(at(proven), rows if proven else 0, 0), sending=sending, **others)  # type: ignore[arg-type] # by name


def row(read_through: int | None, **entries: ChannelEntry) -> ShardRow:
    names = {"a": A, "b": B, "gone": GONE}
    channels = {names[name]: each for name, each in entries.items()}
    return replace(NEW, read_through=at(read_through), channels=channels, heartbeat_ms=NOW_MS)


def look(name: str) -> TargetSnapshot:
    return TargetSnapshot(target(name), "run", 7, NOW_MS)


def found(tokens: Mapping[str, int | None]) -> list[ChannelLookup]:
    return [
        ChannelLookup(name, ChannelState(at(token), 12 if token else 0, 0, MADE_MS), look(name))
        for name, token in tokens.items()
    ]


BOTH = row(50, a=entry(A, 100), b=entry(B, 50))
Tokens = dict[str, int | None]


class Line(NamedTuple):
    known: ShardRow
    tokens: Tokens
    cases: list[Case]
    start: Start = TrimHorizon()


GOLDEN = {
    "nothing is known: the pin": Line(NEW, {A: None, B: None}, [Case.FIRST, Case.FIRST]),
    "each token is what was proven: after what all have read through": Line(
        BOTH, {A: 100, B: 50}, [Case.IN_STEP, Case.IN_STEP], After(Position(50))
    ),
    "one has committed beyond its proof: after what was read through, and each counts for itself": Line(
        BOTH, {A: 150, B: 50}, [Case.UNPROVEN, Case.IN_STEP], After(Position(50))
    ),
    "killed between two appends of one page: one has a token, the other none": Line(
        row(None, a=entry(A, None), b=entry(B, None)), {A: 70, B: None}, [Case.UNPROVEN, Case.IN_STEP]
    ),
    "a route that is new, with nothing beyond: its channel starts where the shard does": Line(
        replace(row(100, a=entry(A, 100)), routing="r0"),
        {A: 100, B: None},
        [Case.IN_STEP, Case.FIRST],
        After(Position(100)),
    ),
    "a route that is gone, with nothing beyond": Line(
        replace(row(100, a=entry(A, 100), gone=entry(GONE, 90)), routing="r0"),
        {A: 100},
        [Case.IN_STEP],
        After(Position(100)),
    ),
    "a shard that had one channel gets a second: what the row says was sent is the first one's": Line(
        replace(row(120, a=replace(entry(A, 100), sending=None)), sent_through=at(100), routing="r0"),
        {A: 100, B: None},
        [Case.IN_STEP, Case.FIRST],
        After(Position(120)),
    ),
    "the row is gone, the tokens are not: after the lowest": Line(
        NEW, {A: 100, B: 50}, [Case.LEDGER_REBUILT, Case.LEDGER_REBUILT], After(Position(50))
    ),
    "the row is gone, one channel has no token: the horizon": Line(
        NEW, {A: 100, B: None}, [Case.LEDGER_REBUILT, Case.FIRST]
    ),
    "the same, and Spark knows how far the shard was read through": Line(
        replace(NEW, read_through=at(60)), {A: 100, B: None}, [Case.LEDGER_REBUILT, Case.FIRST], After(Position(60))
    ),
    "a person said to go on after what is proven: nothing up to a token is appended again": Line(
        replace(BOTH, reset=ResumeFrom.PROVEN), {A: 150, B: None}, [Case.DECIDED, Case.FIRST], After(Position(50))
    ),
    "an idle route's channel expired while the other one was in use": Line(
        row(100, a=entry(A, 100), b=entry(B, 50, sent_ms=NOW_MS - EXPIRES_MS, missed="run/5")),
        {A: 100, B: None},
        [Case.IN_STEP, Case.CHANNEL_EXPIRED],
        After(Position(100)),
    ),
}

PINS: dict[str, tuple[Pin, Start]] = {
    "a pin of before the channels": (AtTimestamp(MADE_MS - 1), AtTimestamp(MADE_MS - 1)),
    "a pin that was made with the new row lies behind what was committed": (AtTimestamp(MADE_MS + 1), TrimHorizon()),
}


class Refused(NamedTuple):
    known: ShardRow
    tokens: Tokens
    error: type[FirnlineError]


def gone(**sent: Any) -> ShardRow:
    """Returns a row of other routes: one led to a channel that no table has any more."""
    return replace(row(100, a=entry(A, 100), gone=entry(GONE, **sent)), routing="r0")


REFUSED = {
    "routing changed while a token is beyond what was read through, though all is proven": Refused(
        replace(BOTH, routing="r0"), {A: 100, B: 50}, RoutingChanged
    ),
    "the same, and a person said where to go on": Refused(
        replace(BOTH, routing="r0", reset=ResumeFrom.PROVEN), {A: 100, B: 50}, RoutingChanged
    ),
    "a route is gone that had rows beyond": Refused(gone(proven=110), {A: 100}, RoutingChanged),
    "a route is gone to which rows were sent that nobody saw committed": Refused(
        gone(proven=90, sent=120), {A: 100}, RoutingChanged
    ),
    "a route is gone to which more may have been sent": Refused(gone(proven=90, is_on=True), {A: 100}, RoutingChanged),
    "nothing was read through yet, and the routing changed": Refused(
        replace(row(None, a=entry(A, None), b=entry(B, None)), routing="r0"), {A: 70, B: None}, RoutingChanged
    ),
    "one stands before what it had proven": Refused(BOTH, {A: 100, B: 40}, LedgerBehind),
    "one has no token where it had one, and nobody looked at its table since": Refused(
        BOTH, {A: 100, B: None}, TokenMissing
    ),
    "one was dropped; that the other one is quiet says nothing of it": Refused(
        row(50, a=entry(A, 100), b=entry(B, 50, is_on=True, sent_ms=1, missed="run/5")),
        {A: 100, B: None},
        ChannelDropped,
    ),
    "one is another table's": Refused(
        row(50, a=entry(A, 100), b=replace(entry(B, 50), target=target("OTHER"))), {A: 100, B: 50}, TargetReplaced
    ),
}


@pytest.mark.parametrize("line", GOLDEN.values(), ids=GOLDEN)
def test_what_is_done(line: Line) -> None:
    resumes = reconcile(line.known, found(line.tokens), "r1")
    assert [resume.start for resume in resumes] == [line.start] * len(line.tokens)
    assert [resume.case for resume in resumes] == line.cases
    assert [resume.committed for resume in resumes] == [at(token) for token in line.tokens.values()]


@pytest.mark.parametrize(("pin", "start"), PINS.values(), ids=PINS)
def test_a_channel_without_a_token_counts_as_the_pin_where_that_is_no_new_one(pin: Pin, start: Start) -> None:
    resumes = reconcile(replace(NEW, start=pin), found({A: 100, B: None}), "r1")
    assert {resume.start for resume in resumes} == {start}


@pytest.mark.parametrize("line", REFUSED.values(), ids=REFUSED)
def test_what_is_refused(line: Refused) -> None:
    with pytest.raises(line.error):
        reconcile(line.known, found(line.tokens), "r1")


def test_a_shard_with_one_channel_is_reconciled_as_ever() -> None:
    proven = replace(entry(A, 100), sending=None)
    known = replace(row(120, a=proven), routing="r0", sent_through=at(100))
    (resume,) = reconcile(known, found({A: 100}), "r1")
    assert (resume.case, resume.start, resume.baseline) == (Case.IN_STEP, After(Position(120)), proven.proven)
