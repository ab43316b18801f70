"""Tables, Iceberg tables in Snowflake's own catalog, and pipes.

Rules: provider source, pkg/resources/table.go, iceberg_table.go (read at a commit before its release) and pipe.go. What evolution
adds shows in the columns, as it does to the stock provider: ignore changes there.
"""

import re
from typing import Any

from firnline_local.providers.kind import MOST, Properties, Rules
from firnline_local.providers.snowflake import columns
from firnline_local.providers.snowflake.kind import (
    COMMENT,
    NAMES,
    SCHEMA_OBJECT,
    SWITCH,
    Setting,
    ShownObject,
    SnowflakeKind,
    Source,
    alike,
    assignments,
    number,
    parameter,
    row_of,
)
from firnline_local.providers.snowflake.sql import literal, plain, quoted, requoted

INHERITED = -1


def _retention(it: ShownObject) -> int:
    """The schema's own reads as inherited, unless it was asked for: SHOW TABLES can't tell the two apart."""
    asked, found = it.known.get("dataRetentionTimeInDays"), it.row["retention_time"]
    schema = row_of(it.clients, "SCHEMAS", it.place["schema"], f" IN DATABASE {quoted(it.place['database'])}") or {}
    return INHERITED if asked in (None, INHERITED) and found == schema.get("retention_time") else int(found)


def _clustering(cluster_by: str) -> list[str]:
    """`LINEAR(ID, TO_DATE(AT))`: commas inside of an expression's own parentheses separate nothing."""
    inner = cluster_by.removeprefix("LINEAR(").removesuffix(")") if cluster_by else ""
    return [each.strip() for each in re.split(r",(?![^(]*\))", inner) if each.strip()]


def _table(inputs: Properties, path: str) -> str:
    columns.check(TABLE.type, inputs["columns"])
    defined = ", ".join(map(columns.definition, inputs["columns"]))
    clustered = f" CLUSTER BY ({', '.join(inputs['clusterBies'])})" if inputs.get("clusterBies") else ""
    return f"CREATE TABLE {path} ({defined}){clustered}"


def _of_table(it: ShownObject) -> Properties:
    known = {column["name"]: column for column in it.known.get("columns") or ()}
    rows = it.clients.rows(f"DESCRIBE TABLE {it.path} TYPE = COLUMNS")
    return {
        "dataRetentionTimeInDays": _retention(it),
        "clusterBies": _clustering(it.row["cluster_by"]) or None,
        "columns": [columns.from_description(each, known.get(each["name"], {})) for each in rows],
        "owner": it.row["owner"],
    }


def _changes_of_table(old: Properties, new: Properties, path: str, altered: list[str]) -> list[str]:
    columns.refuse_changes(TABLE.type, old["columns"], new["columns"])
    wanted = new.get("clusterBies") or []
    if (old.get("clusterBies") or []) != wanted:
        clustering = f"CLUSTER BY ({', '.join(wanted)})" if wanted else "DROP CLUSTERING KEY"
        altered = [*altered, f"ALTER TABLE {path} {clustering}"]
    return altered


TABLE = SnowflakeKind(
    type="snowflake:index/table:Table",
    rules=Rules.of(
        "database schema",
        defaults={"comment": "", "changeTracking": False, "dataRetentionTimeInDays": INHERITED, "clusterBies": []},
        forms={"columns.type": columns.DATA_TYPE},
        ranges={"dataRetentionTimeInDays": (INHERITED, 90)},
        preview_feature="snowflake_table_resource",
    ),
    word="TABLE",
    listing="TABLES",
    names=SCHEMA_OBJECT,
    settings=(
        Setting("dataRetentionTimeInDays", spell=plain, column="retention_time", nothing=INHERITED),
        Setting("changeTracking", spell=plain, unset="false", like=lambda found, _: found == "ON"),
        COMMENT,
    ),
    carried="columns clusterBies",
    head=_table,
    more=_of_table,
    changes=_changes_of_table,
    id_sign="|",
)

