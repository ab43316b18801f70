"""Reads what had arrived, on every Spark: before 4.2 a run of `trigger(availableNow=True)` takes one batch of a Python source.

An offset says whether the batch before it left records behind: so runs follow one another until one of them did not.
"""

import ast
import json
from typing import TYPE_CHECKING, Any

from firnline_ingest.datasource.source import READS_ALL

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter


def drain(writer: "DataStreamWriter") -> "StreamingQuery":
    """Runs the query until everything is read that had arrived in its streams of `format("kinesis")` when it was called.

    Returns the last run, which has ended. Where more is left than a batch takes, runs follow one another until a batch has come
    to the tip of each shard. Raises what a run of the query raises; called again, it goes on.
    """
    is_planned_since = False
    while True:
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        progress = query.lastProgress
        if READS_ALL or progress is None or (is_planned_since and not _is_behind(progress)):
            return query
        # The next run's offset tells about this run's batch: not enough, where that was planned before, and is one run again.
        is_planned_since = is_planned_since or "latestOffset" in progress["durationMs"]


def _is_behind(progress: Any) -> bool:
    return any(_leaves_records(source["endOffset"]) for source in progress["sources"])


def _leaves_records(offset: Any) -> bool:
    """Returns whether it is an offset of this source, behind a batch that left records."""
    document = _document(str(offset))
    return isinstance(document, dict) and "starts" in document and bool(document.get("is_behind", True))


def _document(text: str) -> Any:
    """The offset that a progress has as a text: JSON, and on older Sparks (4.1) what Python writes of the document."""
    for read in (ast.literal_eval, json.loads):
        try:
            return read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError):
            continue
    return None
