"""Objects that no `up` makes: streams of others, and the table that a migration has left."""

from collections.abc import Iterator
from typing import Any

from firnline_infra.observe.migration_table import is_there, migration_table
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.source_streams import source_streams
from firnline_ingest.checks import Finding, good, unknown


def migration(spec: EnvironmentSpec, dynamodb: Any) -> Iterator[Finding]:
    """The table in which a migration is noted, while it is there. It is no fault: a migration may be under way."""
    table = migration_table(Names.of(spec).ledger_table)
    found = is_there(dynamodb, table)
    if found:
        step = f"`firnline migrate {spec.name} --finish` once `firnline audit --migrated` has proven the migration"
        yield good(f"table {table}", f"a migration is noted in it; it goes by {step}")
    elif found is None and spec.ledger.migration:
        step = f"`firnline migrate {spec.name} --finish`, when the migration is over"
        yield unknown(f"table {table}", "whether it is still there could not be asked", next_step=step)


def cross_account(spec: EnvironmentSpec) -> Iterator[Finding]:
    """Streams of other accounts or regions: their owners let the engine in, and nobody else, so they are not asked about here."""
    for stream in source_streams(spec):
        if not stream.is_reached_from_here:
            said = f"is in {stream.region} of {stream.account}, which only the engine may ask"
            yield unknown(
                f"stream {stream.name}",
                said,
                next_step="`firnline validate` where the engine runs; what its owner makes: `firnline cross-account`",
            )
