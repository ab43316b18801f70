"""Databases and schemas.

Rules: provider source, pkg/resources/database.go and schema.go; the parameters: docs.snowflake.com, `sql-reference/parameters`.
"""

from firnline_local.providers.kind import Properties, Rules
from firnline_local.providers.snowflake.kind import COMMENT, SWITCH, ShownObject, SnowflakeKind, assignments, parameter
from firnline_local.providers.snowflake.sql import literal, plain, quoted, requoted

LEVELS = "TRACE DEBUG INFO WARN ERROR FATAL OFF"
VALUES = {
    "logLevel": LEVELS,
    "logEventLevel": LEVELS,
    "traceLevel": "ALWAYS ON_EVENT PROPAGATE OFF",
    "storageSerializationPolicy": "COMPATIBLE OPTIMIZED",
}
PARAMETERS = (
    parameter("dataRetentionTimeInDays"),
    parameter("maxDataExtensionTimeInDays"),
    parameter("externalVolume", requoted),
    parameter("catalog", requoted),
    parameter("replaceInvalidCharacters"),
    parameter("defaultDdlCollation", literal),
    parameter("storageSerializationPolicy"),
    parameter("logLevel", literal),
    parameter("logEventLevel", literal),
    parameter("traceLevel", literal),
    parameter("suspendTaskAfterNumFailures"),
    parameter("taskAutoRetryAttempts"),
    parameter("userTaskManagedInitialWarehouseSize"),
    parameter("userTaskTimeoutMs"),
    parameter("userTaskMinimumTriggerIntervalInSeconds"),
)


def _database(inputs: Properties, path: str) -> list[str]:
    transient = "TRANSIENT " if inputs.get("isTransient") else ""
    made = f"CREATE {transient}DATABASE {path}{assignments((*PARAMETERS, COMMENT), inputs)}"
    public = quoted(inputs["name"], "PUBLIC")
    return [made, *([f"DROP SCHEMA IF EXISTS {public}"] if inputs.get("dropPublicSchemaOnCreation") else [])]


def _of_database(it: ShownObject) -> Properties:
    return {
        "isTransient": "TRANSIENT" in it.row["options"],
        "dropPublicSchemaOnCreation": it.known.get("dropPublicSchemaOnCreation"),
    }


DATABASE = SnowflakeKind(
    type="snowflake:index/database:Database",
    rules=Rules.of(
        "isTransient",
        defaults={"comment": "", "isTransient": False, "dropPublicSchemaOnCreation": False},
        values=VALUES,
    ),
    word="DATABASE",
    listing="DATABASES",
    settings=(*PARAMETERS, COMMENT),
    separator=", ",
    carried="isTransient dropPublicSchemaOnCreation",
    whole=_database,
    more=_of_database,
)


def _is_managed(properties: Properties) -> bool:
    return properties.get("withManagedAccess") == "true"


def _schema(inputs: Properties, path: str) -> str:
    transient = "TRANSIENT " if inputs.get("isTransient") == "true" else ""
    return f"CREATE {transient}SCHEMA {path}{' WITH MANAGED ACCESS' if _is_managed(inputs) else ''}"


def _of_schema(it: ShownObject) -> Properties:
    options = it.row["options"].split(", ")
    return {"isTransient": plain("TRANSIENT" in options), "withManagedAccess": plain("MANAGED ACCESS" in options)}


def _changes_of_schema(old: Properties, new: Properties, path: str, altered: list[str]) -> list[str]:
    verb = "ENABLE" if _is_managed(new) else "DISABLE"
    managed = [f"ALTER SCHEMA {path} {verb} MANAGED ACCESS"] if _is_managed(old) != _is_managed(new) else []
    return [*managed, *altered]


SCHEMA = SnowflakeKind(
    type="snowflake:index/schema:Schema",
    rules=Rules.of(
        "database isTransient",
        defaults={"comment": "", "isTransient": "false", "withManagedAccess": "false"},
        values={**VALUES, "isTransient": SWITCH, "withManagedAccess": SWITCH},
    ),
    word="SCHEMA",
    listing="SCHEMAS",
    names=("database", "name"),
    settings=(*PARAMETERS, parameter("pipeExecutionPaused"), COMMENT),
    separator=", ",
    carried="isTransient withManagedAccess",
    head=_schema,
    more=_of_schema,
    changes=_changes_of_schema,
    # PUBLIC comes with its database: as the stock provider has it, that one is altered into what is wanted.
    takes_over=lambda inputs: inputs["name"] == "PUBLIC",
)
KINDS = (DATABASE, SCHEMA)
