"""What to do with a shard that was just opened: the table of docs/design/ledger.md, section 5, as one pure function.

It sees the ledger's row as read after the open, what the channel says, and the target as it is now. What it can't
explain it refuses: stopping a shard is better than losing or repeating a row.
"""

from dataclasses import dataclass
from enum import StrEnum

from firnline_ingest.kinesis.start import After, Start
from firnline_ingest.ledger.errors import LedgerBehind, RoutingChanged, TargetReplaced
from firnline_ingest.ledger.row import ChannelEntry, Proven, ShardRow
from firnline_ingest.values import ChannelState, Position, TargetTable


class Case(StrEnum):
    """The line of the table that applied."""

    FIRST = "nothing is known: start at the pin"
    IN_STEP = "the token is what was proven: go on after it"
    UNPROVEN = "rows are committed but not proven: read them again, count, prove"
    CHANNEL_GONE = "the channel expired, table and pipe are the same: go on in a new one"
    LEDGER_REBUILT = "the ledger's row is gone, the token is not: go on after the token"


@dataclass(frozen=True, slots=True)
class Resume:
    """Where to read, what not to append again, and what the counters are compared with."""

    case: Case
    start: Start
    committed: Position | None
    """Rows up to here are counted as sent, never appended."""
    baseline: Proven


def reconcile(row: ShardRow, channel: str, state: ChannelState, target: TargetTable, routing: str) -> Resume:
    """Raises TargetReplaced, LedgerBehind or RoutingChanged where the ledger and Snowflake can't both be right."""
    entry = row.channels.get(channel)
    if entry is None:
        return _unlisted(row, state)
    if entry.target != target:
        raise TargetReplaced(row.key, was=entry.target, found=target)
    return _listed(row, entry, state, routing)


def _unlisted(row: ShardRow, state: ChannelState) -> Resume:
    """No engine that wrote this row ever appended to the channel."""
    start = After(row.read_through) if row.read_through else row.start
    if state.committed is None:
        return Resume(Case.FIRST, start, None, Proven(None, state.rows_inserted, state.rows_error))
    baseline = Proven(state.committed, state.rows_inserted, state.rows_error)
    furthest = max(state.committed, row.read_through) if row.read_through else state.committed
    return Resume(Case.LEDGER_REBUILT, After(furthest), state.committed, baseline)


def _listed(row: ShardRow, entry: ChannelEntry, state: ChannelState, routing: str) -> Resume:
    proven = entry.proven
    start: Start = After(row.read_through) if row.read_through else row.start
    if state.committed == proven.position:
        return Resume(Case.IN_STEP, start, state.committed, proven)
    if state.committed is None:
        return Resume(Case.CHANNEL_GONE, start, None, Proven(None, state.rows_inserted, state.rows_error))
    if proven.position is not None and state.committed < proven.position:
        raise LedgerBehind(row.key, committed=state.committed.token, proven=proven.position.token)
    if row.routing != routing:
        raise RoutingChanged(row.key)
    return Resume(Case.UNPROVEN, start, state.committed, proven)
