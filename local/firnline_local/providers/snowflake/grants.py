"""Privileges of roles on one target, roles that were granted to users and roles, and who owns an object.

Rules: provider source, pkg/resources/grant_privileges_to_account_role.go, grant_account_role.go and grant_ownership.go.
"""

from collections.abc import Iterable

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import Properties, Rules
from firnline_local.providers.snowflake.grant_target import Target, inputs_of, objects_of
from firnline_local.providers.snowflake.kind import StatementKind, row_of, run_unless_gone
from firnline_local.providers.snowflake.sql import literal, parts, plain, quoted, requoted

HOLDERS = {"userName": "USER", "parentRoleName": "ROLE"}


def _holder(inputs: Properties) -> tuple[str, str]:
    return next((given, kind) for given, kind in HOLDERS.items() if inputs.get(given))


def _grant_role(inputs: Properties, clients: Clients) -> str:
    given, kind = _holder(inputs)
    role, holder = requoted(inputs["roleName"]), requoted(inputs[given])
    clients.execute(f"GRANT ROLE {role} TO {kind} {holder}")
    return f"{role}|{kind}|{holder}"


def _granted_role(id_: str) -> dict[str, str]:
    role, kind, holder = id_.split("|")
    return {"roleName": role, next(given for given, known in HOLDERS.items() if known == kind): holder}


