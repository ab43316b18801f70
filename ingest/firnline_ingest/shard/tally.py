"""What happened to a shard during one epoch, counted for its receipt and its progress lines."""

from dataclasses import dataclass

from firnline_ingest.kinesis.reader import Read


@dataclass(slots=True)
class Tally:
    """Starts at zero with every epoch."""

    records: int = 0
    rows: int = 0
    reread_rows: int = 0
    bytes: int = 0
    dead_letters: int = 0
    behind_ms: int = 0
    opens: int = 0

    def read(self, read: Read) -> None:
        self.records += len(read.records)
        if read.behind_ms is not None:
            self.behind_ms = read.behind_ms
