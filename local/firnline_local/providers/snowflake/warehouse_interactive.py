"""Interactive warehouses, and the tables that they are for."""

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import drop, given, named, refuse_others, renaming, shown
from firnline_local.providers.snowflake.settings import (
    SWITCH,
    Setting,
    alterations,
    as_known,
    assignments,
    own_parameters,
    parameters,
)
from firnline_local.providers.snowflake.sql import names, parts, quoted, requoted
from firnline_local.providers.snowflake.warehouse import (
    BEHAVIOUR,
    PARAMETERS,
    SCALE,
    SIZE,
    SUSPENDED,
    WITHOUT_SIZE,
    common,
)

TYPE = "snowflake:index/warehouseInteractive:WarehouseInteractive"
SUSPENSION_S = 86_400
RULES = Rules(  # provider source, pkg/resources/warehouse_interactive.go
    replaced_by=frozenset(),
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
)
OWN_PARAMETERS = (*parameters({"fallbackWarehouse": requoted}), *PARAMETERS)
SUSPENSION = Setting("autoSuspend", "AUTO_SUSPEND", BEHAVIOUR[0].spell, unset=str(SUSPENSION_S))
SETTINGS = (SIZE, *SCALE, SUSPENSION, *BEHAVIOUR[1:], *OWN_PARAMETERS)
KNOWN = frozenset({"name", "initiallySuspended", "tables", *(each.property for each in SETTINGS)})


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    name = inputs["name"]
    tables = f" TABLES {names(inputs['tables'])}" if inputs.get("tables") else ""
    settings = assignments((*SETTINGS, SUSPENDED), inputs)
    clients.execute(f"CREATE INTERACTIVE WAREHOUSE {quoted(name)}{tables}{settings}")
    return CreatedResource(id=name, properties=read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    name = named(id_, properties)
    row = shown(clients, "WAREHOUSES", name)
    if row is None or row["type"] != "INTERACTIVE":
        return None
    tables = [requoted(table) for table in _listed(row["tables"])]
    own = own_parameters(clients, "WAREHOUSE", quoted(name), OWN_PARAMETERS)
    if "fallbackWarehouse" in own:
        own["fallbackWarehouse"] = as_known(own["fallbackWarehouse"], properties.get("fallbackWarehouse"), parts)
    return given(
        {
            **common(row, properties),
            "warehouseType": row["type"],
            "tables": as_known(tables, properties.get("tables"), lambda found: {parts(each) for each in found}),
            **own,
        }
    )


def _listed(tables: str) -> list[str]:
    """The provider takes the brackets off and splits at the commas (pkg/sdk/parsers.go)."""
    return [name for name in tables.strip("[]").split(", ") if name]


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    """Tables come and go one by one; another size needs the warehouse suspended, and resumed."""
    refuse_others(TYPE, new, KNOWN)
    clients.execute(renaming("WAREHOUSE", quoted(old["name"]), quoted(new["name"])))
    target = f"WAREHOUSE {quoted(new['name'])}"
    before, after = ({requoted(table) for table in inputs.get("tables") or ()} for inputs in (old, new))
    for word, tables in (("ADD", after - before), ("DROP", before - after)):
        clients.execute(f"ALTER {target} {word} TABLES {names(sorted(tables))}" if tables else None)
    changes = alterations(target, SETTINGS, old, new)
    if any("WAREHOUSE_SIZE" in change for change in changes):
        changes = [f"ALTER {target} SUSPEND", *changes, f"ALTER {target} RESUME IF SUSPENDED"]
    clients.execute(*changes)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "WAREHOUSE", quoted(named(id_, properties)))
