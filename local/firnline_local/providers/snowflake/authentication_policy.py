"""Snowflake authentication policies."""

from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import (
    SCHEMA_OBJECT,
    described,
    drop,
    located,
    path,
    refuse_others,
    renaming,
    shown,
)
from firnline_local.providers.snowflake.settings import COMMENT, Setting, alterations, as_known, assignments
from firnline_local.providers.snowflake.sql import literals, plain, quoted

TYPE = "snowflake:index/authenticationPolicy:AuthenticationPolicy"
EVERYTHING = ["ALL"]
RULES = Rules(  # provider source, pkg/resources/authentication_policy.go
    replaced_by=frozenset({"database", "schema"}),
    defaults={
        "comment": "",
        "authenticationMethods": EVERYTHING,
        "clientTypes": EVERYTHING,
        "securityIntegrations": EVERYTHING,
        "mfaEnrollment": "REQUIRED_PASSWORD_ONLY",
    },
)
LISTS = (
    Setting("authenticationMethods", "AUTHENTICATION_METHODS", literals),
    Setting("clientTypes", "CLIENT_TYPES", literals),
    Setting("securityIntegrations", "SECURITY_INTEGRATIONS", literals),
)
SETTINGS = (*LISTS, Setting("mfaEnrollment", "MFA_ENROLLMENT", plain), COMMENT)
KNOWN = frozenset({*SCHEMA_OBJECT, *(each.property for each in SETTINGS)})


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    target = path(inputs)
    clients.execute(f"CREATE AUTHENTICATION POLICY {target}{assignments(SETTINGS, inputs)}")
    return CreatedResource(id=target, properties=read(target, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    place = located(id_, properties)
    inside = f" IN SCHEMA {quoted(place['database'], place['schema'])}"
    row = shown(clients, "AUTHENTICATION POLICIES", place["name"], inside)
    if row is None:
        return None
    found = described(clients, f"AUTHENTICATION POLICY {path(place)}")
    return {
        **place,
        "comment": row["comment"],
        **{each.property: _list(found[each.key], properties.get(each.property)) for each in LISTS},
        "mfaEnrollment": as_known(found["MFA_ENROLLMENT"], properties.get("mfaEnrollment"), str.upper),
        "fullyQualifiedName": path(place),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, KNOWN)
    changes = alterations(f"AUTHENTICATION POLICY {path(new)}", SETTINGS, old, new)
    clients.execute(renaming("AUTHENTICATION POLICY", path(old), path(new)), *changes)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "AUTHENTICATION POLICY", path(located(id_, properties)))


def _list(value: str, known: Any) -> list[str]:
    """`[KEYPAIR, OAUTH]`, a set of keywords in any case."""
    found = [each.strip() for each in value.strip("[]").split(",")]
    return as_known(found, known, lambda words: {word.upper() for word in words})
