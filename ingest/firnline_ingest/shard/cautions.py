"""What a shard has learnt from losing its channels, each by itself (caution.py). It lives as long as the shard's runner."""

from collections.abc import Callable, Iterable, Sequence

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import Rows
from firnline_ingest.shard.caution import Caution
from firnline_ingest.shard.opening import Opened
from firnline_ingest.shard.work import Destination
from firnline_ingest.snowflake.errors import ChannelLost, ChannelStalled
from firnline_ingest.snowflake.in_flight import Chunk


class Cautions:
    """One shard's, for as long as its tables are the same; not thread-safe."""

    def __init__(self, destinations: Iterable[Destination]) -> None:
        self.destinations = tuple(destinations)
        self._of = {each.channel: Caution(each.channel) for each in self.destinations}

    def patience(self, channel: str) -> int:
        return self._of[channel].patience

    def lost(self, error: ChannelLost, unproven: Callable[[str], Sequence[Chunk]]) -> None:
        """The channel that the error names was lost, with these rows in flight; all were where it names none of them.

        One that stalled is every channel's: all are opened again for it, and what they wait for begins anew.
        """
        is_its_own = error.channel in self._of and not isinstance(error, ChannelStalled)
        for channel in [error.channel] if is_its_own else self._of:
            self._of[channel].lost(error, unproven(channel))

    def opened(self, opened: Opened) -> None:
        """Every channel is open again. Raises as Caution.opened."""
        for each in opened.channels:
            self._of[each.destination.channel].opened(each.resume.committed)

    def records_at_once(self, records: Sequence[Record]) -> int:
        """How many of these records to take next: as few as any of them wants."""
        return min(caution.records_at_once(records) for caution in self._of.values())

    def are_needed_for(self, records: Sequence[Record]) -> bool:
        """Whether these have to be proven before anything else is appended."""
        return any(caution.is_needed_for(records) for caution in self._of.values())

    def without_refused(self, made: Rows, records: Sequence[Record]) -> Rows:
        """The rows that may go, as Caution.without_refused."""
        for caution in self._of.values():
            made = caution.without_refused(made, records)
        return made

    def passed(self, channels: Iterable[str]) -> None:
        """Rows of these went through."""
        for channel in channels:
            self._of[channel].passed()
