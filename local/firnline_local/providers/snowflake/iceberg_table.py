"""Iceberg tables in Snowflake's own catalog. Any change of a column makes another table: ignore changes there."""

from collections.abc import Sequence
from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.columns import canonical_type, refuse_structured
from firnline_local.providers.snowflake.object import (
    SCHEMA_OBJECT,
    drop,
    given,
    located,
    path,
    refuse_others,
    shown,
)
from firnline_local.providers.snowflake.settings import (
    COMMENT,
    Setting,
    alterations,
    as_known,
    assignments,
    own_parameters,
    parameters,
)
from firnline_local.providers.snowflake.sql import literal, parts, plain, quoted, requoted

TYPE = "snowflake:index/icebergTable:IcebergTable"
FIXED = (
    Setting("externalVolume", "EXTERNAL_VOLUME", lambda name: literal(requoted(name))),
    Setting("catalog", "CATALOG"),
    Setting("baseLocation", "BASE_LOCATION"),
    Setting("icebergVersion", "ICEBERG_VERSION", plain),
    Setting("changeTracking", "CHANGE_TRACKING", plain),
    Setting("storageSerializationPolicy", "STORAGE_SERIALIZATION_POLICY", plain),
)
ALTERABLE = parameters(
    {
        "catalogSync": literal,
        "targetFileSize": literal,
        "dataRetentionTimeInDays": plain,
        "maxDataExtensionTimeInDays": plain,
        "enableDataCompaction": plain,
        "enableIcebergMergeOnRead": plain,
    }
)
SETTINGS = (Setting("errorLogging", "ERROR_LOGGING", plain, unset="false"), *ALTERABLE)
KNOWN = frozenset({*SCHEMA_OBJECT, "columns", *(each.property for each in (*FIXED, *SETTINGS, COMMENT))})
RULES = Rules(  # provider source, pkg/resources/iceberg_table.go, read at a commit before its release
    replaced_by=frozenset({*SCHEMA_OBJECT, "columns", *(each.property for each in FIXED)}),
    defaults={
        "comment": "",
        "changeTracking": "false",
        "errorLogging": "false",
        "icebergVersion": 2,
        "catalog": "SNOWFLAKE",
    },
    conflicts=(frozenset({"clusterBies", "partitionBies"}),),
    preview_feature="snowflake_iceberg_table_resource",
)
COLUMN = frozenset({"name", "type", "notNull", "comment"})


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    for column in inputs["columns"]:
        refuse_others(f"{TYPE}, columns", column, COLUMN)
    refuse_structured(TYPE, inputs["columns"])
    columns = ", ".join(map(_column, inputs["columns"]))
    settings = assignments((*FIXED, *SETTINGS, COMMENT), inputs)
    clients.execute(f"CREATE ICEBERG TABLE {path(inputs)} ({columns}){settings}")
    return CreatedResource(id=path(inputs), properties=read(path(inputs), inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    place = located(id_, properties)
    inside = f" IN SCHEMA {quoted(place['database'], place['schema'])}"
    row = shown(clients, "ICEBERG TABLES", place["name"], inside)
    if row is None:
        return None
    described = clients.rows(f"DESCRIBE ICEBERG TABLE {path(place)}")
    volume = as_known(row["external_volume_name"], properties.get("externalVolume"), parts)
    return given(
        {
            **place,
            "comment": row["comment"],
            "columns": _columns(described, properties.get("columns") or ()),
            "externalVolume": volume,
            "catalog": row["catalog_name"],
            "baseLocation": as_known(row["base_location"], properties.get("baseLocation"), _location),
            "icebergVersion": int(row["iceberg_table_format_version"]),
            "errorLogging": properties.get("errorLogging"),  # SHOW doesn't have it, and the stock provider doesn't ask
            "changeTracking": properties.get("changeTracking"),  # neither SHOW nor DESCRIBE has it
            **own_parameters(clients, "TABLE", path(place), ALTERABLE),
            "fullyQualifiedName": path(place),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, KNOWN)
    target = f"ICEBERG TABLE {path(new)}"
    clients.execute(*alterations(target, [COMMENT], old, new), *alterations(target, SETTINGS, old, new))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "ICEBERG TABLE", path(located(id_, properties)))


def _column(column: Properties) -> str:
    """With the sizes of a standard table where none is given, as the stock provider writes them."""
    required = " NOT NULL" if column.get("notNull") == "true" else ""
    comment = f" COMMENT {literal(column['comment'])}" if column.get("comment") else ""
    return f"{quoted(column['name'])} {canonical_type(column['type'])}{required}{comment}"


def _columns(described: Sequence[Properties], known: Sequence[Properties]) -> list[dict[str, Any]]:
    by_name = {column["name"]: column for column in known}
    return [_as_input(row, by_name.get(row["name"], {})) for row in described]


def _as_input(row: Properties, known: Properties) -> dict[str, Any]:
    found = {
        "name": row["name"],
        "type": as_known(row["type"], known.get("type"), canonical_type),
        "comment": row["comment"] or None,
        "notNull": "true" if row["null?"] == "N" else known.get("notNull"),
    }
    if found["notNull"] == "true" and row["null?"] == "Y":
        found["notNull"] = "false"
    return given(found)


def _location(text: str) -> str:
    return text.strip("/")
