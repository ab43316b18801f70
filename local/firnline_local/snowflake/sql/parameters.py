"""The parameters that sessions and objects know: what each is by default, and on which kinds of object it can be set.

Those of objects are kept and shown, and change nothing here. A session parameter is taken only where keeping it is all
that it takes, or where its one permitted value is what the embedded Snowflake does anyway.
"""

from dataclasses import dataclass

from firnline_local.snowflake.catalog import CatalogObject, Table, kinds
from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.catalog.kinds import ObjectKind


@dataclass(frozen=True, slots=True)
class ObjectParameter:
    """One parameter of objects."""

    key: str
    type: str
    """STRING, NUMBER or BOOLEAN, as SHOW PARAMETERS says it."""
    default: str
    on: tuple[ObjectKind, ...]
    """Innermost first: where it may be set, and from where it is inherited."""
    iceberg_only: bool = False
    """Of all tables, only Iceberg tables have it."""


DATA = (kinds.TABLE, kinds.SCHEMA, kinds.DATABASE)
CONTAINERS = (kinds.SCHEMA, kinds.DATABASE)

OBJECT_PARAMETERS = {
    parameter.key: parameter
    for parameter in (
        ObjectParameter("DATA_RETENTION_TIME_IN_DAYS", "NUMBER", "1", DATA),
        ObjectParameter("MAX_DATA_EXTENSION_TIME_IN_DAYS", "NUMBER", "14", DATA),
        ObjectParameter("DEFAULT_DDL_COLLATION", "STRING", "", DATA),
        ObjectParameter("CATALOG", "STRING", "", DATA, iceberg_only=True),
        ObjectParameter("EXTERNAL_VOLUME", "STRING", "", DATA, iceberg_only=True),
        ObjectParameter("CATALOG_SYNC", "STRING", "", (kinds.TABLE,), iceberg_only=True),
        ObjectParameter("TARGET_FILE_SIZE", "STRING", "AUTO", (kinds.TABLE,), iceberg_only=True),
        ObjectParameter("ENABLE_DATA_COMPACTION", "BOOLEAN", "true", (kinds.TABLE,), iceberg_only=True),
        ObjectParameter("ENABLE_ICEBERG_MERGE_ON_READ", "BOOLEAN", "true", (kinds.TABLE,), iceberg_only=True),
        ObjectParameter("LOG_LEVEL", "STRING", "OFF", CONTAINERS),
        ObjectParameter("LOG_EVENT_LEVEL", "STRING", "OFF", CONTAINERS),
        ObjectParameter("METRIC_LEVEL", "STRING", "NONE", CONTAINERS),
        ObjectParameter("TRACE_LEVEL", "STRING", "OFF", CONTAINERS),
        ObjectParameter("REPLACE_INVALID_CHARACTERS", "BOOLEAN", "false", CONTAINERS),
        ObjectParameter("STORAGE_SERIALIZATION_POLICY", "STRING", "OPTIMIZED", DATA, iceberg_only=True),
        ObjectParameter("SUSPEND_TASK_AFTER_NUM_FAILURES", "NUMBER", "10", CONTAINERS),
        ObjectParameter("TASK_AUTO_RETRY_ATTEMPTS", "NUMBER", "0", CONTAINERS),
        ObjectParameter("USER_TASK_MANAGED_INITIAL_WAREHOUSE_SIZE", "STRING", "Medium", CONTAINERS),
        ObjectParameter("USER_TASK_TIMEOUT_MS", "NUMBER", "3600000", CONTAINERS),
        ObjectParameter("USER_TASK_MINIMUM_TRIGGER_INTERVAL_IN_SECONDS", "NUMBER", "30", CONTAINERS),
        ObjectParameter("PIPE_EXECUTION_PAUSED", "BOOLEAN", "false", (kinds.SCHEMA,)),
        ObjectParameter("MAX_CONCURRENCY_LEVEL", "NUMBER", "8", (kinds.WAREHOUSE,)),
        ObjectParameter("STATEMENT_QUEUED_TIMEOUT_IN_SECONDS", "NUMBER", "0", (kinds.WAREHOUSE, kinds.USER)),
        ObjectParameter("STATEMENT_TIMEOUT_IN_SECONDS", "NUMBER", "172800", (kinds.WAREHOUSE, kinds.USER)),
        ObjectParameter("FALLBACK_WAREHOUSE", "STRING", "", (kinds.WAREHOUSE,)),
        ObjectParameter("NETWORK_POLICY", "STRING", "", (kinds.USER,)),
        ObjectParameter("QUERY_TAG", "STRING", "", (kinds.USER,)),
    )
}

