"""Snowflake users of TYPE = SERVICE: no password, two places for public keys."""

from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import (
    described,
    drop,
    given,
    named,
    refuse_others,
    renaming,
    shown,
)
from firnline_local.providers.snowflake.settings import (
    COMMENT,
    SWITCH,
    Setting,
    alterations,
    as_known,
    assignments,
    own_parameters,
    parameters,
)
from firnline_local.providers.snowflake.sql import literal, parts, plain, quoted, requoted

TYPE = "snowflake:index/serviceUser:ServiceUser"
NONE, ALL = "NONE", "ALL"
UNSAID = "default"  # the provider then compares nothing: a user that somebody disabled goes unnoticed
RULES = Rules(  # provider source, pkg/resources/user.go; that takes DEFAULT for the option too, which is to give none
    replaced_by=frozenset(),
    defaults={"comment": "", "disabled": UNSAID, "defaultSecondaryRolesOption": ALL},
    values={"disabled": SWITCH | {UNSAID}, "defaultSecondaryRolesOption": frozenset({NONE, ALL})},
)


def secondary_roles(option: str) -> str:
    return "()" if option == NONE else "('ALL')"


PROPERTIES = (
    Setting("loginName", "LOGIN_NAME"),
    Setting("displayName", "DISPLAY_NAME"),
    Setting("email", "EMAIL"),
    Setting("disabled", "DISABLED", plain, unset="false"),
    Setting("daysToExpiry", "DAYS_TO_EXPIRY", plain),
    Setting("minsToUnlock", "MINS_TO_UNLOCK", plain),
    Setting("defaultWarehouse", "DEFAULT_WAREHOUSE", requoted),
    Setting("defaultNamespace", "DEFAULT_NAMESPACE", requoted),
    Setting("defaultRole", "DEFAULT_ROLE", requoted),
    Setting("defaultSecondaryRolesOption", "DEFAULT_SECONDARY_ROLES", secondary_roles),
    Setting("rsaPublicKey", "RSA_PUBLIC_KEY"),
    Setting("rsaPublicKey2", "RSA_PUBLIC_KEY_2"),
    COMMENT,
)
PARAMETERS = parameters(
    {
        "networkPolicy": requoted,
        "queryTag": literal,
        "statementTimeoutInSeconds": plain,
        "statementQueuedTimeoutInSeconds": plain,
    }
)
KNOWN = frozenset({"name", *(each.property for each in (*PROPERTIES, *PARAMETERS))})


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    name = inputs["name"]
    before_type = assignments(PROPERTIES[:-1], inputs)
    after_type = assignments([COMMENT, *PARAMETERS], inputs)
    clients.execute(f"CREATE USER {quoted(name)}{before_type} TYPE = SERVICE{after_type}")
    return CreatedResource(id=name, properties=read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """A user of another type is not this resource's any more, and reads as gone: the provider would make it anew."""
    name = named(id_, properties)
    row = shown(clients, "USERS", name)
    if row is None or row["type"] != "SERVICE":
        return None
    found = described(clients, f"USER {quoted(name)}")
    return given(
        {
            "name": name,
            "userType": row["type"],
            "comment": row["comment"],
            "disabled": UNSAID if properties.get("disabled", UNSAID) == UNSAID else row["disabled"],
            "loginName": _unless_its_name(found["LOGIN_NAME"], name, properties.get("loginName")),
            "displayName": _unless_its_name(found["DISPLAY_NAME"], name, properties.get("displayName")),
            "email": found["EMAIL"],
            "daysToExpiry": _number(found["DAYS_TO_EXPIRY"]),
            "minsToUnlock": _number(found["MINS_TO_UNLOCK"]),
            "defaultWarehouse": as_known(found["DEFAULT_WAREHOUSE"], properties.get("defaultWarehouse"), _names),
            "defaultNamespace": as_known(found["DEFAULT_NAMESPACE"], properties.get("defaultNamespace"), _names),
            "defaultRole": as_known(found["DEFAULT_ROLE"], properties.get("defaultRole"), _names),
            "defaultSecondaryRolesOption": NONE if found["DEFAULT_SECONDARY_ROLES"] == "[]" else ALL,
            "rsaPublicKey": found["RSA_PUBLIC_KEY"],
            "rsaPublicKey2": found["RSA_PUBLIC_KEY_2"],
            "fullyQualifiedName": quoted(name),
            **_parameters(clients, name, properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    refuse_others(TYPE, new, KNOWN)
    target = f"USER {quoted(new['name'])}"
    changes = (*alterations(target, PROPERTIES, old, new), *alterations(target, PARAMETERS, old, new))
    clients.execute(renaming("USER", quoted(old["name"]), quoted(new["name"])), *changes)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "USER", quoted(named(id_, properties)))


def _parameters(clients: Clients, name: str, properties: Properties) -> dict[str, Any]:
    found = own_parameters(clients, "USER", quoted(name), PARAMETERS)
    if "networkPolicy" in found:
        found["networkPolicy"] = as_known(found["networkPolicy"], properties.get("networkPolicy"), _names)
    return found


def _unless_its_name(found: str, name: str, known: str | None) -> str | None:
    """Snowflake fills in the user's own name where nothing was given."""
    if known is None and found.upper() == name.upper():
        return None
    return as_known(found, known, str.upper)


def _names(identifier: str | None) -> tuple[str, ...]:
    return parts(identifier) if identifier else ()


def _number(text: str | None) -> int | None:
    return None if text is None else int(float(text))
