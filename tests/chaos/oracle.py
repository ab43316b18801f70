"""The promise, as a pure function: what must be true at the end of any schedule, whatever was done.

Every record is where it belongs, once, in its shard's order; or an incident names its range; or its shard has stopped
with an error that says what to do. Nothing is doubled, ever. What stands still without a word is wrong, too.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tests.chaos.records import Fate

SUB_BITS, ROW_BITS = 32, 16
WHOLE_SECONDS_MS = 2000  # the service tells its time in seconds, so a start that is pinned to it is not sharper


def place_of(sequence_number: int, sub_sequence_number: int = 0, row: int = 0) -> int:
    """All numbers as one, in the shard's order; each user record of an aggregate has a place of its own, and each row of it."""
    return (sequence_number << SUB_BITS | sub_sequence_number) << ROW_BITS | row


@dataclass(frozen=True, slots=True)
class Put:
    """A record that was put into the stream, and where it has to be in the end."""

    shard: str
    number: int
    """The place in the shard."""
    arrived_ms: int
    fate: Fate
    table: str = ""
    """The one that it belongs into, as the places of rows name it."""
    or_letter: bool = False
    """Too large or too wide, perhaps: as a dead letter it is in its place, too."""

    def belongs(self, fate: Fate) -> bool:
        return fate is self.fate or (self.or_letter and fate is Fate.DEAD_LETTER)


@dataclass(frozen=True, slots=True)
class Found:
    """A record as it was found again. A table that was replaced is another table."""

    place: str
    shard: str
    number: int
    table: str = ""


@dataclass(frozen=True, slots=True)
class Loss:
    """A loss by an incident: what was lost, or can't be proven. A bound that is None leaves that side open."""

    shard: str
    kind: str
    before: int | None = None
    """The first record of the shard that is not lost any more."""
    from_ms: int | None = None
    to_ms: int | None = None

    def covers(self, put: Put) -> bool:
        return (
            put.shard == self.shard
            and (self.before is None or put.number < self.before)
            and (self.from_ms is None or put.arrived_ms >= self.from_ms)
            and (self.to_ms is None or put.arrived_ms <= self.to_ms)
        )


@dataclass(frozen=True, slots=True)
class Stop:
    """A shard that will not go on by itself, and what it says; an empty shard is the whole pipeline."""

    shard: str
    id: str
    next_step: str


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """Evidence: what was put, what was found, and what the engine said about the difference."""

    puts: Sequence[Put]
    found: Mapping[Fate, Sequence[Found]]
    """Rows and error rows in the order of their commits."""
    parents: Mapping[str, Sequence[str]] = field(default_factory=dict)
    of_two_lineages: Collection[str] = ()
    """Shards of streams that were made again, which had other parents before: no order says anything about them."""
    losses: Sequence[Loss] = ()
    stops: Sequence[Stop] = ()
    unordered: Collection[Found] = ()
    """What was committed beyond a proof in a channel that is gone: a part of it may have come again behind the rest."""
    came_again: Sequence[tuple[str, str, int]] = ()
    """Table, shard and place of rows that were proven when a person said to go on after them, and that are there
    once more now, in whatever table.
    """
    begins_at_ms: int | None = None
    """Where the application's initial position lies; what arrived before is left out by its user's wish."""
    under_old_identity: int = 0
    """Rows that a table took from an engine that took it for the one before it."""
    may_lose: bool = False
    """True if anything was done that loses records, or proofs, so that an incident can be true."""
    may_skip: bool = False
    """True if the configuration had what can't be a row skipped for a while: counted, and nowhere."""
    asked_for: Collection[str] = ()
    """Ids of the stops that the configuration asks for."""


def problems(evidence: Evidence) -> list[str]:
    """Returns what is wrong, in sentences; nothing where all is well."""
    return [
        *_doubled(evidence),
        *_came_again(evidence),
        *_misplaced(evidence),
        *_in_two_places(evidence),
        *_in_another_table(evidence),
        *_under_old_identity(evidence),
        *_out_of_order(evidence),
        *_children_before_parents(evidence),
        *_history(evidence),
        *_missing(evidence),
        *_untrue_incidents(evidence),
        *_mute_stops(evidence),
    ]


def _doubled(evidence: Evidence) -> Iterator[str]:
    for fate, found in evidence.found.items():
        counts = Counter(found)
        for place in sorted({one.place for one in found}):
            twice = sorted(one.number for one, count in counts.items() if count > 1 and one.place == place)
            if twice:
                yield f"{len(twice)} {fate}s are doubled in {place}: {_numbers(twice)}"


def _came_again(evidence: Evidence) -> Iterator[str]:
    if evidence.came_again:
        numbers = _numbers(number for _, _, number in evidence.came_again)
        yield f"{len(evidence.came_again)} rows that were proven came again after a resume: {numbers}"


def _in_two_places(evidence: Evidence) -> Iterator[str]:
    """A record that may be a letter is not a row as well; of all others, one of the two is misplaced anyhow."""
    letters = {(one.shard, one.number) for one in evidence.found.get(Fate.DEAD_LETTER, ())}
    rows = {(one.shard, one.number) for one in evidence.found.get(Fate.ROW, ())}
    if both := sorted(number for _, number in letters & rows):
        yield f"{len(both)} records are rows and dead letters, too: {_numbers(both)}"


