"""Properties of tables, and stages, that no provider looks at, by the read-back that `firnline preview` has too."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from firnline_infra.blueprint.snowflake import DeadLetterStage, IcebergTable, InteractiveTable, Table
from firnline_infra.drift.context import DriftContext
from firnline_infra.drift.stack import UNSEEN
from firnline_infra.observe.readback import EXISTS, read_back, stage_findings
from firnline_infra.specification.identifier import QualifiedName
from firnline_ingest.checks import NOTHING, Check, Finding

KINDS = {
    Table: "snowflake table",
    IcebergTable: "snowflake iceberg table",
    InteractiveTable: "snowflake interactive table",
}
STAGE = "snowflake stage"


def checks(context: DriftContext) -> Iterator[Check]:
    for table in context.blueprint.landing.tables:
        yield Check(
            rule="table",
            name=f"the properties of {KINDS[type(table)]} {table.name}",
            run=partial(of_table, context, table),
        )
    for stage in context.blueprint.landing.stages:
        yield Check(rule="table", name=f"the {STAGE} {stage.name}", run=partial(of_stage, context, stage))


def of_table(context: DriftContext, table: Table | IcebergTable | InteractiveTable) -> Iterator[Finding]:
    """Raises SnowflakeRefused."""
    alone = replace(context.blueprint, landing=replace(context.blueprint.landing, tables=(table,), stages=()))
    found = read_back(alone, context.session)
    kind = KINDS[type(table)]
    yield from (_as_drift(kind, table.name, each) for each in found)


def of_stage(context: DriftContext, stage: DeadLetterStage) -> Iterator[Finding]:
    """Raises SnowflakeRefused."""
    yield from (
        _as_drift(STAGE, stage.name, each) for each in stage_findings(context.blueprint, stage, context.session)
    )


def _as_drift(kind: str, name: QualifiedName, found: Finding) -> Finding:
    repair = f"; `firnline up --refresh` or {found.repair}" if found.repair else ""
    return replace(
        found,
        kind=kind,
        name=".".join(part.name for part in name.parts),
        found=UNSEEN if found.path == EXISTS else found.found or NOTHING,
        next_step=f"find out who changed it{repair}",
    )
