"""Snowflake account roles."""

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import drop, named, refuse_others, renaming, shown
from firnline_local.providers.snowflake.settings import COMMENT, alterations, assignments
from firnline_local.providers.snowflake.sql import quoted

TYPE = "snowflake:index/accountRole:AccountRole"
RULES = Rules(replaced_by=frozenset(), defaults={"comment": ""})  # provider source, pkg/resources/account_role.go


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, ("name", "comment"))
    name = inputs["name"]
    clients.execute(f"CREATE ROLE {quoted(name)}{assignments([COMMENT], inputs)}")
    return CreatedResource(id=name, properties=read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    name = named(id_, properties)
    row = shown(clients, "ROLES", name)
    return row and {"name": name, "comment": row["comment"], "fullyQualifiedName": quoted(name)}


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, ("name", "comment"))
    changes = alterations(f"ROLE {quoted(new['name'])}", [COMMENT], old, new)
    clients.execute(renaming("ROLE", quoted(old["name"]), quoted(new["name"])), *changes)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "ROLE", quoted(named(id_, properties)))