OF_A_COLUMN = frozenset({"name", "type", "notNull", "comment"})
FIXED = (
    Setting("externalVolume", spell=lambda name: literal(requoted(name)), column="external_volume_name", like=NAMES),
    Setting("catalog", column="catalog_name"),
    Setting("baseLocation", like=alike(lambda text: text.strip("/"))),
    Setting("icebergVersion", spell=plain, column="iceberg_table_format_version", like=number),
    Setting("changeTracking", spell=plain, source=Source.NOWHERE),  # neither SHOW nor DESCRIBE has it
    Setting("storageSerializationPolicy", spell=plain, source=Source.NOWHERE),
)
ALTERABLE = (
    # SHOW doesn't have it, and the stock provider doesn't ask.
    Setting("errorLogging", spell=plain, unset="false", source=Source.NOWHERE),
    parameter("catalogSync", literal),
    parameter("targetFileSize", literal),
    parameter("dataRetentionTimeInDays"),
    parameter("maxDataExtensionTimeInDays"),
    parameter("enableDataCompaction"),
    parameter("enableIcebergMergeOnRead"),
)


def _check_iceberg(inputs: Properties) -> None:
    columns.check(ICEBERG_TABLE.type, inputs["columns"], OF_A_COLUMN)


def _iceberg_column(column: Properties) -> str:
    """The column's definition, with the sizes of a standard table if none is given, as the stock provider writes them."""
    required = " NOT NULL" if column.get("notNull") == "true" else ""
    comment = f" COMMENT {literal(column['comment'])}" if column.get("comment") else ""
    return f"{quoted(column['name'])} {columns.canonical_type(column['type'])}{required}{comment}"


def _of_iceberg(it: ShownObject) -> Properties:
    known = {column["name"]: column for column in it.known.get("columns") or ()}
    rows = it.clients.rows(f"DESCRIBE ICEBERG TABLE {it.path}")
    return {"columns": [_iceberg_column_found(row, known.get(row["name"], {})) for row in rows]}


def _iceberg_column_found(row: Properties, known: Properties) -> dict[str, Any]:
    is_required, asked = row["null?"] == "N", known.get("notNull")
    found = {
        "name": row["name"],
        "type": columns.type_as_known(row["type"], known),
        "comment": row["comment"] or None,
        "notNull": "true" if is_required else "false" if asked == "true" else asked,
    }
    return {name: value for name, value in found.items() if value is not None}


ICEBERG_TABLE = SnowflakeKind(  # any change of a column makes another table: ignore changes there
    type="snowflake:index/icebergTable:IcebergTable",
    rules=Rules.of(
        " ".join((*SCHEMA_OBJECT, "columns", *(each.name for each in FIXED))),
        defaults={
            "comment": "",
            "changeTracking": "false",
            "errorLogging": "false",
            "icebergVersion": 2,
            "catalog": "SNOWFLAKE",
        },
        values={"changeTracking": SWITCH, "errorLogging": SWITCH},
        conflicts="clusterBies partitionBies",
        forms={"columns.type": columns.DATA_TYPE},
        ranges={"icebergVersion": (1, MOST)},
        preview_feature="snowflake_iceberg_table_resource",
    ),
    word="ICEBERG TABLE",
    listing="ICEBERG TABLES",
    names=SCHEMA_OBJECT,
    settings=(*FIXED, *ALTERABLE, COMMENT),
    altered=((COMMENT,), ALTERABLE),
    carried="columns",
    check=_check_iceberg,
    head=lambda inputs, path: f"CREATE ICEBERG TABLE {path} ({', '.join(map(_iceberg_column, inputs['columns']))})",
    more=_of_iceberg,
)


def _pipe(inputs: Properties, path: str) -> list[str]:
    files = " AUTO_INGEST = true" if inputs.get("autoIngest") else ""
    return [f"CREATE PIPE {path}{files}{assignments([COMMENT], inputs)} AS {inputs['copyStatement']}"]


def _of_pipe(it: ShownObject) -> Properties:
    same = alike(lambda statement: statement.rstrip().removesuffix(";"))
    return {
        "copyStatement": same(it.row["definition"], it.known.get("copyStatement")),
        "autoIngest": it.row["notification_channel"] is not None,
        "owner": it.row["owner"],
    }


PIPE = (
    SnowflakeKind(  # what it copies can't be altered: any other text is another pipe, without the channels of the first
        type="snowflake:index/pipe:Pipe",
        rules=Rules.of(
            "database schema name copyStatement autoIngest awsSnsTopicArn",
            defaults={"comment": "", "autoIngest": False},
            preview_feature="snowflake_pipe_resource",
        ),
        word="PIPE",
        listing="PIPES",
        names=SCHEMA_OBJECT,
        settings=(COMMENT,),
        carried="copyStatement autoIngest",
        whole=_pipe,
        more=_of_pipe,
        id_sign="|",
    )
)
KINDS = (ICEBERG_TABLE, PIPE, TABLE)
