"""`resume`: a person's decision about shards that the engine refused."""

import argparse
import time
from functools import partial
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import Command

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig
    from firnline_ingest.ledger.row import ShardRow


def add_decisions(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--stream", required=True, help="The stream of the shards.")
    parser.add_argument(
        "--shard",
        help="One shard. If absent, all of the stream that have not ended; from trim-horizon also those that have, and of "
        "which the stream still has records.",
    )
    decision = parser.add_mutually_exclusive_group(required=True)
    decision.add_argument(
        "--from",
        dest="start",
        choices=("proven", "trim-horizon"),
        help="Go on after the last row that is proven, or at the oldest record that the stream still has.",
    )
    decision.add_argument(
        "--accept-errors",
        metavar="TOKEN",
        help="Rejected rows up to this offset token stop the shard no more, until --from is said.",
    )
    parser.add_argument(
        "--table", help="With --accept-errors: the one that rejected them, if the pipeline has several."
    )


def resume(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.ledger.incarnation import is_replaced
    from firnline_ingest.ledger.lease import RunLease
    from firnline_ingest.ledger.provision import open_ledger
    from firnline_ingest.ledger.resume import (
        accept_errors,
        accepted_table,
        begin_anew,
        decide,
        is_held,
        is_read_on,
        resume_from,
    )
    from firnline_ingest.ledger.row import ResumeFrom
    from firnline_ingest.values import Position

    pipeline = config.find_pipeline(options.stream)
    table = accepted_table(pipeline.tables if pipeline else ("",), options.table) if options.accept_errors else ""

    ledger = open_ledger(config)
    access = config.access_of(options.stream)
    lineage = read_lineage(kinesis_client(config.aws, access=access), options.stream)
    incarnation = lineage.incarnation
    now_ms = lineage.listed_ms or int(time.time() * 1000)  # this machine's clock is the last resort

    def decision(row: "ShardRow") -> "ShardRow":
        if options.accept_errors:
            return accept_errors(row, Position.from_token(options.accept_errors), now_ms, table=table)
        return resume_from(row, ResumeFrom(options.start), now_ms)

    is_anew = options.start == ResumeFrom.TRIM_HORIZON
    if is_anew and is_replaced(ledger, options.stream, incarnation):
        begin_anew(ledger, RunLease(ledger, config.application), options.stream, incarnation, now_ms)
        options.echo(f"{options.stream}: the stream that is there now is read from its oldest record.")
        return 0
    lease, concerns = RunLease(ledger, config.application), partial(is_held, lineage=lineage) if is_anew else is_read_on
    for key in decide(ledger, lease, incarnation, options.shard, decision, concerns=concerns):
        options.echo(f"{key}: decided, and kept in the ledger as an incident.")
    for row in ledger.rows(incarnation).values() if is_anew and not options.shard else ():
        if row.ended and row.channels and row.key.shard_id in lineage.shards:
            options.echo(
                f"{row.key}: has ended, and stays as it is. If the table lacks its rows: --shard {row.key.shard_id}"
            )
    return 0


RESUME = Command(
    name="resume",
    summary="Resume stopped shards.",
    more="The engine must not run meanwhile.",
    add_arguments=add_decisions,
    run=resume,
)
