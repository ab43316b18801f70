"""Privileges of Snowflake roles on one target."""

from collections.abc import Iterable

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.grant_target import Target, inputs_of
from firnline_local.providers.snowflake.object import refuse_others, run_unless_gone, shown
from firnline_local.providers.snowflake.sql import parts, plain, requoted

TYPE = "snowflake:index/grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole"
TARGETS = ("onAccount", "onAccountObject", "onSchema", "onSchemaObject")
KNOWN = frozenset({"accountRoleName", "privileges", "allPrivileges", "withGrantOption", "alwaysApply", *TARGETS})
RULES = Rules(  # provider source, pkg/resources/grant_privileges_to_account_role.go
    replaced_by=frozenset({"accountRoleName", "withGrantOption", *TARGETS}),
    defaults={
        "allPrivileges": False,
        "alwaysApply": False,
        "onAccount": False,
        "strictPrivilegeManagement": False,
        "withGrantOption": False,
    },
    conflicts=(
        frozenset({"privileges", "allPrivileges"}),
        frozenset(TARGETS),
        frozenset({"onSchema.schemaName", "onSchema.allSchemasInDatabase", "onSchema.futureSchemasInDatabase"}),
        frozenset({"onSchemaObject.objectName", "onSchemaObject.all", "onSchemaObject.future"}),
        *(frozenset({"onSchemaObject.objectType", f"onSchemaObject.{which}"}) for which in ("all", "future")),
        *(
            frozenset({"strictPrivilegeManagement", wide})
            for wide in ("allPrivileges", "onSchema.allSchemasInDatabase", "onSchemaObject.all")
        ),
    ),
)


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    _grant(inputs, _privileges(inputs), clients)
    id_ = _id(inputs)
    return CreatedResource(id=id_, properties=read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """Of the privileges that were asked for, those that are there; None where the role or the target is gone.

    All of them taken away is drift, as the stock provider has it; a grant that is imported has to be there.
    """
    known = {**_from_id(id_), **properties}
    (role,) = parts(known["accountRoleName"])
    if shown(clients, "ROLES", role) is None:
        return None
    target = Target.of(known)
    if known.get("allPrivileges") or not target.is_readable:
        return _carried(known)
    held = _held(clients, target, role, grant_option=bool(known.get("withGrantOption")))
    if held is None:
        return None
    found = [privilege for privilege in known["privileges"] if privilege.replace("_", " ") in held]
    return {**_carried(known), "privileges": found} if found or properties else None


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    """Before a new privilege is granted, the provider takes back an option that it may have had."""
    refuse_others(TYPE, new, KNOWN)
    before, after = _privileges(old), _privileges(new)
    added = [privilege for privilege in after if privilege not in before]
    removed = [privilege for privilege in before if privilege not in after]
    if removed:
        _revoke(new, removed, clients)
    if added and not new.get("withGrantOption"):
        _revoke(new, added, clients, only="GRANT OPTION FOR ")
    if added:
        _grant(new, added, clients)
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """Nothing, where all of them were taken away before."""
    known = {**_from_id(id_), **properties}
    if not _privileges(known):
        return
    statement = f"REVOKE {', '.join(_privileges(known))} ON {Target.of(known).sql} FROM ROLE {_role(known)}"
    run_unless_gone(clients, statement)


def _grant(inputs: Properties, privileges: Iterable[str], clients: Clients) -> None:
    option = " WITH GRANT OPTION" if inputs.get("withGrantOption") else ""
    clients.execute(f"GRANT {', '.join(privileges)} ON {Target.of(inputs).sql} TO ROLE {_role(inputs)}{option}")


def _revoke(inputs: Properties, privileges: Iterable[str], clients: Clients, only: str = "") -> None:
    clients.execute(f"REVOKE {only}{', '.join(privileges)} ON {Target.of(inputs).sql} FROM ROLE {_role(inputs)}")


def _held(clients: Clients, target: Target, role: str, *, grant_option: bool) -> set[str] | None:
    """None where the target does not exist."""
    rows = clients.rows_or_none(f"SHOW {target.shown}")
    if rows is None:
        return None
    return {
        row["privilege"].replace("_", " ")
        for row in rows
        if row["grantee_name"] == role
        and (row["grant_option"] == "true") is grant_option
        and target.covers(row.get("grant_on"))
    }


def _carried(known: Properties) -> dict[str, object]:
    names = ("accountRoleName", "privileges", "allPrivileges", "alwaysApply", "withGrantOption", *TARGETS)
    return {name: known[name] for name in names if known.get(name) is not None}


def _privileges(inputs: Properties) -> list[str]:
    return ["ALL PRIVILEGES"] if inputs.get("allPrivileges") else list(inputs["privileges"])


def _role(inputs: Properties) -> str:
    return requoted(inputs["accountRoleName"])


def _id(inputs: Properties) -> str:
    privileges = "ALL" if inputs.get("allPrivileges") else ",".join(sorted(inputs["privileges"]))
    flags = (plain(bool(inputs.get(name))) for name in ("withGrantOption", "alwaysApply"))
    return "|".join((_role(inputs), *flags, privileges, *Target.of(inputs).id))


def _from_id(id_: str) -> dict[str, object]:
    role, option, always, privileges, *target = id_.split("|")
    everything = privileges in ("ALL", "ALL PRIVILEGES")
    return {
        "accountRoleName": role,
        "withGrantOption": option == "true",
        "alwaysApply": always == "true",
        **({"allPrivileges": True} if everything else {"privileges": privileges.split(",")}),
        **inputs_of(target),
    }
