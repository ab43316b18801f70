"""The parameters that databases and schemas have in common (docs.snowflake.com, `sql-reference/parameters`)."""

from firnline_local.materialise.snowflake.settings import parameters
from firnline_local.materialise.snowflake.sql import literal, plain, requoted

LOG_LEVELS = frozenset({"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "OFF"})
VALUES = {
    "logLevel": LOG_LEVELS,
    "logEventLevel": LOG_LEVELS,
    "traceLevel": frozenset({"ALWAYS", "ON_EVENT", "PROPAGATE", "OFF"}),
    "storageSerializationPolicy": frozenset({"COMPATIBLE", "OPTIMIZED"}),
}

PARAMETERS = parameters(
    {
        "dataRetentionTimeInDays": plain,
        "maxDataExtensionTimeInDays": plain,
        "externalVolume": requoted,
        "catalog": requoted,
        "replaceInvalidCharacters": plain,
        "defaultDdlCollation": literal,
        "storageSerializationPolicy": plain,
        "logLevel": literal,
        "logEventLevel": literal,
        "traceLevel": literal,
        "suspendTaskAfterNumFailures": plain,
        "taskAutoRetryAttempts": plain,
        "userTaskManagedInitialWarehouseSize": plain,
        "userTaskTimeoutMs": plain,
        "userTaskMinimumTriggerIntervalInSeconds": plain,
    }
)