def _look_at_role(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    known = {**_granted_role(id_), **properties}
    given, kind = _holder(known)
    rows = clients.rows(f"SHOW GRANTS OF ROLE {requoted(known['roleName'])}")
    holders = {(row["granted_to"], row["grantee_name"]) for row in rows}
    return {name: known[name] for name in ("roleName", given)} if (kind, *parts(known[given])) in holders else None


def _revoke_role(id_: str, _: Properties, clients: Clients) -> None:
    role, kind, holder = id_.split("|")
    run_unless_gone(clients, f"REVOKE ROLE {role} FROM {kind} {holder}")


GRANT_ACCOUNT_ROLE = StatementKind(
    type="snowflake:index/grantAccountRole:GrantAccountRole",
    rules=Rules.of("roleName userName parentRoleName", conflicts="userName parentRoleName"),
    inputs=frozenset({"roleName", *HOLDERS}),
    make=_grant_role,
    look=_look_at_role,
    remove=_revoke_role,
)

OF_OWNERSHIP = ("accountRoleName", "outboundPrivileges", "on")


def _grant_ownership(inputs: Properties, clients: Clients) -> str:
    target, role = Target.on_objects(inputs["on"]), requoted(inputs["accountRoleName"])
    outbound = inputs.get("outboundPrivileges") or ""
    _pause(target, clients)
    clients.execute(f"GRANT OWNERSHIP ON {target.sql} TO ROLE {role}{_suffix(outbound)}")
    return "|".join(("ToAccountRole", role, outbound, *target.id))


def _pause(target: Target, clients: Clients) -> None:
    """A running pipe can't change hands (docs.snowflake.com, `sql-reference/sql/grant-ownership`)."""
    if target.id[:2] != ("OnObject", "PIPE"):
        return
    pipe = target.id[2]
    rows = clients.rows(f'SELECT SYSTEM$PIPE_STATUS({literal(pipe)}) AS "PIPE_STATUS"')
    if '"RUNNING"' in str(rows[0]["pipe_status"]):
        clients.execute(f"ALTER PIPE {pipe} SET PIPE_EXECUTION_PAUSED = true")


def _suffix(outbound: str) -> str:
    return f" {outbound} CURRENT GRANTS" if outbound else ""


def _granted_ownership(id_: str) -> dict[str, object]:
    _, role, outbound, *target = id_.split("|")
    return {"accountRoleName": role, "outboundPrivileges": outbound, "on": objects_of(target)}


def _look_at_ownership(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """None where another role owns it by now."""
    known = {**_granted_ownership(id_), **properties}
    target, (role,) = Target.on_objects(known["on"]), parts(known["accountRoleName"])
    found = {name: known[name] for name in OF_OWNERSHIP if known.get(name)}
    if not target.is_readable:
        return found
    rows = clients.rows(f"SHOW {target.shown}")
    owners = {
        row["grantee_name"] for row in rows if row["privilege"] == "OWNERSHIP" and target.covers(row.get("grant_on"))
    }
    return found if role in owners else None


def _give_back(_: str, known: Properties, clients: Clients) -> None:
    """To the role that removes it, as the stock provider does."""
    target, role = Target.on_objects(known["on"]), requoted(known["accountRoleName"])
    if target.future_in:
        run_unless_gone(clients, f"REVOKE OWNERSHIP ON {target.sql} FROM ROLE {role}")
        return
    ((current,),) = (row.values() for row in clients.rows("SELECT CURRENT_ROLE() as CURRENT_ROLE"))
    suffix = _suffix(known.get("outboundPrivileges") or "")
    run_unless_gone(clients, f"GRANT OWNERSHIP ON {target.sql} TO ROLE {quoted(current)}{suffix}")


GRANT_OWNERSHIP = StatementKind(
    type="snowflake:index/grantOwnership:GrantOwnership",
    rules=Rules.of(
        " ".join((*OF_OWNERSHIP, "databaseRoleName")),
        values={"outboundPrivileges": "COPY REVOKE"},
        conflicts=(
            "accountRoleName databaseRoleName,on.objectName on.all on.future,"
            "on.all.inDatabase on.all.inSchema,on.future.inDatabase on.future.inSchema"
        ),
    ),
    inputs=frozenset(OF_OWNERSHIP),
    make=_grant_ownership,
    look=_look_at_ownership,
    remove=_give_back,
    known=_granted_ownership,
)

TARGETS = ("onAccount", "onAccountObject", "onSchema", "onSchemaObject")
OF_PRIVILEGES = ("accountRoleName", "privileges", "allPrivileges", "alwaysApply", "withGrantOption", *TARGETS)


def _grant_privileges(inputs: Properties, clients: Clients) -> str:
    _grant(inputs, _privileges(inputs), clients)
    privileges = "ALL" if inputs.get("allPrivileges") else ",".join(sorted(inputs["privileges"]))
    flags = (plain(bool(inputs.get(name))) for name in ("withGrantOption", "alwaysApply"))
    return "|".join((_role(inputs), *flags, privileges, *Target.of(inputs).id))


def _granted_privileges(id_: str) -> dict[str, object]:
    role, option, always, privileges, *target = id_.split("|")
    everything = privileges in ("ALL", "ALL PRIVILEGES")
    return {
        "accountRoleName": role,
        "withGrantOption": option == "true",
        "alwaysApply": always == "true",
        **({"allPrivileges": True} if everything else {"privileges": privileges.split(",")}),
        **inputs_of(target),
    }


def _look_at_privileges(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """Of the privileges that were asked for, those that are there; None where the role or the target is gone.

    All of them taken away is drift, as the stock provider has it; a grant that is imported has to be there.
    """
    known = {**_granted_privileges(id_), **properties}
    (role,) = parts(known["accountRoleName"])
    if row_of(clients, "ROLES", role) is None:
        return None
    target = Target.of(known)
    if known.get("allPrivileges") or not target.is_readable:
        return _carried(known)
    held = _held(clients, target, role, grant_option=bool(known.get("withGrantOption")))
    if held is None:
        return None
    found = [privilege for privilege in known["privileges"] if privilege.replace("_", " ") in held]
    return {**_carried(known), "privileges": found} if found or properties else None


def _change_privileges(old: Properties, new: Properties, clients: Clients) -> None:
    """Before a new privilege is granted, the provider takes back an option that it may have had."""
    before, after = _privileges(old), _privileges(new)
    added = [privilege for privilege in after if privilege not in before]
    removed = [privilege for privilege in before if privilege not in after]
    if removed:
        _revoke(new, removed, clients)
    if added and not new.get("withGrantOption"):
        _revoke(new, added, clients, only="GRANT OPTION FOR ")
    if added:
        _grant(new, added, clients)


def _revoke_privileges(_: str, known: Properties, clients: Clients) -> None:
    """Nothing, where all of them were taken away before."""
    if privileges := _privileges(known):
        statement = f"REVOKE {', '.join(privileges)} ON {Target.of(known).sql} FROM ROLE {_role(known)}"
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
    return {name: known[name] for name in OF_PRIVILEGES if known.get(name) is not None}


def _privileges(inputs: Properties) -> list[str]:
    return ["ALL PRIVILEGES"] if inputs.get("allPrivileges") else list(inputs["privileges"])


def _role(inputs: Properties) -> str:
    return requoted(inputs["accountRoleName"])


GRANT_PRIVILEGES_TO_ACCOUNT_ROLE = StatementKind(
    type="snowflake:index/grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole",
    rules=Rules.of(
        " ".join(("accountRoleName", "withGrantOption", *TARGETS)),
        defaults={
            "allPrivileges": False,
            "alwaysApply": False,
            "onAccount": False,
            "strictPrivilegeManagement": False,
            "withGrantOption": False,
        },
        conflicts=(
            f"privileges allPrivileges,{' '.join(TARGETS)},"
            "onSchema.schemaName onSchema.allSchemasInDatabase onSchema.futureSchemasInDatabase,"
            "onSchemaObject.objectName onSchemaObject.all onSchemaObject.future,"
            "onSchemaObject.objectType onSchemaObject.all,onSchemaObject.objectType onSchemaObject.future,"
            "strictPrivilegeManagement allPrivileges,strictPrivilegeManagement onSchema.allSchemasInDatabase,"
            "strictPrivilegeManagement onSchemaObject.all"
        ),
    ),
    inputs=frozenset(OF_PRIVILEGES),
    make=_grant_privileges,
    look=_look_at_privileges,
    change=_change_privileges,
    remove=_revoke_privileges,
    known=_granted_privileges,
)
KINDS = (GRANT_ACCOUNT_ROLE, GRANT_OWNERSHIP, GRANT_PRIVILEGES_TO_ACCOUNT_ROLE)
