"""A migration's journal and the table that it reads in memory, and a process that is killed before one of its writes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.migration import kcl
from firnline_ingest.migration.migrate import MigrationWriter
from firnline_ingest.migration.tables import Item, Items, Source, plain
from tests.fakes.kills import Killed

WRITES = {"begin_run", "beat", "end_run", "set_mark", "pause", "take", "reset", "withdraw", "write", "remove"}


@dataclass
class MemoryJournal:
    """The part of a MigrationJournal that an attempt asks for."""

    table: str = "ledger_migration"
    kept: dict[str, Item] = field(default_factory=dict)

    def write(self, _: str, shard: str, noted: Item) -> None:
        self.kept[shard] = noted

    def remove(self, _: str, shard: str) -> None:
        self.kept.pop(shard, None)

    def read(self, _: str) -> dict[str, Item]:
        return dict(self.kept)


class RecordedSource(Source):
    """The table of the Kinesis Client Library's consumer that has stopped."""

    def __init__(self, table: str, items: list[Item]) -> None:
        super().__init__(None, table)  # type: ignore[arg-type] # nobody is asked
        self._items = {str(item["leaseKey"]): item for item in map(plain, items)}

    def check(self) -> None:
        self._key = kcl.KEY

    def items(self) -> Items:
        return self._items


class Kill:
    """Comes before the write of that number, counted from 0; a process that is gone makes none of the later ones either."""

    def __init__(self, place: int) -> None:
        self.has_come = False
        self._left = place

    def of(self, writer: MigrationWriter) -> MigrationWriter:
        """The same tables for an attempt that is killed."""
        return writer_of(Mortal(writer.ledger, self._write), Mortal(writer.journal, self._write))

    def _write(self) -> None:
        self._left -= 1
        if self._left < 0:
            self.has_come = True
            raise Killed


class Mortal:
    """Stands before a ledger or a journal."""

    def __init__(self, inner: Any, before_write: Callable[[], None]) -> None:
        self._inner, self._before_write = inner, before_write

    def __getattr__(self, name: str) -> Any:
        if name in WRITES:
            self._before_write()
        return getattr(self._inner, name)


def writer_of(ledger: Any, journal: Any) -> MigrationWriter:
    """Takes a dead engine's name at once."""
    return MigrationWriter(ledger, journal, RunLease(ledger, "app", sleep=lambda _: None, every_s=3_600.0))
