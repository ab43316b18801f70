"""Dynamic tables.

Rules: provider source, pkg/resources/dynamic_table.go at 01abca5e.
"""

from firnline_local.providers.kind import Properties, Rules, one_of_words
from firnline_local.providers.snowflake.kind import (
    NAMES,
    SCHEMA_OBJECT,
    Setting,
    ShownObject,
    SnowflakeKind,
    Source,
    alike,
    assignments,
)
from firnline_local.providers.snowflake.sql import literal, plain, requoted

LAG, DOWNSTREAM = "maximumDuration", "DOWNSTREAM"
INITIALIZE = Setting("initialize", spell=plain, source=Source.NOWHERE)
REFRESH_MODE = Setting("refreshMode", spell=plain, source=Source.NOWHERE)
"""Looked for in the statement as `refresh_mode = '…'`, which no statement of the stock provider has."""
COMMENT = Setting("comment", unset="''")
"""The stock provider sends an empty one."""
WAREHOUSE = Setting("warehouse", spell=requoted, like=NAMES)


def _lag(inputs: Properties) -> str:
    lag = inputs["targetLag"]
    return DOWNSTREAM if lag.get("downstream") else literal(lag[LAG])


def _dynamic_table(inputs: Properties, path: str) -> list[str]:
    replaced = " OR REPLACE" if inputs.get("orReplace") else ""
    said = assignments([INITIALIZE, REFRESH_MODE, WAREHOUSE, COMMENT], inputs)
    return [f"CREATE{replaced} DYNAMIC TABLE {path} TARGET_LAG = {_lag(inputs)}{said} AS {inputs['query']}"]


def _of_dynamic_table(it: ShownObject) -> Properties:
    """The query is what follows AS in the statement that made it; who lacks MONITOR is shown no statement."""
    lag, text = str(it.row["target_lag"]), str(it.row["text"] or "")
    same = alike(lambda query: " ".join(query.split()).removesuffix(";"))
    return {
        "targetLag": {"downstream": True} if lag == DOWNSTREAM else {LAG: lag},
        "query": same(text.partition(" AS ")[2], it.known.get("query")),
        "orReplace": "OR REPLACE" in text,
        "owner": it.row["owner"],
        "schedulingState": it.row["scheduling_state"],
    }


def _changes(old: Properties, new: Properties, path: str, altered: list[str]) -> list[str]:
    if _lag(old) != _lag(new):
        altered = [*altered, f"ALTER DYNAMIC TABLE {path} SET TARGET_LAG = {_lag(new)}"]
    return altered


DYNAMIC_TABLE = SnowflakeKind(
    type="snowflake:index/dynamicTable:DynamicTable",
    rules=Rules.of(
        "name query refreshMode initialize",
        defaults={"comment": "", "orReplace": False, "refreshMode": "AUTO", "initialize": "ON_CREATE"},
        forms={
            "refreshMode": one_of_words("AUTO INCREMENTAL FULL"),
            "initialize": one_of_words("ON_CREATE ON_SCHEDULE"),
        },
        preview_feature="snowflake_dynamic_table_resource",
    ),
    word="DYNAMIC TABLE",
    listing="DYNAMIC TABLES",
    names=SCHEMA_OBJECT,
    settings=(WAREHOUSE, REFRESH_MODE, INITIALIZE, COMMENT),
    altered=((WAREHOUSE,), (COMMENT,)),
    carried="query targetLag orReplace",
    whole=_dynamic_table,
    more=_of_dynamic_table,
    changes=_changes,
    id_sign="|",
)
KINDS = (DYNAMIC_TABLE,)
