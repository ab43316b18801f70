"""Snowflake network policies."""

import json
from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import drop, given, named, refuse_others, renaming, shown
from firnline_local.providers.snowflake.settings import COMMENT, Setting, alterations, as_known, assignments
from firnline_local.providers.snowflake.sql import literals, names, parts, quoted, requoted

TYPE = "snowflake:index/networkPolicy:NetworkPolicy"
RULES = Rules(  # provider source, pkg/resources/network_policy.go
    replaced_by=frozenset(), defaults={"comment": ""}
)
LISTS = (
    Setting("allowedNetworkRuleLists", "ALLOWED_NETWORK_RULE_LIST", names),
    Setting("blockedNetworkRuleLists", "BLOCKED_NETWORK_RULE_LIST", names),
    Setting("allowedIpLists", "ALLOWED_IP_LIST", literals),
    Setting("blockedIpLists", "BLOCKED_IP_LIST", literals),
)
SETTINGS = (*LISTS, COMMENT)
KNOWN = frozenset({"name", *(each.property for each in SETTINGS)})


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    name = inputs["name"]
    clients.execute(f"CREATE NETWORK POLICY {quoted(name)}{assignments(SETTINGS, inputs)}")
    return CreatedResource(id=name, properties=read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    name = named(id_, properties)
    row = shown(clients, "NETWORK POLICIES", name)
    if row is None:
        return None
    described = {each["name"]: each["value"] for each in clients.rows(f"DESCRIBE NETWORK POLICY {quoted(name)}")}
    lists = {each.property: _list(described.get(each.key), properties.get(each.property)) for each in LISTS}
    return given({"name": name, "comment": row["comment"], **lists, "fullyQualifiedName": quoted(name)})


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, KNOWN)
    changes = alterations(f"NETWORK POLICY {quoted(new['name'])}", SETTINGS, old, new)
    clients.execute(renaming("NETWORK POLICY", quoted(old["name"]), quoted(new["name"])), *changes)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "NETWORK POLICY", quoted(named(id_, properties)))


def _list(value: str | None, known: Any) -> list[str] | None:
    """Of addresses, or of rules as JSON; both are sets, so order is not compared."""
    if not value:
        return None
    if not value.startswith("["):
        return as_known(value.split(","), known, set)
    rules = [requoted(each["fullyQualifiedRuleName"]) for each in json.loads(value)]
    return as_known(rules, known, lambda found: {parts(each) for each in found})
