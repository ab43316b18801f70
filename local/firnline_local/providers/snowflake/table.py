"""Snowflake tables. What evolution adds shows in the columns, as it does to the stock provider: ignore changes there."""

import re
from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake import columns
from firnline_local.providers.snowflake.object import (
    SCHEMA_OBJECT,
    drop,
    given,
    located,
    path,
    refuse_others,
    renaming,
    shown,
)
from firnline_local.providers.snowflake.settings import COMMENT, Setting, alterations, assignments
from firnline_local.providers.snowflake.sql import plain, quoted

TYPE = "snowflake:index/table:Table"
INHERITED = -1
RULES = Rules(  # provider source, pkg/resources/table.go
    replaced_by=frozenset({"database", "schema"}),
    defaults={"comment": "", "changeTracking": False, "dataRetentionTimeInDays": INHERITED, "clusterBies": []},
    preview_feature="snowflake_table_resource",
)
SETTINGS = (
    Setting("dataRetentionTimeInDays", "DATA_RETENTION_TIME_IN_DAYS", plain),
    Setting("changeTracking", "CHANGE_TRACKING", plain, unset="false"),
    COMMENT,
)
KNOWN = frozenset({*SCHEMA_OBJECT, "columns", "clusterBies", *(each.property for each in SETTINGS)})


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    columns.refuse_structured(TYPE, inputs["columns"])
    defined = ", ".join(map(columns.definition, inputs["columns"]))
    clustered = f" CLUSTER BY ({', '.join(inputs['clusterBies'])})" if inputs.get("clusterBies") else ""
    settings = assignments(SETTINGS, _without_inherited(inputs))
    clients.execute(f"CREATE TABLE {path(inputs)} ({defined}){clustered}{settings}")
    id_ = "|".join(inputs[name] for name in SCHEMA_OBJECT)
    return CreatedResource(id=id_, properties=read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    place = located(id_, properties)
    container = quoted(place["database"], place["schema"])
    row = shown(clients, "TABLES", place["name"], f" IN SCHEMA {container}")
    if row is None:
        return None
    schema = shown(clients, "SCHEMAS", place["schema"], f" IN DATABASE {quoted(place['database'])}") or {}
    known = {column["name"]: column for column in properties.get("columns") or ()}
    described = clients.rows(f"DESCRIBE TABLE {path(place)} TYPE = COLUMNS")
    return given(
        {
            **place,
            "comment": row["comment"],
            "changeTracking": row["change_tracking"] == "ON",
            "dataRetentionTimeInDays": _retention(row, schema, properties),
            "clusterBies": _expressions(row["cluster_by"]) or None,
            "columns": [columns.from_description(each, known.get(each["name"], {})) for each in described],
            "owner": row["owner"],
            "fullyQualifiedName": path(place),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, KNOWN)
    target = path(new)
    changes = alterations(f"TABLE {target}", SETTINGS, _without_inherited(old), _without_inherited(new))
    clients.execute(renaming("TABLE", path(old), path(new)), *changes)
    if (old.get("clusterBies") or []) != (new.get("clusterBies") or []):
        wanted = new.get("clusterBies")
        clients.execute(
            f"ALTER TABLE {target} " + (f"CLUSTER BY ({', '.join(wanted)})" if wanted else "DROP CLUSTERING KEY")
        )
    clients.execute(*columns.alterations(target, old["columns"], new["columns"]))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "TABLE", path(located(id_, properties)))


def _without_inherited(properties: Properties) -> dict[str, Any]:
    return {name: value for name, value in properties.items() if value != INHERITED}


def _retention(row: Properties, schema: Properties, properties: Properties) -> int:
    """The schema's own reads as inherited, unless it was asked for: SHOW TABLES can't tell the two apart."""
    asked = properties.get("dataRetentionTimeInDays")
    found = int(row["retention_time"])
    return INHERITED if asked in (None, INHERITED) and row["retention_time"] == schema.get("retention_time") else found


def _expressions(cluster_by: str) -> list[str]:
    """`LINEAR(ID, TO_DATE(AT))`: commas inside of an expression's own parentheses separate nothing."""
    inner = cluster_by.removeprefix("LINEAR(").removesuffix(")") if cluster_by else ""
    return [each.strip() for each in re.split(r",(?![^(]*\))", inner) if each.strip()]
