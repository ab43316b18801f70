"""A shard with several channels, as its opening found them: the table of docs/design/ledger.md, section 5, for all at once.

Each channel is reconciled as if it were alone. What is the shard's is where it starts, which is at what was read through by
all of them, and whether another configuration made rows that would be routed anew.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from firnline_ingest.kinesis.start import After, AtTimestamp, Start, TrimHorizon
from firnline_ingest.ledger.errors import RoutingChanged
from firnline_ingest.ledger.reconcile import Look, Resume, reconcile, start_of
from firnline_ingest.ledger.row import ChannelEntry, ResumeFrom, ShardRow
from firnline_ingest.values import ChannelState, Position


@dataclass(frozen=True, slots=True)
class Found:
    """A channel of the configuration, what Snowflake says of it, and its table as it was seen last."""

    channel: str
    state: ChannelState
    look: Look


def reconcile_all(row: ShardRow, found: Sequence[Found], routing: str) -> list[Resume]:
    """One for each channel, all with one start; raises as `reconcile` does, before anything is decided about any of them."""
    if len(found) == 1 and row.channels.keys() <= {found[0].channel}:
        return [reconcile(row, found[0].channel, found[0].state, found[0].look, routing)]
    _refuse_another_routing(row, found, routing)
    resumes = [reconcile(row.as_of(one.channel), one.channel, one.state, one.look, routing) for one in found]
    start = _start(row, found)
    return [replace(resume, start=start) for resume in resumes]


def _start(row: ShardRow, found: Sequence[Found]) -> Start:
    """After what was read through. Where nobody knows, after the lowest token; a channel without one counts as the pin."""
    tokens = [one.state.committed for one in found]
    known = [token for token in tokens if token is not None]
    if not row.is_new or not known:
        return start_of(row)
    if len(known) == len(tokens):
        return After(min(known))
    return row.start if _is_older(row.start, found) else TrimHorizon()


def _is_older(pin: Start, found: Sequence[Found]) -> bool:
    """Whether a pin was there before the channels were made; one that was made with the new row lies behind their rows."""
    made_ms = [one.state.created_ms for one in found if one.state.committed is not None]
    return not isinstance(pin, AtTimestamp) or pin.ms <= min(made_ms)


def _refuse_another_routing(row: ShardRow, found: Sequence[Found], routing: str) -> None:
    """Raises RoutingChanged where a record that lies beyond what was read through may be in a table, which is not where the
    configuration of now would send it.
    """
    if not row.channels or row.routing == routing:
        return
    tokens = [one.state.committed for one in found]
    if row.reset is not ResumeFrom.HORIZON:
        now = {one.channel for one in found}
        tokens += [entry.settled_through for name, entry in row.channels.items() if name in now]
        tokens += [_furthest(entry) for name, entry in row.channels.items() if name not in now]
        if any(row.sending_of(name).is_on for name in row.channels if name not in now):
            raise RoutingChanged(row.key)
    for token in tokens:
        if token is not None and (row.read_through is None or token > row.read_through):
            raise RoutingChanged(row.key)


def _furthest(entry: ChannelEntry) -> Position | None:
    """What is known of a channel that is not asked any more."""
    sent = entry.sending.through if entry.sending else None
    return max(filter(None, (entry.seen, entry.settled_through, sent)), default=None)