KEPT_BY_A_TABLE = "STORAGE_SERIALIZATION_POLICY"
"""Can't be changed after an Iceberg table's creation (docs.snowflake.com, `sql-reference/sql/create-iceberg-table-snowflake`,
2026-11-29)."""
ICEBERG_PARAMETERS = frozenset(key for key, parameter in OBJECT_PARAMETERS.items() if parameter.iceberg_only)

SESSION_PARAMETERS: dict[str, tuple[str, ...] | None] = {
    "AUTOCOMMIT": ("true",),
    "TIMEZONE": ("UTC", "Etc/UTC"),
    "QUOTED_IDENTIFIERS_IGNORE_CASE": ("false",),
    "MULTI_STATEMENT_COUNT": ("1",),
    "QUERY_TAG": None,
    "STATEMENT_TIMEOUT_IN_SECONDS": None,
    "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS": None,
    "LOCK_TIMEOUT": None,
    "ABORT_DETACHED_QUERY": None,
    "USE_CACHED_RESULT": None,
    "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT": None,
    "GO_QUERY_RESULT_FORMAT": None,
}
"""The values that are taken; None where any is, because it changes no answer."""

SESSION_DEFAULTS: dict[str, bool | int | str] = {
    "AUTOCOMMIT": True,
    "TIMEZONE": "UTC",
    "CLIENT_RESULT_CHUNK_SIZE": 160,
    "CLIENT_SESSION_KEEP_ALIVE": False,
    "CLIENT_PREFETCH_THREADS": 4,
    "CLIENT_TELEMETRY_ENABLED": False,
    "CLIENT_TIMESTAMP_TYPE_MAPPING": "TIMESTAMP_LTZ",
    "TIMESTAMP_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM",
    "TIMESTAMP_NTZ_OUTPUT_FORMAT": "YYYY-MM-DD HH24:MI:SS.FF3",
    "TIMESTAMP_LTZ_OUTPUT_FORMAT": "",
    "TIMESTAMP_TZ_OUTPUT_FORMAT": "",
    "DATE_OUTPUT_FORMAT": "YYYY-MM-DD",
    "TIME_OUTPUT_FORMAT": "HH24:MI:SS",
    "BINARY_OUTPUT_FORMAT": "HEX",
    "PYTHON_CONNECTOR_QUERY_RESULT_FORMAT": "JSON",
}
"""Parameters that drivers get at login and act on themselves."""


def session_value(key: str, value: object) -> bool | int | str:
    """A session parameter's value as it is kept. Raises NotKnown for one that would have to change answers."""
    spelled = str(value).lower() if isinstance(value, bool) else str(value)
    if key in SESSION_PARAMETERS:
        permitted = SESSION_PARAMETERS[key]
        same = [each for each in permitted or (spelled,) if each.casefold() == spelled.casefold()]
        if not same:
            raise NotKnown(f"{key} = {spelled}: only {' or '.join(permitted or ())}")
        spelled = same[0]
    elif not key.startswith("CLIENT_"):  # those are the drivers' own affairs
        raise NotKnown(f"the session parameter {key}")
    return _typed(spelled, SESSION_DEFAULTS.get(key, ""))


def _typed(spelled: str, default: bool | int | str) -> bool | int | str:
    """Converts a value to the type that drivers expect back."""
    if isinstance(default, bool):
        return spelled.lower() == "true"
    return int(spelled) if isinstance(default, int) else spelled


def parameters_on(found: CatalogObject) -> list[ObjectParameter]:
    hidden = ICEBERG_PARAMETERS if isinstance(found, Table) and not found.iceberg else frozenset[str]()
    return [each for each in OBJECT_PARAMETERS.values() if found.kind in each.on and each.key not in hidden]


def effective(found: CatalogObject, parameter: ObjectParameter) -> tuple[str, str]:
    """The value, and the kind of the object that sets it; an empty kind where none does."""
    at: CatalogObject | None = found
    while at is not None:
        if parameter.key in at.parameters:
            return at.parameters[parameter.key], at.kind.name
        at = at.container
    return parameter.default, ""
