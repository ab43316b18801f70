"""Tables and pipes against what the engine wrote into: another one under the same name has another time of creation.

The ledger's rows have the table and the pipe of each channel. A replaced one has none: the engine stops at it (FL-3107) or, where
nothing was in flight, goes on into the new one. A comparison of names sees neither.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from firnline_infra.accounts.accounts import rows_if_there
from firnline_infra.drift.context import DriftContext
from firnline_infra.drift.tables import KINDS
from firnline_ingest.checks import Check, Finding
from firnline_ingest.identifiers import like_pattern, quoted, stored_name
from firnline_ingest.snowflake.target import made_text

if TYPE_CHECKING:
    from firnline_ingest.ledger.row import ShardRow
    from firnline_ingest.values import TargetTable

STEP = (
    "find out who replaced it and why; `firnline status` says whether the engine waits for a decision, and "
    "docs/when-snowflake-changes.md what `firnline resume` does then"
)


Name = tuple[str, ...]


@dataclass(frozen=True)
class NamedObject:
    """A table or a pipe that a channel was opened into."""

    word: str
    """Of SHOW: TABLE or PIPE."""
    name: Name


def checks(context: DriftContext) -> Iterator[Check]:
    """Yields no check if the engine is started by hand: the reading role has no right to the rows of shards then."""
    if context.environment.aws.runtime.kind is not None:
        application = context.blueprint.names.application
        yield Check(rule="table", name=f"what {application} wrote into", run=partial(of_targets, context))


def of_targets(context: DriftContext) -> Iterator[Finding]:
    """Raises LedgerForbidden, LedgerUnavailable, another LedgerError or SnowflakeRefused."""
    from firnline_ingest.ledger.dynamodb import DynamoLedger
    from firnline_ingest.ledger.errors import LedgerTableMissing

    ledger = DynamoLedger(context.accounts.aws("dynamodb"), context.blueprint.names.ledger_table)
    try:
        marks = filter(None, map(ledger.mark, ledger.begun_streams()))
        rows = [row for mark in marks for row in ledger.rows(mark.incarnation).values()]
    except LedgerTableMissing:
        return
    yield from replaced(rows, _tables(context), partial(_created_on, context))


def _tables(context: DriftContext) -> dict[Name, str]:
    """Returns what a finding calls each table that the specification has now, by its name."""
    landing = context.blueprint.landing
    tables = (*landing.tables, *landing.adopted_tables)
    return {tuple(part.name for part in each.name.parts): KINDS[type(each)] for each in tables}


def _of_target(target: "TargetTable") -> Iterator[tuple[NamedObject, str]]:
    """A default pipe has no creation time of its own."""
    yield NamedObject("TABLE", (target.database, target.schema, target.table)), target.table_created_on
    if target.pipe_created_on:
        pipe = (target.database, target.schema, stored_name(target.pipe))
        yield NamedObject("PIPE", pipe), target.pipe_created_on


def replaced(
    rows: Iterable["ShardRow"], kinds: Mapping[Name, str], created_on: Callable[[NamedObject], str]
) -> Iterator[Finding]:
    """Finds tables and pipes of `kinds` that exist but have no channel. After `firnline resume` the ledger may know several
    of one name; one that is gone is another check's."""
    known: dict[NamedObject, set[str]] = {}
    for target in (entry.target for row in rows for entry in row.channels.values()):
        if (target.database, target.schema, target.table) in kinds:
            for each, then in _of_target(target):
                known.setdefault(each, set()).add(then)
    for each, times in sorted(known.items(), key=lambda item: (item[0].name, item[0].word)):
        now = created_on(each)
        if now and now not in times:
            kind, name = kinds[each.name] if each.word == "TABLE" else "snowflake pipe", ".".join(each.name)
            yield Finding(kind=kind, name=name, path="created_on", expected=max(times), found=now, next_step=STEP)


def _created_on(context: DriftContext, wanted: NamedObject) -> str:
    """Empty where it is not seen. SHOW TABLES lists Iceberg and interactive tables too."""
    *container, name = wanted.name
    where = ".".join(map(quoted, container))
    statement = f"SHOW {wanted.word}S LIKE {like_pattern(name)} IN SCHEMA {where}"
    rows = rows_if_there(context.session, statement) or ()
    return next((made_text(row["created_on"]) for row in rows if row["name"] == name), "")
