"""Decides what to do with a shard that was just opened: the tables of docs/design/ledger.md, section 5, as one pure function.

It sees the ledger's row as read after the open, what the shard's channels say, and their targets as they were seen last. Each
channel is reconciled as if it were alone; the shard as a whole decides where reading starts. What it can't explain it refuses:
stopping a shard is better than losing or repeating a row.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.ledger.errors import ChannelDropped, LedgerBehind, RoutingChanged, TargetReplaced, TokenMissing
from firnline_ingest.ledger.row import ChannelEntry, Proven, ResumeFrom, ShardRow
from firnline_ingest.values import ChannelState, Position, TargetTable

EXPIRES_MS = (
    30 * 24 * 3600 * 1000
)  # of a channel that is not used (Snowflake's user guide, Snowpipe Streaming channels)


class Case(StrEnum):
    """The line of the table that applied."""

    FIRST = "nothing is known: start at the pin"
    IN_STEP = "the token is what was proven: go on after it"
    UNPROVEN = "rows are committed but not proven: read them again, count, prove"
    CHANNEL_EXPIRED = "the channel expired with nothing in flight: go on in a new one"
    PIPE_REPLACED = "another pipe leads into the same table, and nothing was in flight: go on in a new channel"
    LEDGER_REBUILT = "the ledger's row is gone, the token is not: go on after the token"
    DECIDED = "a person said where to go on, and the channel has a token: nothing up to it is appended again"


@dataclass(frozen=True, slots=True)
class TargetSnapshot:
    """The target as the driver saw it, the epoch for which it looked, and the time now."""

    target: TargetTable
    run_id: str
    epoch: int
    now_ms: int

    @property
    def id(self) -> str:
        return f"{self.run_id}/{self.epoch}"

    def is_newer_than(self, missed: str) -> bool:
        """Returns whether the driver looked after the epoch `missed` found no token.

        The epoch that follows may have been looked at while that one still ran.
        """
        run_id, _, epoch = missed.rpartition("/")
        return bool(missed) and (run_id != self.run_id or self.epoch > int(epoch) + 1)


@dataclass(frozen=True, slots=True)
class Resume:
    """The place to read from, what is not appended again, and what the counters are compared with."""

    case: Case
    start: Start
    committed: Position | None
    """Rows up to here are counted as sent, never appended."""
    baseline: Proven
    unseen_errors: int = 0
    """Rejected rows that the baseline takes along, and that no proof has shown to anybody."""
    drops_through: Position | None = None
    """Rows up to here are neither counted nor appended: what came before the channel has them."""


@dataclass(frozen=True, slots=True)
class ChannelLookup:
    """A channel of the configuration, what Snowflake says of it, and its table as it was seen last."""

    channel: str
    state: ChannelState
    snapshot: TargetSnapshot


def reconcile(row: ShardRow, lookups: Sequence[ChannelLookup], routing: str) -> list[Resume]:
    """Returns one decision for each channel, all with one start.

    Raises TargetReplaced, LedgerBehind, TokenMissing, ChannelDropped or RoutingChanged if the ledger and Snowflake can't both be
    right, before anything is decided about any channel.
    """
    is_inside_record = row.read_through is not None and row.read_through.is_inside_record
    if is_inside_record and row.channels and row.routing != routing:
        raise RoutingChanged(row.key)  # the rest of the record's rows has to be made as the first of them were
    is_alone = len(lookups) == 1 and row.channels.keys() <= {lookups[0].channel}
    if not is_alone:
        _refuse_another_routing(row, lookups, routing)
    resumes = [_of_channel(row.as_of(one.channel), one, routing) for one in lookups]
    if is_alone:
        return resumes
    start = _common_start(row, lookups)
    return [replace(resume, start=start) for resume in resumes]


def _of_channel(row: ShardRow, lookup: ChannelLookup, routing: str) -> Resume:
    """Returns what the row and the channel say together, whatever the shard's other channels say."""
    if row.has_letters_ahead and row.routing != routing:
        raise RoutingChanged(row.key)
    entry = row.channels.get(lookup.channel)
    resume = _reconciled(row, entry, lookup.state, lookup.snapshot, routing)
    return replace(resume, drops_through=_drop_line(row, entry, resume))


def _reconciled(
    row: ShardRow, entry: ChannelEntry | None, state: ChannelState, snapshot: TargetSnapshot, routing: str
) -> Resume:
    if entry is None or row.reset:
        return _anew(row, entry, state, snapshot)
    if entry.target != snapshot.target:
        return _through_another_pipe(row, entry, state, snapshot)
    if state.committed is None:
        return _without_token(row, entry, state, snapshot)
    return _listed(row, entry, state, routing)


def _drop_line(row: ShardRow, entry: ChannelEntry | None, resume: Resume) -> Position | None:
    """Returns how far rows are proven for good, whatever channel it was in.

    None if the start, or the baseline, is past it: a token is not, because what its channel counted does not hold the
    rows before the line. A start between two rows of a record is a line for a new channel: the record is read again in
    whole.
    """
    if row.reset is ResumeFrom.TRIM_HORIZON:
        return None
    line, start = entry.settled_through if entry else None, row.read_through
    known = max(filter(None, (start, resume.baseline.position)), default=None)
    if line is not None and (known is None or line > known):
        return line
    return start if start and start.is_inside_record and resume.committed is None else None


