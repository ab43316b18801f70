"""Snowflake schemas."""

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import drop, located, path, refuse_others, renaming, shown
from firnline_local.providers.snowflake.settings import (
    COMMENT,
    CONTAINER_PARAMETERS,
    CONTAINER_VALUES,
    SWITCH,
    alterations,
    assignments,
    own_parameters,
    parameters,
)
from firnline_local.providers.snowflake.sql import plain, quoted

TYPE = "snowflake:index/schema:Schema"
RULES = Rules(  # provider source, pkg/resources/schema.go
    replaced_by=frozenset({"database", "isTransient"}),
    defaults={"comment": "", "isTransient": "false", "withManagedAccess": "false"},
    values={**CONTAINER_VALUES, "isTransient": SWITCH, "withManagedAccess": SWITCH},
)
NAMES = ("database", "name")
OWN_PARAMETERS = (*CONTAINER_PARAMETERS, *parameters({"pipeExecutionPaused": plain}))
SETTINGS = (*OWN_PARAMETERS, COMMENT)
KNOWN = frozenset({*NAMES, "isTransient", "withManagedAccess", *(each.property for each in SETTINGS)})
PUBLIC = "PUBLIC"


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    """PUBLIC comes with its database: as the stock provider has it, that one is altered into what is wanted."""
    refuse_others(TYPE, inputs, KNOWN)
    target = path(inputs, NAMES)
    existing = read(target, inputs, clients) if inputs["name"] == PUBLIC else None
    if existing is not None:
        return CreatedResource(id=target, properties=update(target, existing, inputs, clients))
    transient = "TRANSIENT " if inputs.get("isTransient") == "true" else ""
    managed = " WITH MANAGED ACCESS" if inputs.get("withManagedAccess") == "true" else ""
    clients.execute(f"CREATE {transient}SCHEMA {target}{managed}{assignments(SETTINGS, inputs)}")
    return CreatedResource(id=target, properties=read(target, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    place = located(id_, properties, NAMES)
    row = shown(clients, "SCHEMAS", place["name"], f" IN DATABASE {quoted(place['database'])}")
    if row is None:
        return None
    options = row["options"].split(", ")
    return {
        **place,
        "comment": row["comment"],
        "isTransient": plain("TRANSIENT" in options),
        "withManagedAccess": plain("MANAGED ACCESS" in options),
        **own_parameters(clients, "SCHEMA", path(place, NAMES), OWN_PARAMETERS),
        "fullyQualifiedName": path(place, NAMES),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, KNOWN)
    target = path(new, NAMES)
    clients.execute(renaming("SCHEMA", path(old, NAMES), target))
    if _is_managed(old) != _is_managed(new):
        clients.execute(f"ALTER SCHEMA {target} {'ENABLE' if _is_managed(new) else 'DISABLE'} MANAGED ACCESS")
    clients.execute(*alterations(f"SCHEMA {target}", SETTINGS, old, new, comma=True))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "SCHEMA", path(located(id_, properties, NAMES), NAMES))


def _is_managed(properties: Properties) -> bool:
    return properties.get("withManagedAccess") == "true"