def _in_another_table(evidence: Evidence) -> Iterator[str]:
    wanted = {(put.shard, put.number): put.table for put in evidence.puts}
    for fate in (Fate.ROW, Fate.ERROR_ROW):
        found = evidence.found.get(fate, ())
        strange = [one.number for one in found if wanted.get((one.shard, one.number), one.table) != one.table]
        if strange:
            yield f"{len(strange)} {fate}s are in another table than their own: {_numbers(sorted(strange))}"


def _under_old_identity(evidence: Evidence) -> Iterator[str]:
    if evidence.under_old_identity:
        yield f"{evidence.under_old_identity} rows went into a new table as if it were the one that it replaced"


def _misplaced(evidence: Evidence) -> Iterator[str]:
    wanted = {(put.shard, put.number): put for put in evidence.puts}
    for fate, found in evidence.found.items():
        puts = ((one.number, wanted.get((one.shard, one.number))) for one in found)
        strange = sorted({number for number, put in puts if put is None or not put.belongs(fate)})
        if strange:
            yield f"{len(strange)} {fate}s should be something else, or were never put: {_numbers(strange)}"


def _out_of_order(evidence: Evidence) -> Iterator[str]:
    for fate in (Fate.ROW, Fate.ERROR_ROW):
        last: dict[tuple[str, str], int] = {}
        for one in evidence.found.get(fate, ()):
            if one in evidence.unordered:
                continue
            if one.number < last.get((one.place, one.shard), 0):
                yield f"{one.shard}: the {fate}s in {one.place} are not in the shard's order"
                break
            last[one.place, one.shard] = one.number


def _children_before_parents(evidence: Evidence) -> Iterator[str]:
    first: dict[tuple[str, str], int] = {}
    last: dict[tuple[str, str], int] = {}
    rows = evidence.found.get(Fate.ROW, ())
    for index, one in enumerate(rows):
        first.setdefault((one.place, one.shard), index)
        last[one.place, one.shard] = index
    for (place, shard), index in first.items():
        parents = () if shard in evidence.of_two_lineages else evidence.parents.get(shard, ())
        for parent in parents:
            if index < last.get((place, parent), -1):
                yield f"{shard} has a row in {place} before its parent {parent} has all of its own"


def _history(evidence: Evidence) -> Iterator[str]:
    if evidence.begins_at_ms is None:
        return
    before = {
        (put.shard, put.number) for put in evidence.puts if put.arrived_ms < evidence.begins_at_ms - WHOLE_SECONDS_MS
    }
    history = [one.number for found in evidence.found.values() for one in found if (one.shard, one.number) in before]
    if history:
        yield f"{len(history)} records from before the initial position were read: {_numbers(sorted(history))}"


def _missing(evidence: Evidence) -> Iterator[str]:
    have: dict[tuple[str, int], set[Fate]] = {}
    for fate, found in evidence.found.items():
        for one in found:
            have.setdefault((one.shard, one.number), set()).add(fate)
    stopped = _stopped(evidence)
    missing: dict[str, list[int]] = {}
    for put in evidence.puts:
        is_due = evidence.begins_at_ms is None or put.arrived_ms >= evidence.begins_at_ms
        is_there = any(put.belongs(fate) for fate in have.get((put.shard, put.number), ()))
        is_known = put.shard in stopped or any(loss.covers(put) for loss in evidence.losses)
        is_skipped = evidence.may_skip and put.belongs(Fate.DEAD_LETTER)
        if is_due and not (is_there or is_known or is_skipped):
            missing.setdefault(put.shard, []).append(put.number)
    for shard, numbers in sorted(missing.items()):
        of = sum(put.shard == shard for put in evidence.puts)
        yield f"{shard}: {len(numbers)} of {of} records are missing without a word: {_numbers(numbers)}"


def _stopped(evidence: Evidence) -> set[str]:
    """The shards that stopped, and those that wait for them."""
    known = {put.shard for put in evidence.puts} | set(evidence.parents)
    stopped = {stop.shard for stop in evidence.stops}
    if "" in stopped:
        return known
    while waiting := {s for s in known - stopped if not stopped.isdisjoint(evidence.parents.get(s, ()))}:
        stopped |= waiting
    return stopped


def _untrue_incidents(evidence: Evidence) -> Iterator[str]:
    if evidence.may_lose:
        return
    for loss in evidence.losses:
        yield f"{loss.shard}: an incident that nothing caused: {loss}"
    for stop in [stop for stop in evidence.stops if stop.id not in evidence.asked_for]:
        yield f"{stop.shard or 'the pipeline'} stopped, and nothing had happened that time does not heal: {stop.id}"


def _mute_stops(evidence: Evidence) -> Iterator[str]:
    for stop in evidence.stops:
        if not stop.id or not stop.next_step:
            yield f"{stop.shard or 'the pipeline'} stopped without an id or a next step: {stop}"


def _numbers(numbers: Iterable[int]) -> str:
    """The ends of large numbers, which tell them apart."""
    some = [str(number) for number in numbers]
    return ", ".join(some[:5]) + (" …" if len(some) > 5 else "")


def without_first(found: Sequence[Found], forgiven: Mapping[Found, int]) -> Iterator[Found]:
    """Without what came again, as often as it was there before; the last one stays."""
    left, seen = Counter(found), Counter[Found]()
    for one in found:
        seen[one] += 1
        left[one] -= 1
        if seen[one] > forgiven.get(one, 0) or not left[one]:
            yield one
