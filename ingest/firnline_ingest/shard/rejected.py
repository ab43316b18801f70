"""Rows that the table rejected: a reason to stop, unless the pipeline tolerates them or a person accepted them."""

import shlex

from firnline_ingest.config.rows import Tolerance
from firnline_ingest.ledger.row import ShardRow
from firnline_ingest.shard.work import Destination, ShardWork
from firnline_ingest.snowflake.errors import RowsRejected
from firnline_ingest.values import Position


def refuse_rejected(
    work: ShardWork, destination: Destination, row: ShardRow, count: int, *, up_to: Position, cause: str
) -> None:
    """Raises RowsRejected for `count` rows at or before `up_to` that nobody has accepted."""
    if count <= 0 or work.pipeline.tolerance is Tolerance.ALL:
        return
    accepted = row.accepted_errors_through(destination.target.table)
    accept = f"--table {shlex.quote(destination.target.table)} " if work.routed else ""
    if accepted is None or up_to > accepted:
        raise RowsRejected(work.key, str(destination.target), count, up_to=up_to.token, cause=cause, accept=accept)
