"""Warehouses, and interactive ones with the tables that they are for.

Rules: provider source, pkg/resources/warehouse.go and warehouse_interactive.go.
"""

from typing import Any

from firnline_local.providers.kind import Properties, Rules
from firnline_local.providers.snowflake.kind import (
    COMMENT,
    NAMES,
    SWITCH,
    UPPER,
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


def _size(text: str) -> str:
    """Snowflake shows X-Small for XSMALL."""
    return SIZES.get(text.upper(), text.upper())


def _monitor(found: str, known: Any) -> Any:
    return None if found in ("null", "") else as_known(found, known, parts)


SIZE = Setting("warehouseSize", column="size", like=lambda found, known: as_known(_size(found), known, _size))
SCALE = (
    Setting("maxClusterCount", spell=plain, like=number),
    Setting("minClusterCount", spell=plain, like=number),
)
BEHAVIOUR = (
    Setting("autoResume", spell=plain),
    Setting("resourceMonitor", spell=requoted, like=_monitor),
    COMMENT,
)
PARAMETERS = (
    parameter("maxConcurrencyLevel"),
    parameter("statementQueuedTimeoutInSeconds"),
    parameter("statementTimeoutInSeconds"),
)
SETTINGS = (
    Setting("warehouseType", column="type", like=UPPER),
    SIZE,
    *SCALE,
    Setting("scalingPolicy", like=UPPER),
    Setting("autoSuspend", spell=plain, unset="600", like=number),
    *BEHAVIOUR,
    Setting("enableQueryAcceleration", spell=plain),
    Setting("queryAccelerationMaxScaleFactor", spell=plain, like=number),
    Setting("resourceConstraint"),
    Setting("generation"),
    *PARAMETERS,
)
SUSPENDED = Setting("initiallySuspended", spell=plain, source=Source.NOWHERE)


def _waiting(_old: Properties, _new: Properties, _path: str, altered: list[str]) -> list[str]:
    """A resize waits until it is done."""
    found = [statement.partition("WAREHOUSE_SIZE = ") for statement in altered]
    return [
        f"{before}{key}{after.split(' ')[0]} WAIT_FOR_COMPLETION = true{after[len(after.split(' ')[0]) :]}"
        if key
        else before
        for before, key, after in found
    ]


WAREHOUSE = SnowflakeKind(
    type="snowflake:index/warehouse:Warehouse",
    rules=Rules.of(
        replaced_where=WITHOUT_SIZE,
        defaults={
            "comment": "",
            "warehouseType": "STANDARD",
            "warehouseSize": "XSMALL",
            "maxClusterCount": 1,
            "minClusterCount": 1,
            "scalingPolicy": "STANDARD",
            "autoSuspend": 600,
            "autoResume": "true",
            "enableQueryAcceleration": "false",
            "queryAccelerationMaxScaleFactor": 8,
            "generation": "1",
        },
        values={"autoResume": SWITCH, "enableQueryAcceleration": SWITCH},
        conflicts="generation resourceConstraint",
    ),
    word="WAREHOUSE",
    listing="WAREHOUSES",
    settings=(*SETTINGS, SUSPENDED),
    altered=(SETTINGS,),
    changes=_waiting,
    is_of_type=lambda row: row["type"] != "INTERACTIVE",
)
INTERACTIVE_SETTINGS = (
    SIZE,
    *SCALE,
    Setting("autoSuspend", spell=plain, unset=str(SUSPENSION_S), like=number),
    *BEHAVIOUR,
    parameter("fallbackWarehouse", requoted, NAMES),
    *PARAMETERS,
)


def _of_interactive(it: ShownObject) -> Properties:
    """The provider takes the brackets off and splits at the commas (pkg/sdk/parsers.go)."""
    tables = [requoted(name) for name in it.row["tables"].strip("[]").split(", ") if name]
    same = alike(lambda found: {parts(each) for each in found})
    return {"warehouseType": it.row["type"], "tables": same(tables, it.known.get("tables"))}


def _interactive(inputs: Properties, path: str) -> str:
    tables = f" TABLES {names(inputs['tables'])}" if inputs.get("tables") else ""
    return f"CREATE INTERACTIVE WAREHOUSE {path}{tables}"


def _changes_of_interactive(old: Properties, new: Properties, path: str, altered: list[str]) -> list[str]:
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
    ),
    word="WAREHOUSE",
    listing="WAREHOUSES",
    settings=(*INTERACTIVE_SETTINGS, SUSPENDED),
    altered=(INTERACTIVE_SETTINGS,),
    carried="tables",
    head=_interactive,
    more=_of_interactive,
    changes=_changes_of_interactive,
    is_of_type=lambda row: row["type"] == "INTERACTIVE",
)
KINDS = (WAREHOUSE, WAREHOUSE_INTERACTIVE)
