"""Snowflake warehouses."""

from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import drop, given, kept, named, refuse_others, renaming, shown
from firnline_local.providers.snowflake.settings import (
    COMMENT,
    SWITCH,
    Setting,
    alterations,
    as_known,
    assignments,
    own_parameters,
    parameters,
)
from firnline_local.providers.snowflake.sql import parts, plain, quoted, requoted

TYPE = "snowflake:index/warehouse:Warehouse"
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
RULES = Rules(  # provider source, pkg/resources/warehouse.go
    replaced_by=frozenset(),
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
    conflicts=(frozenset({"generation", "resourceConstraint"}),),
)
SIZE = Setting("warehouseSize", "WAREHOUSE_SIZE")
SCALE = (
    Setting("maxClusterCount", "MAX_CLUSTER_COUNT", plain),
    Setting("minClusterCount", "MIN_CLUSTER_COUNT", plain),
)
BEHAVIOUR = (
    Setting("autoSuspend", "AUTO_SUSPEND", plain, unset="600"),
    Setting("autoResume", "AUTO_RESUME", plain),
    Setting("resourceMonitor", "RESOURCE_MONITOR", requoted),
    COMMENT,
)
ACCELERATION = (
    Setting("enableQueryAcceleration", "ENABLE_QUERY_ACCELERATION", plain),
    Setting("queryAccelerationMaxScaleFactor", "QUERY_ACCELERATION_MAX_SCALE_FACTOR", plain),
    Setting("resourceConstraint", "RESOURCE_CONSTRAINT"),
    Setting("generation", "GENERATION"),
)
PARAMETERS = parameters(
    {
        "maxConcurrencyLevel": plain,
        "statementQueuedTimeoutInSeconds": plain,
        "statementTimeoutInSeconds": plain,
    }
)
SETTINGS = (
    Setting("warehouseType", "WAREHOUSE_TYPE"),
    SIZE,
    *SCALE,
    Setting("scalingPolicy", "SCALING_POLICY"),
    *BEHAVIOUR,
    *ACCELERATION,
    *PARAMETERS,
)
SUSPENDED = Setting("initiallySuspended", "INITIALLY_SUSPENDED", plain)
KNOWN = frozenset({"name", "initiallySuspended", *(each.property for each in SETTINGS)})


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    name = inputs["name"]
    clients.execute(f"CREATE WAREHOUSE {quoted(name)}{assignments((*SETTINGS, SUSPENDED), inputs)}")
    return CreatedResource(id=name, properties=read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """An interactive warehouse is another type's, and reads as gone."""
    name = named(id_, properties)
    row = shown(clients, "WAREHOUSES", name)
    if row is None or row["type"] == "INTERACTIVE":
        return None
    return given(
        {
            **common(row, properties),
            "warehouseType": as_known(row["type"], properties.get("warehouseType"), str.upper),
            "scalingPolicy": as_known(row["scaling_policy"], properties.get("scalingPolicy"), str.upper),
            "enableQueryAcceleration": row["enable_query_acceleration"],
            "queryAccelerationMaxScaleFactor": int(row["query_acceleration_max_scale_factor"]),
            "resourceConstraint": row["resource_constraint"],
            "generation": row["generation"],
            **own_parameters(clients, "WAREHOUSE", quoted(name), PARAMETERS),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, KNOWN)
    changes = waiting(alterations(f"WAREHOUSE {quoted(new['name'])}", SETTINGS, old, new))
    clients.execute(renaming("WAREHOUSE", quoted(old["name"]), quoted(new["name"])), *changes)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "WAREHOUSE", quoted(named(id_, properties)))


def common(row: Properties, properties: Properties) -> dict[str, Any]:
    """What SHOW WAREHOUSES says of both kinds of warehouse."""
    monitor = None if row["resource_monitor"] in ("null", "") else row["resource_monitor"]
    return {
        "name": row["name"],
        "comment": row["comment"],
        "warehouseSize": as_known(size(row["size"]), properties.get("warehouseSize"), size),
        "maxClusterCount": int(row["max_cluster_count"]),
        "minClusterCount": int(row["min_cluster_count"]),
        "autoSuspend": int(row["auto_suspend"]),
        "autoResume": row["auto_resume"],
        "resourceMonitor": as_known(monitor, properties.get("resourceMonitor"), parts) if monitor else None,
        **kept(properties, "initiallySuspended"),
        "fullyQualifiedName": quoted(row["name"]),
    }


def waiting(statements: list[str]) -> list[str]:
    """Whoever resizes waits until it is done."""
    found = [statement.partition("WAREHOUSE_SIZE = ") for statement in statements]
    return [
        f"{before}{key}{after.split(' ')[0]} WAIT_FOR_COMPLETION = true{after[len(after.split(' ')[0]) :]}"
        if key
        else before
        for before, key, after in found
    ]


def size(text: str) -> str:
    """Snowflake shows X-Small for XSMALL."""
    return SIZES.get(text.upper(), text.upper())
