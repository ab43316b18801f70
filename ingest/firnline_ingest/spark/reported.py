"""The driver's knowledge of what has been reported of each shard, by this run and by those before it.

Receipts become differences of running totals. A shard whose process was lost between its end and its last receipt is in no plan
any more: its row of the ledger has what was counted.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from firnline_ingest.errors import FirnlineError
from firnline_ingest.ledger.engine_report import MOST_SHARDS, ReportedCounts
from firnline_ingest.ledger.row import PLACES, RunningTotals, ShardRow
from firnline_ingest.shard.differences import ReceiptDifferences
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.values import Position, ShardKey

LOOKS = 20  # at shards that have left the plan, in one epoch


class ReportedLedger(Protocol):
    def read(self, key: ShardKey) -> ShardRow | None: ...


@dataclass(slots=True)
class ReportedShards:
    """One run's. One thread at a time uses it."""

    ledger: ReportedLedger
    run_id: str
    _differences: ReceiptDifferences = field(init=False)
    _planned: frozenset[ShardKey] = frozenset()
    _open: dict[ShardKey, None] = field(default_factory=dict)
    """Shards whose last receipt has not come, those first that were looked at least recently."""

    def __post_init__(self) -> None:
        self._differences = ReceiptDifferences(lambda owner: owner.startswith(f"{self.run_id}/"))

    def planned(self, shards: Iterable[ShardKey]) -> None:
        """Takes the plan of an epoch that begins: all shards that can be read."""
        self._planned = frozenset(shards)
        self._open |= dict.fromkeys(self._planned)

    def counted(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        """The receipts without what was reported before, and those of shards that have ended and had none."""
        found = self._differences.of(receipts)
        for each in receipts:
            if each.state is ShardState.ENDED:
                self._open.pop(each.key, None)
        epoch = max((receipt.epoch for receipt in receipts), default=0)
        left = [key for key in self._open if key not in self._planned]
        with suppress(FirnlineError):  # the next epoch looks again
            for key in left[:LOOKS]:
                found += filter(None, [self._end_of(key, epoch)])
        return found

    def of(self, key: ShardKey) -> RunningTotals | None:
        """Returns what was reported of a shard, for a process that finds no row of it in the ledger; None where unknown."""
        return self._differences.reported(key)

    def shown(self) -> tuple[ReportedCounts, ...]:
        """Bounded: of each shard that is open what was heard last, and of those the ones that were."""
        heard = self._differences.heard
        last = [(key, list(of_one.values())[-1]) for key, of_one in heard.items() if of_one and key in self._open]
        return tuple(
            ReportedCounts(
                key.stream,
                key.stream_created_ms,
                key.shard_id,
                each.begun_by,
                each.has_all_rows,
                each.rows,
                each.dead_letters,
                *(_token(getattr(each, name)) if each.reported_through else "" for name in PLACES),
            )
            for key, each in last[-MOST_SHARDS:]
        )

    def remember(self, found: Sequence[ReportedCounts]) -> None:
        """Takes over what a run before has reported; of a shard that this one has heard already, nothing."""
        heard = dict[ShardKey, dict[str, RunningTotals]]()
        for each in found:
            totals = RunningTotals(
                through=_position(each.through) or Position(0),
                rows=each.rows,
                dead_letters=each.dead_letters,
                begun_by=each.begun_by,
                has_all_rows=each.has_all_rows,
                reported_through=_position(each.reported_through),
                tallied_through=_position(each.tallied_through),
            )
            heard[ShardKey(each.stream, each.created_ms, each.shard)] = {each.begun_by: totals}
        self._open = dict.fromkeys(heard) | self._open
        self._differences.heard = heard | self._differences.heard

    def _end_of(self, key: ShardKey, epoch: int) -> Receipt | None:
        row = self.ledger.read(key)
        del self._open[key]
        if row is not None and not row.ended:
            self._open[key] = None  # it is paused, or waits: later
        return self._differences.of_ended(row, epoch) if row is not None and row.ended else None


def _token(position: Position | None) -> str:
    return position.token if position else ""


def _position(token: str) -> Position | None:
    return Position.from_token(token) if token else None
