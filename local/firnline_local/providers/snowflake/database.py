"""Snowflake databases."""

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import drop, kept, named, refuse_others, renaming, shown
from firnline_local.providers.snowflake.settings import (
    COMMENT,
    CONTAINER_PARAMETERS,
    CONTAINER_VALUES,
    alterations,
    assignments,
    own_parameters,
)
from firnline_local.providers.snowflake.sql import quoted

TYPE = "snowflake:index/database:Database"
RULES = Rules(  # provider source, pkg/resources/database.go
    replaced_by=frozenset({"isTransient"}),
    defaults={"comment": "", "isTransient": False, "dropPublicSchemaOnCreation": False},
    values=CONTAINER_VALUES,
)
SETTINGS = (*CONTAINER_PARAMETERS, COMMENT)
KNOWN = frozenset({"name", "isTransient", "dropPublicSchemaOnCreation", *(each.property for each in SETTINGS)})


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    name = inputs["name"]
    transient = "TRANSIENT " if inputs.get("isTransient") else ""
    clients.execute(
        f"CREATE {transient}DATABASE {quoted(name)}{assignments(SETTINGS, inputs)}",
        f"DROP SCHEMA IF EXISTS {quoted(name, 'PUBLIC')}" if inputs.get("dropPublicSchemaOnCreation") else None,
    )
    return CreatedResource(id=name, properties=read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    name = named(id_, properties)
    row = shown(clients, "DATABASES", name)
    if row is None:
        return None
    return {
        "name": name,
        "comment": row["comment"],
        "isTransient": "TRANSIENT" in row["options"],
        **own_parameters(clients, "DATABASE", quoted(name), CONTAINER_PARAMETERS),
        **kept(properties, "dropPublicSchemaOnCreation"),
        "fullyQualifiedName": quoted(name),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, KNOWN)
    changes = alterations(f"DATABASE {quoted(new['name'])}", SETTINGS, old, new, comma=True)
    clients.execute(renaming("DATABASE", quoted(old["name"]), quoted(new["name"])), *changes)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "DATABASE", quoted(named(id_, properties)))
