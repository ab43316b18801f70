"""Receipts as differences of their shards' running totals: what was reported before, by any process, is not counted again.

A process that is lost behind its receipt, and before it wrote so, leaves the next one to report the same once more; a task
that is lost with its answer leaves a gap. The totals show both.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from firnline_ingest.ledger.row import RunningTotals, ShardRow
from firnline_ingest.shard.receipt import Receipt, ShardState, Tally
from firnline_ingest.values import Position, ShardKey


@dataclass(slots=True)
class ReceiptDifferences:
    """Remembers what each shard has reported. One thread at a time uses it."""

    hears_all_of: Callable[[str], bool]
    """Whether the caller hears each receipt of what this owner began to count. Of other totals that are new here, the receipt's
    own counts are what is new."""
    heard: dict[ShardKey, dict[str, RunningTotals]] = field(default_factory=dict)
    """By who began to count: a process that is behind the times may still report what it had counted."""

    def of(self, receipts: Sequence[Receipt]) -> list[Receipt]:
        """The receipts with the rows that were proven since, and the dead letters that were kept; those that were reported before
        are not among them."""
        return [self._of(each, each.totals) if each.totals else each for each in receipts]

    def of_ended(self, row: ShardRow, epoch: int) -> Receipt:
        """The last receipt of a shard that no process opens again: what the ledger has of it. The process that read its end may
        have been lost before it reported that."""
        last = Receipt.of(row.key, Tally(), epoch=epoch, state=ShardState.ENDED, totals=row.totals)
        (found,) = self.of([last])
        return found

    def reported(self, key: ShardKey) -> RunningTotals | None:
        """Returns what was reported of a shard, for a process that finds no row of it in the ledger; None where unknown."""
        known = [each for each in self.heard.get(key, {}).values() if each.reported_through is not None]
        return max(known, key=lambda each: each.known_through, default=None)

    def _of(self, receipt: Receipt, totals: RunningTotals) -> Receipt:
        known = self.heard[receipt.key] = self.heard.pop(receipt.key, {})  # the one that was heard last is the last
        own = known.pop(totals.begun_by, None)
        begun = own or self._begun(receipt, totals)
        same = [own] if own else []
        rows_before = [each.rows for each in (*same, *_with_all_rows(totals, known))]
        letters_before = [each.dead_letters for each in (*same, *_with_all_letters(totals, known))]
        rows = max(0, totals.rows - max(rows_before, default=begun.rows))
        letters = max(0, totals.dead_letters - max(letters_before, default=begun.dead_letters))
        # of totals that are new here, what is not proven is among the receipt's own counts
        ahead = 0 if own or self.hears_all_of(totals.begun_by) else receipt.uncommitted_rows
        most = max(begun.rows, totals.rows + ahead), max(begun.dead_letters, totals.dead_letters)
        through = max(begun.through, totals.through, *_sent_through(receipt, ahead))
        reported_through = max(through, begun.known_through, totals.known_through)
        known[totals.begun_by] = replace(
            totals,
            rows=most[0],
            dead_letters=most[1],
            through=through,
            reported_through=reported_through,
            tallied_through=max(filter(None, (begun.tallied_through, totals.tallied_through)), default=None),
        )
        return _with_rows(_with_letters(receipt, letters - receipt.dead_letters), rows - receipt.rows)

    def _begun(self, receipt: Receipt, totals: RunningTotals) -> RunningTotals:
        if self.hears_all_of(totals.begun_by):
            return replace(totals, rows=0, dead_letters=0)
        letters = totals.dead_letters - receipt.dead_letters
        return replace(totals, rows=totals.rows - receipt.rows, dead_letters=letters)


def _sent_through(receipt: Receipt, ahead: int) -> list[Position]:
    """Returns how far rows are counted that were sent, where those that are not proven are among them."""
    return [Position.from_token(receipt.end)] if ahead and receipt.end else []


def _with_all_rows(totals: RunningTotals, known: Mapping[str, RunningTotals]) -> list[RunningTotals]:
    """Returns the totals that can be compared, whichever owner began to count."""
    return [each for each in known.values() if totals.has_all_rows and each.has_all_rows]


def _with_all_letters(totals: RunningTotals, known: Mapping[str, RunningTotals]) -> list[RunningTotals]:
    return [each for each in known.values() if totals.has_all_letters and each.has_all_letters]


def _with_rows(receipt: Receipt, more: int) -> Receipt:
    """`more` may be below 0: rows that are sent and not proven yet are in a later receipt."""
    return replace(receipt, rows=receipt.rows + more)


def _with_letters(receipt: Receipt, more: int) -> Receipt:
    """`more` may be below 0. Records still add up: those that are missing here were read by a process whose receipt was lost."""
    again = max(0, receipt.reread_letters - more)
    records = receipt.records + more + again - receipt.reread_letters
    return replace(receipt, records=records, dead_letters=receipt.dead_letters + more, reread_letters=again)
