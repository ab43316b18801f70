"""`columns`: the columns that wait for a person's word, and the word."""

import argparse
from typing import TYPE_CHECKING

from firnline_ingest.commands.command import Command

if TYPE_CHECKING:
    from firnline_ingest.config.model import EngineConfig


def add_words(parser: argparse.ArgumentParser) -> None:
    word = parser.add_mutually_exclusive_group()
    word.add_argument(
        "--approve",
        nargs="*",
        metavar="KEY",
        help="Let the engine add these columns; all that wait where no key is named.",
    )
    word.add_argument(
        "--decline",
        nargs="+",
        metavar="KEY",
        help="Let records go on without them: their values are not kept, and unknown_keys counts them.",
    )
    parser.add_argument("--table", help="One table of those that the pipelines fill; all of them where absent.")


def columns(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.ledger.column_note import ColumnDecision
    from firnline_ingest.ledger.provision import open_ledger
    from firnline_ingest.planned_columns import chosen_tables, decide, require_planned

    ledger, waiting = open_ledger(config), 0
    tables = chosen_tables(config, options.table)
    require_planned(ledger, tables, options.approve or options.decline or ())
    for table in tables:
        if options.approve is not None:
            decided = decide(ledger, table, ColumnDecision.APPROVED, options.approve or None)
        else:
            decided = decide(ledger, table, ColumnDecision.DECLINED, options.decline) if options.decline else []
        for column in decided:
            print(f"{table}: {column.decision} {column.definition}")
        note = ledger.column_note(table)
        for column in note.planned.values() if note else ():
            if column.decision is ColumnDecision.OPEN:
                waiting += 1
                print(
                    f"{table}: planned {column.definition}, first in record {column.sequence_number} of {column.shard}, "
                    f"{column.records} of its page have it"
                )
    if not waiting and options.approve is None and not options.decline:
        print("No column waits for approval.")
    return 0


COLUMNS = Command(
    name="columns",
    summary="List columns that wait for approval, and decide about them.",
    more="Of pipelines with adds_columns: approved. Records with such keys wait in the stream until it is decided.",
    add_arguments=add_words,
    run=columns,
)
