"""Interactive warehouses, with the tables that they are for.

Rules: provider source, pkg/resources/warehouse_interactive.go.
"""

from typing import Any

from firnline_local.providers.kind import MOST, Form, Properties, Rules
from firnline_local.providers.snowflake.kind import (
    COMMENT,
    IN_SCHEMA,
    NAMES,
    SWITCH,
    Setting,
    ShownObject,
    SnowflakeKind,
    Source,
    alike,
    as_known,
    number,
    parameter,
)
from firnline_local.providers.snowflake.sql import names, parts, plain, requoted

SIZES = {
    "X-SMALL": "XSMALL",
    "X-LARGE": "XLARGE",
    "2X-LARGE": "XXLARGE",
    "3X-LARGE": "XXXLARGE",
    "4X-LARGE": "X4LARGE",
    "5X-LARGE": "X5LARGE",
    "6X-LARGE": "X6LARGE",
    "X2LARGE": "XXLARGE",
    "X3LARGE": "XXXLARGE",
}
WITHOUT_SIZE = {"warehouseSize": lambda before, now: before is not None and now is None}
"""A size can be changed, and not be taken back: Snowflake has no UNSET for it, and the provider makes another warehouse."""
SUSPENSION_S = 86_400
EVERY_SIZE = {*SIZES.values(), "SMALL", "MEDIUM", "LARGE"}


def _size(text: str) -> str:
    """Snowflake shows X-Small for XSMALL."""
    return SIZES.get(text.upper(), text.upper())


def _monitor(found: str, known: Any) -> Any:
    return None if found in ("null", "") else as_known(found, known, parts)


SETTINGS = (
    Setting("warehouseSize", column="size", like=lambda found, known: as_known(_size(found), known, _size)),
    Setting("maxClusterCount", spell=plain, like=number),
    Setting("minClusterCount", spell=plain, like=number),
    Setting("autoSuspend", spell=plain, unset=str(SUSPENSION_S), like=number),
    Setting("autoResume", spell=plain),
    Setting("resourceMonitor", spell=requoted, like=_monitor),
    COMMENT,
    parameter("fallbackWarehouse", requoted, NAMES),
    parameter("maxConcurrencyLevel"),
    parameter("statementQueuedTimeoutInSeconds"),
    parameter("statementTimeoutInSeconds"),
)
SUSPENDED = Setting("initiallySuspended", spell=plain, source=Source.NOWHERE)


def _of_warehouse(it: ShownObject) -> Properties:
    """The provider takes the brackets off and splits at the commas (pkg/sdk/parsers.go)."""
    tables = [requoted(name) for name in it.row["tables"].strip("[]").split(", ") if name]
    same = alike(lambda found: {parts(each) for each in found})
    return {"warehouseType": it.row["type"], "tables": same(tables, it.known.get("tables"))}


def _warehouse(inputs: Properties, path: str) -> str:
    tables = f" TABLES {names(inputs['tables'])}" if inputs.get("tables") else ""
    return f"CREATE INTERACTIVE WAREHOUSE {path}{tables}"


def _changes(old: Properties, new: Properties, path: str, altered: list[str]) -> list[str]:
    """Tables come and go one by one; another size needs the warehouse suspended, and resumed."""
    target = f"ALTER WAREHOUSE {path}"
    before, after = ({requoted(table) for table in inputs.get("tables") or ()} for inputs in (old, new))
    moved = [
        f"{target} {word} TABLES {names(sorted(tables))}"
        for word, tables in (("ADD", after - before), ("DROP", before - after))
        if tables
    ]
    if any("WAREHOUSE_SIZE" in change for change in altered):
        altered = [f"{target} SUSPEND", *altered, f"{target} RESUME IF SUSPENDED"]
    return [*moved, *altered]


WAREHOUSE_INTERACTIVE = SnowflakeKind(
    type="snowflake:index/warehouseInteractive:WarehouseInteractive",
    rules=Rules.of(
        replaced_where=WITHOUT_SIZE,
        defaults={
            "comment": "",
            "warehouseSize": "XSMALL",
            "maxClusterCount": 1,
            "minClusterCount": 1,
            "autoSuspend": SUSPENSION_S,
            "autoResume": "true",
            "tables": [],
        },
        values={"autoResume": SWITCH},
        forms={"tables": IN_SCHEMA, "warehouseSize": Form(r"\S+", "a size", lambda text: _size(text) in EVERY_SIZE)},
        ranges={
            **dict.fromkeys(("maxClusterCount", "minClusterCount", "autoSuspend", "maxConcurrencyLevel"), (1, MOST)),
            "statementQueuedTimeoutInSeconds": (0, MOST),
            "statementTimeoutInSeconds": (0, 604800),
        },
    ),
    word="WAREHOUSE",
    listing="WAREHOUSES",
    settings=(*SETTINGS, SUSPENDED),
    altered=(SETTINGS,),
    carried="tables",
    head=_warehouse,
    more=_of_warehouse,
    changes=_changes,
    is_of_type=lambda row: row["type"] == "INTERACTIVE",
)
KINDS = (WAREHOUSE_INTERACTIVE,)
