"""Properties of tables, and stages, that no provider looks at, by the read-back that `firnline preview` has too."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

from firnline_infra.blueprint.snowflake import IcebergTable, InteractiveTable, LettersStage, Table
from firnline_infra.deploy.readback import Finding as ReadBack
from firnline_infra.deploy.readback import read_back, stage_findings
from firnline_infra.drift.finding import NOTHING, Finding, Source
from firnline_infra.drift.scene import Look, Scene, shown
from firnline_infra.specification.identifier import QualifiedName

KINDS = {
    Table: "snowflake table",
    IcebergTable: "snowflake iceberg table",
    InteractiveTable: "snowflake interactive table",
}
STAGE = "snowflake stage"
RETENTION, AS_PULUMI_SAYS = "DATA_RETENTION_TIME_IN_DAYS", "dataRetentionTimeInDays"


def looks(scene: Scene) -> Iterator[Look]:
    for table in scene.blueprint.landing.tables:
        yield Look(what=f"the properties of {KINDS[type(table)]} {table.name}", run=partial(of_table, scene, table))
    for stage in scene.blueprint.landing.stages:
        yield Look(what=f"the {STAGE} {stage.name}", run=partial(of_stage, scene, stage))


def of_table(scene: Scene, table: Table | IcebergTable | InteractiveTable) -> Iterator[Finding]:
    """Raises SnowflakeRefused."""
    alone = replace(scene.blueprint, landing=replace(scene.blueprint.landing, tables=(table,), stages=()))
    found = read_back(alone, scene.session)
    kind = KINDS[type(table)]
    yield from (_as_drift(kind, table.name, each) for each in found)
    if any(each.property == "exists" for each in found):
        return
    statement = f"SHOW PARAMETERS LIKE '{RETENTION}' IN TABLE {table.name.sql}"
    for row in shown(scene.session, statement, kind, str(table.name)):
        if row["level"] == "TABLE":
            unset = f"ALTER TABLE {table.name.sql} UNSET {RETENTION}"
            back = ReadBack("", AS_PULUMI_SAYS, "its schema's", str(row["value"]), unset)
            yield _as_drift(kind, table.name, back)


def of_stage(scene: Scene, stage: LettersStage) -> Iterator[Finding]:
    """Raises SnowflakeRefused."""
    yield from (_as_drift(STAGE, stage.name, each) for each in stage_findings(scene.blueprint, stage, scene.session))


def _as_drift(kind: str, name: QualifiedName, found: ReadBack) -> Finding:
    repair = f"; `firnline up --refresh` or {found.repair}" if found.repair else ""
    return Finding(
        kind=kind,
        name=".".join(part.name for part in name.parts),
        path=found.property,
        expected=found.expected,
        found=found.found or NOTHING,
        source=Source.TABLE,
        next_step=f"find out who changed it{repair}",
    )
