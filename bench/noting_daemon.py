"""Spark's Python daemon, whose workers write down when they call append_rows, up to which position, and how many rows.

Spark starts it in place of its own (`spark.python.daemon.module`), so that the engine needs no hook for the benchmark.
"""

import os
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from bench.world import NOTES
from firnline_ingest.snowflake.sdk_channel import SdkChannel


def note_appends(file: Path) -> None:
    """From now on, in this process and those that it forks. A line is one write, so that processes don't mix theirs."""
    notes = file.open("a", buffering=1)
    append = SdkChannel.append

    def noted(channel: SdkChannel, rows: Sequence[msgspec.Raw], *, start: str, end: str) -> None:
        notes.write(f"{time.time()} {end} {len(rows)}\n")
        append(channel, rows, start=start, end=end)

    SdkChannel.append = noted  # type: ignore[method-assign, assignment]


if __name__ == "__main__":
    from pyspark.daemon import manager

    note_appends(Path(os.environ[NOTES]))
    manager()
