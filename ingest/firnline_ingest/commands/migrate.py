"""`firnline migrate`: what it takes, and what it prints."""

import argparse
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import REFUSED, Command
from firnline_ingest.commands.output import add_output, show
from firnline_ingest.kinesis.start import AtTimestamp, Pin, TrimHorizon
from firnline_ingest.migration.errors import UnclearCommand
from firnline_ingest.terminal import text_table
from firnline_ingest.values import moment

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig
    from firnline_ingest.kinesis.lineage import Lineage
    from firnline_ingest.migration.plan import Migration

WATCH_S = 30.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--from", dest="source", metavar="TABLE", help="The other consumer's DynamoDB table.")
    parser.add_argument("--stream", help="The stream; needed where the configuration has several.")
    parser.add_argument(
        "--at",
        metavar="TIME",
        help="If shards begin of which the table names no place: a time with its zone, or `trim-horizon`.",
    )
    parser.add_argument(
        "--watch",
        metavar="SECONDS",
        type=float,
        default=WATCH_S,
        help=f"How long the table is watched for a worker that still writes; longer than its failover time. Else {WATCH_S:.0f}.",
    )
    parser.add_argument(
        "--creation-epoch",
        metavar="SECONDS",
        type=int,
        help="The creation time in the keys of a table of several streams, if it is not the stream's own.",
    )
    add_output(parser)
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--apply", action="store_true", help="Write the ledger's rows.")
    what.add_argument("--undo", action="store_true", help="Take back what --apply wrote, before an engine has begun.")
    what.add_argument(
        "--finish",
        action="store_true",
        help="Remove the table in which migrations are noted, once engines read what was taken over; audit --migrated needs it.",
    )


def migrate(config: "EngineConfig", options: argparse.Namespace) -> int:
    """Raises the errors of migration/errors.py, those of the ledger and of the stream."""
    from firnline_ingest.aws.client import dynamodb_client
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.ledger.lease import RunLease
    from firnline_ingest.ledger.provision import open_ledger
    from firnline_ingest.migration.migrate import MigrationWriter, apply, planned, undo, watch
    from firnline_ingest.migration.tables import MigrationJournal, Source

    at = pin_of(options.at)
    _refuse_unclear(options)
    if options.finish:
        return _finish(config, options)
    stream = _stream(config, options.stream)
    lineage = read_lineage(kinesis_client(config.aws, access=config.access_of(stream)), stream)
    client = dynamodb_client(config.aws)
    journal = MigrationJournal(client, f"{config.ledger.table}_migration")
    if options.undo:
        ledger = open_ledger(config)
        journal.open(create=False)
        rows = undo(lineage, MigrationWriter(ledger, journal, RunLease(ledger, config.application)))
        options.echo(
            f"{rows} rows of {lineage.stream} are gone from the ledger; the other consumer can go on where it stopped."
        )
        return 0
    source = Source(client, options.source)
    options.echo(
        f"Watching {options.source} for {options.watch:.0f} s for a worker that still writes to it …", err=True
    )
    watched = watch(source, options.watch)
    migration = planned(watched, lineage, at, options.creation_epoch)
    if not options.apply:
        show(
            options, lambda: document(migration, lineage, source.kind), lambda: dry_run(migration, lineage, source.kind)
        )
        return REFUSED if migration.problems else 0
    ledger = open_ledger(config)
    journal.open(create=config.ledger.create)
    rows = apply(migration, watched, lineage, MigrationWriter(ledger, journal, RunLease(ledger, config.application)))
    written = (
        f"{table(migration, lineage, source.kind)}\n{rows} rows of {lineage.stream} are in the ledger, and noted in "
        f"{journal.table}. To take them back before the\nengine's first start: firnline migrate --undo. The other consumer "
        "must not run again."
    )
    show(options, lambda: {**document(migration, lineage, source.kind), "rows_written": rows}, lambda: written)
    return 0


def _refuse_unclear(options: argparse.Namespace) -> None:
    if not 0 <= options.watch <= 86_400:
        raise UnclearCommand(
            f"--watch {options.watch:g} is not a time to wait.", next_step="give seconds, from 0 to 86400."
        )
    if bool(options.source) == (options.undo or options.finish):
        raise UnclearCommand(
            "Give --from TABLE, or --undo alone, or --finish alone.", next_step="see firnline migrate --help."
        )


def _finish(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.aws.client import dynamodb_client
    from firnline_ingest.ledger.provision import open_ledger
    from firnline_ingest.migration.migrate import finish
    from firnline_ingest.migration.tables import MigrationJournal

    journal = MigrationJournal(dynamodb_client(config.aws), f"{config.ledger.table}_migration")
    was_there = finish(open_ledger(config), journal)
    options.echo(f"{journal.table} is gone." if was_there else f"{journal.table} is gone already.")
    return 0


def table(migration: "Migration", lineage: "Lineage", kind: str) -> str:
    """One line a shard."""
    rows = [(each.shard_id, each.checkpoint, each.becomes) for each in migration.steps]
    return f"{lineage.stream}, from a table of {kind}:\n{text_table(('shard', 'checkpoint', 'becomes'), rows)}"


def document(migration: "Migration", lineage: "Lineage", kind: str) -> dict[str, object]:
    steps = [
        {"shard": each.shard_id, "checkpoint": each.checkpoint, "becomes": each.becomes} for each in migration.steps
    ]
    return {
        "stream": lineage.stream,
        "from": kind,
        "shards": steps,
        "problems": list(migration.problems),
        "rows_written": 0,
    }


def dry_run(migration: "Migration", lineage: "Lineage", kind: str) -> str:
    end = problems(migration) if migration.problems else "Nothing was written. To write it: the same with --apply."
    return f"{table(migration, lineage, kind)}\n{end}"


def problems(migration: "Migration") -> str:
    return "\n".join(["It can't be done as it is:", *(f"  - {problem}" for problem in migration.problems)])


def pin_of(text: str | None) -> Pin | None:
    """Raises UnclearCommand for what is not a time with a zone, and no `trim-horizon`."""
    if text is None:
        return None
    if text == "trim-horizon":
        return TrimHorizon()
    try:
        time = moment(text)
    except ValueError as error:
        raise UnclearCommand(f"--at {error}.", next_step="name a time with its offset, or --at trim-horizon.") from None
    if time > datetime.now(UTC):
        raise UnclearCommand(f"--at {text} is in the future.", next_step="name a time that has passed.")
    return AtTimestamp(int(time.timestamp() * 1000))


def _stream(config: "EngineConfig", named: str | None) -> str:
    streams = sorted({pipeline.stream for pipeline in config.pipelines})
    if named is None and len(streams) == 1:
        return streams[0]
    if named is None or named not in streams:
        raise UnclearCommand(
            f"{'No stream was named' if named is None else f'The configuration does not read {named!r}'}; it reads "
            f"{', '.join(streams)}.",
            next_step="name one with --stream; each is migrated by itself.",
        )
    return named


MIGRATE = Command(
    name="migrate",
    summary="Take over from a consumer of the Kinesis Client Library, or from Openflow.",
    more="Reads their table and the stream's shards, and shows what becomes of each; writes nothing without --apply, and never "
    "anything into their table. Stop that consumer first. Exit status: 0 it can be done or was, 2 refused.",
    add_arguments=add_arguments,
    run=migrate,
)
