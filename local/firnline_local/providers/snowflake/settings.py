"""Properties that SQL writes as `KEY = value`: how CREATE gives them, and which ALTERs lead from some to others."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar, cast

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import Properties
from firnline_local.providers.snowflake.sql import literal, plain, requoted

Found = TypeVar("Found")
Spelling = Callable[[Any], str]
SWITCH = frozenset({"true", "false"})
"""The values of a switch that is text."""
DEFAULT = "default"
"""How the provider spells that a switch which is text was not given."""


@dataclass(frozen=True, slots=True)
class Setting:
    property: str
    """In Pulumi's words."""
    key: str
    """In SQL's."""
    spell: Spelling = literal
    unset: str | None = None
    """What the stock provider sends instead of UNSET, where it does not send that."""


COMMENT = Setting("comment", "COMMENT")


def is_given(value: Any) -> bool:
    """An empty text or list is as good as none, as the provider has it."""
    return value is not None and value not in ("", [], {}, DEFAULT)


def assignments(settings: Iterable[Setting], values: Properties) -> str:
    """` A = 1 COMMENT = 'x'`, with a space in front of each."""
    return "".join(
        f" {each.key} = {each.spell(values[each.property])}" for each in settings if is_given(values.get(each.property))
    )


def alterations(
    target: str, settings: Sequence[Setting], old: Properties, new: Properties, *, comma: bool = False
) -> list[str]:
    """The ALTERs for what differs: one SET, one UNSET, and those that are a SET of the default."""
    changed = [each for each in settings if _differs(old.get(each.property), new.get(each.property))]
    to_set = [f"{each.key} = {each.spell(new[each.property])}" for each in changed if is_given(new.get(each.property))]
    absent = [each for each in changed if not is_given(new.get(each.property))]
    to_set += [f"{each.key} = {each.unset}" for each in absent if each.unset is not None]
    to_unset = [each.key for each in absent if each.unset is None]
    statements = [f"ALTER {target} SET {(', ' if comma else ' ').join(to_set)}"] if to_set else []
    return statements + ([f"ALTER {target} UNSET {', '.join(to_unset)}"] if to_unset else [])


def parameters(properties: Mapping[str, Spelling]) -> tuple[Setting, ...]:
    """Settings whose key is their name in upper case."""
    return tuple(Setting(name, key_of(name), spell) for name, spell in properties.items())


def key_of(name: str) -> str:
    """`dataRetentionTimeInDays` is DATA_RETENTION_TIME_IN_DAYS."""
    return "".join(f"_{letter}" if letter.isupper() else letter.upper() for letter in name)


def own_parameters(clients: Clients, kind: str, target: str, settings: Sequence[Setting]) -> dict[str, Any]:
    """The parameters that are set on this very object; what it inherits is left out, as if nobody had given it."""
    rows = {row["key"]: row for row in clients.rows(f"SHOW PARAMETERS IN {kind} {target}")}
    own = {each: rows[each.key] for each in settings if rows.get(each.key, {}).get("level") == kind}
    return {each.property: _value(row) for each, row in own.items()}


def as_known(found: Found, known: Any, by: Callable[[Any], Any]) -> Found:
    """`known`, where it is only another spelling of what was found: otherwise the spelling would look like drift."""
    return cast("Found", known) if is_given(known) and by(known) == by(found) else found


def _differs(old: Any, new: Any) -> bool:
    return (old if is_given(old) else None) != (new if is_given(new) else None)


def _value(row: Mapping[str, Any]) -> Any:
    match row["type"]:
        case "NUMBER":
            return int(row["value"])
        case "BOOLEAN":
            return row["value"] == "true"
        case _:
            return row["value"]


# The parameters that databases and schemas have in common (docs.snowflake.com, `sql-reference/parameters`).
LOG_LEVELS = frozenset({"TRACE", "DEBUG", "INFO", "WARN", "ERROR", "FATAL", "OFF"})
CONTAINER_VALUES = {
    "logLevel": LOG_LEVELS,
    "logEventLevel": LOG_LEVELS,
    "traceLevel": frozenset({"ALWAYS", "ON_EVENT", "PROPAGATE", "OFF"}),
    "storageSerializationPolicy": frozenset({"COMPATIBLE", "OPTIMIZED"}),
}
CONTAINER_PARAMETERS = parameters(
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