def _anew(row: ShardRow, entry: ChannelEntry | None, state: ChannelState, snapshot: TargetSnapshot) -> Resume:
    """No engine that wrote this row ever appended to the channel, or a person said not to ask what they knew."""
    if state.committed is None:
        return Resume(Case.FIRST, start_of(row), None, Proven(None, state.rows_inserted, state.rows_error))
    baseline = Proven(state.committed, state.rows_inserted, state.rows_error)
    known = entry.proven.rows_error if entry and entry.target == snapshot.target else 0
    start = start_of(row)
    if row.reset is not ResumeFrom.TRIM_HORIZON:
        start = After(max(state.committed, row.read_through or state.committed))
    case = Case.DECIDED if row.reset else Case.LEDGER_REBUILT
    return Resume(case, start, state.committed, baseline, max(0, state.rows_error - known))


def _through_another_pipe(row: ShardRow, entry: ChannelEntry, state: ChannelState, snapshot: TargetSnapshot) -> Resume:
    """Raises TargetReplaced, unless the table is the same, all that was ever sent is proven, and the channel is new."""
    before = replace(snapshot.target, pipe=entry.target.pipe, pipe_created_on=entry.target.pipe_created_on)
    if entry.target != before or state.committed is not None or not _is_quiet(row, entry):
        raise TargetReplaced(row.key, was=entry.target, found=snapshot.target)
    return Resume(Case.PIPE_REPLACED, start_of(row), None, Proven(None, state.rows_inserted, state.rows_error))


def _is_quiet(row: ShardRow, entry: ChannelEntry) -> bool:
    """Returns whether the channel has committed nothing that is not proven."""
    had = max(filter(None, (entry.seen, entry.proven.position)), default=None)
    return had == entry.proven.position == row.sent_through and not row.is_sending


def _without_token(row: ShardRow, entry: ChannelEntry, state: ChannelState, snapshot: TargetSnapshot) -> Resume:
    """A channel that never committed anything, one that expired, one that was dropped, or another table's."""
    proven = entry.proven.position
    had = max(filter(None, (entry.seen, proven)), default=None)
    if had is None and not (row.is_sending and _is_another(entry, state)):
        return Resume(Case.IN_STEP, start_of(row), None, entry.proven)
    if not snapshot.is_newer_than(entry.missed):
        raise TokenMissing(row.key, table=str(snapshot.target), had=had.token if had else "")
    is_quiet = had is not None and _is_quiet(row, entry)
    idle_ms = snapshot.now_ms - (row.sent_ms or row.heartbeat_ms)
    if is_quiet and idle_ms >= EXPIRES_MS:
        return Resume(Case.CHANNEL_EXPIRED, start_of(row), None, Proven(None, state.rows_inserted, state.rows_error))
    raise ChannelDropped(
        row.key, table=str(snapshot.target), proven=proven.token if proven else "", is_quiet=is_quiet, idle_ms=idle_ms
    )


def _is_another(entry: ChannelEntry, state: ChannelState) -> bool:
    """Returns whether the channel is not the one that was listed, whose rows may have been committed before anybody saw
    a token.
    """
    return 0 < entry.created_ms != state.created_ms > 0


def _listed(row: ShardRow, entry: ChannelEntry, state: ChannelState, routing: str) -> Resume:
    proven, committed = entry.proven, state.committed
    assert committed is not None
    if committed == proven.position:
        return Resume(Case.IN_STEP, start_of(row), committed, proven)
    if proven.position is not None and committed < proven.position:
        raise LedgerBehind(row.key, committed=committed.token, proven=proven.position.token)
    if entry.drops_through is not None and committed < entry.drops_through:
        raise LedgerBehind(row.key, committed=committed.token, proven=entry.drops_through.token)
    if row.routing != routing:
        raise RoutingChanged(row.key)
    return Resume(Case.UNPROVEN, start_of(row), committed, proven)


def start_of(row: ShardRow) -> Start:
    """The start after what was read through, else at the pin."""
    return After(row.read_through) if row.read_through else row.start


def _common_start(row: ShardRow, lookups: Sequence[ChannelLookup]) -> Start:
    """The start after what was read through. If that is not known, after the lowest token; a channel without one counts as
    the pin."""
    tokens = [one.state.committed for one in lookups]
    known = [token for token in tokens if token is not None]
    if not row.is_new or not known:
        return start_of(row)
    if len(known) == len(tokens):
        return After(min(known))
    return row.start if _is_older(row.start, lookups) else TrimHorizon()


def _is_older(pin: Start, lookups: Sequence[ChannelLookup]) -> bool:
    """Returns whether a pin was there before the channels were made; one that was made with the new row lies behind
    their rows.
    """
    made_ms = [one.state.created_ms for one in lookups if one.state.committed is not None]
    return not isinstance(pin, AtTimestamp) or pin.ms <= min(made_ms)


def _refuse_another_routing(row: ShardRow, lookups: Sequence[ChannelLookup], routing: str) -> None:
    """Raises RoutingChanged where a record that lies beyond what was read through may be in a table, which is not where the
    configuration of now would send it.
    """
    if not row.channels or row.routing == routing:
        return
    tokens = [one.state.committed for one in lookups]
    if row.reset is not ResumeFrom.TRIM_HORIZON:
        now = {one.channel for one in lookups}
        tokens += [entry.settled_through for name, entry in row.channels.items() if name in now]
        tokens += [_furthest(entry) for name, entry in row.channels.items() if name not in now]
        if any(row.sending_of(name).is_on for name in row.channels if name not in now):
            raise RoutingChanged(row.key)
    for token in tokens:
        if token is not None and (row.read_through is None or token > row.read_through):
            raise RoutingChanged(row.key)


def _furthest(entry: ChannelEntry) -> Position | None:
    """Returns what is known of a channel that is not asked any more."""
    sent = entry.sending.through if entry.sending else None
    return max(filter(None, (entry.seen, entry.settled_through, sent)), default=None)
