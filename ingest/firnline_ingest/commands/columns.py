"""`columns`: the columns that wait for a person's word, and the word."""

import argparse
from typing import TYPE_CHECKING, Any

from firnline_ingest.commands.command import Command
from firnline_ingest.commands.output import add_output, show

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from firnline_ingest.config.model import EngineConfig
    from firnline_ingest.ledger.column_note import PlannedColumn

SHOWN = 20  # declined keys that are named


def add_words(parser: argparse.ArgumentParser) -> None:
    add_output(parser)
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
    word.add_argument(
        "--forget",
        nargs="+",
        metavar="KEY",
        help="Take declined keys out of the plan, which has room for some thousands: those that no record has any more.",
    )
    parser.add_argument("--table", help="One table of those that the pipelines fill; all of them by default.")


def columns(config: "EngineConfig", options: argparse.Namespace) -> int:
    from firnline_ingest.ledger.column_note import ColumnDecision
    from firnline_ingest.ledger.provision import open_ledger
    from firnline_ingest.planned_columns import chosen_tables, decide, forget, require_declined, require_planned

    ledger, found, plans = open_ledger(config), list[dict[str, object]](), list[dict[str, object]]()
    tables = chosen_tables(config, options.table)
    require_planned(ledger, tables, options.approve or options.decline or ())
    require_declined(ledger, tables, options.forget or ())
    for table in tables:
        forgotten = forget(ledger, table, options.forget) if options.forget else []
        if options.approve is not None:
            decided = decide(ledger, table, ColumnDecision.APPROVED, options.approve or None)
        else:
            decided = decide(ledger, table, ColumnDecision.DECLINED, options.decline) if options.decline else []
        note = ledger.column_note(table)
        planned = note.planned.values() if note else ()
        open_ones = [column for column in planned if column.decision is ColumnDecision.OPEN]
        found += [_document(str(table), column) for column in (*decided, *open_ones)]
        declined = sorted(column.key for column in planned if column.decision is ColumnDecision.DECLINED)
        if declined or forgotten or (note and note.is_nearly_full):
            full = note is not None and note.is_nearly_full
            plans.append({"table": str(table), "declined": declined, "forgotten": forgotten, "is_full": full})
    is_asked = options.approve is None and not options.decline and not options.forget
    show(
        options, lambda: {"columns": found, "plans": plans}, lambda: "\n".join([*_text(found, is_asked), *_said(plans)])
    )
    return 0


def _document(table: str, column: "PlannedColumn") -> dict[str, object]:
    is_open = column.decision == "open"
    first = {"sequence_number": column.sequence_number, "shard": str(column.shard), "records": column.records}
    said: dict[str, object] = {"table": table, "decision": str(column.decision), "definition": column.definition}
    return {**said, **first} if is_open else said


def _text(found: list[dict[str, object]], is_asked: bool) -> list[str]:
    if not found:
        return ["No column waits for approval." if is_asked else "Nothing was to be decided."]
    return [
        f"{each['table']}: planned {each['definition']}, first in record {each['sequence_number']} of {each['shard']}, "
        f"{each['records']} of its page have it"
        if "records" in each
        else f"{each['table']}: {each['decision']} {each['definition']}"
        for each in found
    ]


def _said(plans: "Iterable[dict[str, Any]]") -> "Iterator[str]":
    """Lines about what stays in a plan, and leaves it."""
    for each in plans:
        table, declined = each["table"], each["declined"]
        yield from (f"{table}: forgot {key}" for key in each["forgotten"])
        if declined:
            more = f" and {len(declined) - SHOWN} more" if len(declined) > SHOWN else ""
            yield f"{table}: declined, so without a column: {', '.join(declined[:SHOWN])}{more}"
        if each["is_full"]:
            yield (
                f"{table}: the plan is full, so records with other new keys wait. Decide about the keys above, and take declined "
                "ones that no record has any more out with --forget KEY."
            )


COLUMNS = Command(
    name="columns",
    summary="List columns that wait for approval, and decide about them.",
    more="Of pipelines with adds_columns: approved. Records with such keys wait in the stream until it is decided.",
    add_arguments=add_words,
    run=columns,
)
