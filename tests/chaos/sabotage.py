"""Engines with one rule taken away: a suite that does not fail with each of them sees nothing.

Used with `scripts/chaos --sabotage` and by the suite's own tests; a worker commits it on itself, before its first epoch.
"""

from collections.abc import Callable

from firnline_ingest.shard.channel_writer import ChannelWriter
from firnline_ingest.snowflake.in_flight import Chunk, InFlightRows


def append_again() -> None:
    """Appends once more what was committed before the open, and does not only count it."""

    def nothing_is_known(_writer: ChannelWriter, _chunk: Chunk) -> int:
        return 0

    ChannelWriter._rows_known = nothing_is_known  # type: ignore[method-assign, assignment] # sabotage


def ledger_before_proof() -> None:
    """The ledger is told that a record is accounted for as soon as it is appended."""
    InFlightRows.read_through = property(lambda in_flight: in_flight.accounted)  # type: ignore[method-assign, assignment] # sabotage


SABOTAGES: dict[str, Callable[[], None]] = {
    function.__name__.replace("_", "-"): function for function in (append_again, ledger_before_proof)
}
