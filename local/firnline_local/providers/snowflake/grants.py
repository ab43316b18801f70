"""Privileges of roles on one target, roles that were granted to users and roles, and who owns an object.

Rules: provider source, pkg/resources/grant_privileges_to_account_role.go, grant_account_role.go and grant_ownership.go.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

from firnline_local.errors import InputNotCarried
from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import Form, Properties, Rules
from firnline_local.providers.snowflake.kind import IN_DATABASE, StatementKind, refuse_others, row_of, run_unless_gone
from firnline_local.providers.snowflake.sql import literal, parts, quoted, requoted

OBJECT, SCHEMA = ("objectType", "objectName"), ("schemaName",)
PLACES = {
    "onAccountObject": (("OnAccountObject",), OBJECT),
    "onSchema": (("OnSchema", "OnSchema"), SCHEMA),
    "onSchemaObject": (("OnSchemaObject", "OnObject"), OBJECT),
    "on": (("OnObject",), OBJECT),
}
"""The inputs that say what a grant is on: how the rest of its id begins, and what is in them. Grants on the account, and on all
or on future objects, are not carried."""


@dataclass(frozen=True, slots=True)
class Target:
    """The object that a grant is on."""

    sql: str
    """What stands behind ON."""
    id: tuple[str, ...]
    """The last parts of the grant's id."""

    @classmethod
    def of(cls, inputs: Properties) -> Self:
        """Raises InputNotCarried."""
        place = next((each for each in PLACES if inputs.get(each)), None)
        if place is None:
            raise InputNotCarried("grant", ["no object"], carried=list(PLACES))
        begins, names = PLACES[place]
        on = inputs[place]
        refuse_others(f"grant {place}", on, names)
        kind, name = on.get("objectType", "SCHEMA").upper(), requoted(on[names[-1]])
        return cls(f"{kind} {name}", (*begins, name) if names is SCHEMA else (*begins, kind, name))


def _place(id_: Sequence[str]) -> dict[str, Any]:
    """The input that the last parts of an id say. Raises InputNotCarried."""
    for place, (begins, names) in PLACES.items():
        if tuple(id_[: len(begins)]) == begins:
            return {place: dict(zip(names, id_[len(begins) :], strict=True))}
    raise InputNotCarried("grant", ["|".join(id_)], carried=["|".join(begins) for begins, _ in PLACES.values()])


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
    rules=Rules.of(
        "roleName userName parentRoleName",
        conflicts="userName parentRoleName",
        one_of="userName parentRoleName",
    ),
    inputs=frozenset({"roleName", *HOLDERS}),
    make=_grant_role,
    look=_look_at_role,
    remove=_revoke_role,
)

OF_OWNERSHIP = ("accountRoleName", "outboundPrivileges", "on")


def _grant_ownership(inputs: Properties, clients: Clients) -> str:
    target, role = Target.of(inputs), requoted(inputs["accountRoleName"])
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
    return {"accountRoleName": role, "outboundPrivileges": outbound, **_place(target)}


def _look_at_ownership(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """Returns None if another role owns it by now."""
    known = {**_granted_ownership(id_), **properties}
    (role,) = parts(known["accountRoleName"])
    rows = clients.rows(f"SHOW GRANTS ON {Target.of(known).sql}")
    owners = {row["grantee_name"] for row in rows if row["privilege"] == "OWNERSHIP"}
    return {name: known[name] for name in OF_OWNERSHIP if known.get(name)} if role in owners else None


def _give_back(_: str, known: Properties, clients: Clients) -> None:
    """Gives the ownership back to the role that removes the grant, as the stock provider does."""
    ((current,),) = (row.values() for row in clients.rows("SELECT CURRENT_ROLE() as CURRENT_ROLE"))
    suffix = _suffix(known.get("outboundPrivileges") or "")
    run_unless_gone(clients, f"GRANT OWNERSHIP ON {Target.of(known).sql} TO ROLE {quoted(current)}{suffix}")


def _type_and_name(place: str, inputs: Properties) -> Iterator[str]:
    """RequiredWith of both."""
    said = inputs.get(place) or {}
    if ("objectType" in said) != ("objectName" in said):
        yield f"{place}.objectName: all of `object_name,object_type` must be specified."


def _imported_alone(inputs: Properties) -> Iterator[str]:
    """grant_privileges_to_account_role.go at 005b0681, ValidateRawResourceConfigFuncs."""
    privileges = inputs.get("privileges") or ()
    if "IMPORTED PRIVILEGES" in privileges and len(privileges) > 1:
        yield "privileges: IMPORTED PRIVILEGES cannot be used with other privileges."


GRANT_OWNERSHIP = StatementKind(
    type="snowflake:index/grantOwnership:GrantOwnership",
    rules=Rules.of(
        " ".join((*OF_OWNERSHIP, "databaseRoleName")),
        values={"outboundPrivileges": "COPY REVOKE"},
        conflicts=(
            "accountRoleName databaseRoleName,on.objectName on.all on.future,"
            "on.all.inDatabase on.all.inSchema,on.future.inDatabase on.future.inSchema"
        ),
        one_of=(
            "accountRoleName databaseRoleName,on.objectName on.all on.future,"
            "on.all.inDatabase on.all.inSchema,on.future.inDatabase on.future.inSchema"
        ),
        forms={
            "databaseRoleName": IN_DATABASE,
            "on.all.inSchema": IN_DATABASE,
            "on.future.inSchema": IN_DATABASE,
        },
        checks=(partial(_type_and_name, "on"),),
    ),
    inputs=frozenset(OF_OWNERSHIP),
    make=_grant_ownership,
    look=_look_at_ownership,
    remove=_give_back,
    known=_granted_ownership,
)

TARGETS = ("onAccount", "onAccountObject", "onSchema", "onSchemaObject")
OF_PRIVILEGES = ("accountRoleName", "privileges", *TARGETS[1:])
WITHOUT_OPTION = ("false", "false")
"""Of an id: whether it is with the grant option, and whether it is applied each time."""


def _grant_privileges(inputs: Properties, clients: Clients) -> str:
    _grant(inputs, inputs["privileges"], clients)
    return "|".join((_role(inputs), *WITHOUT_OPTION, ",".join(sorted(inputs["privileges"])), *Target.of(inputs).id))


def _granted_privileges(id_: str) -> dict[str, object]:
    role, option, always, privileges, *target = id_.split("|")
    if (option, always) != WITHOUT_OPTION or privileges.startswith("ALL"):
        raise InputNotCarried("grant", [id_], carried=[*OF_PRIVILEGES])
    return {"accountRoleName": role, "privileges": privileges.split(","), **_place(target)}


def _look_at_privileges(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """The privileges that exist among those that were asked for; None if the role or the target is gone.

    All of them taken away is drift, as the stock provider has it; a grant that is imported has to be there.
    """
    known = {**_granted_privileges(id_), **properties}
    (role,) = parts(known["accountRoleName"])
    if row_of(clients, "ROLES", role) is None:
        return None
    rows = clients.rows_or_none(f"SHOW GRANTS ON {Target.of(known).sql}")
    if rows is None:
        return None
    held = {
        row["privilege"].replace("_", " ")
        for row in rows
        if row["grantee_name"] == role and row["grant_option"] == "false"
    }
    found = [privilege for privilege in known["privileges"] if privilege.replace("_", " ") in held]
    carried = {name: known[name] for name in OF_PRIVILEGES if known.get(name) is not None}
    return {**carried, "privileges": found} if found or properties else None


def _change_privileges(old: Properties, new: Properties, clients: Clients) -> None:
    """Changes the privileges; before a new one is granted, the provider takes back an option that it may have had."""
    before, after = old["privileges"], new["privileges"]
    added = [privilege for privilege in after if privilege not in before]
    removed = [privilege for privilege in before if privilege not in after]
    if removed:
        _revoke(new, removed, clients)
    if added:
        _revoke(new, added, clients, only="GRANT OPTION FOR ")
        _grant(new, added, clients)


def _revoke_privileges(_: str, known: Properties, clients: Clients) -> None:
    """Nothing, where all of them were taken away before."""
    if known["privileges"]:
        statement = f"REVOKE {', '.join(known['privileges'])} ON {Target.of(known).sql} FROM ROLE {_role(known)}"
        run_unless_gone(clients, statement)


def _grant(inputs: Properties, privileges: Iterable[str], clients: Clients) -> None:
    clients.execute(f"GRANT {', '.join(privileges)} ON {Target.of(inputs).sql} TO ROLE {_role(inputs)}")


def _revoke(inputs: Properties, privileges: Iterable[str], clients: Clients, only: str = "") -> None:
    clients.execute(f"REVOKE {only}{', '.join(privileges)} ON {Target.of(inputs).sql} FROM ROLE {_role(inputs)}")


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
        one_of=(
            f"privileges allPrivileges,{' '.join(TARGETS)},"
            "onSchema.schemaName onSchema.allSchemasInDatabase onSchema.futureSchemasInDatabase,"
            "onSchemaObject.objectName onSchemaObject.all onSchemaObject.future"
        ),
        forms={
            "privileges": Form(
                r"(?!OWNERSHIP$).*", "a privilege that this grants: snowflake_grant_ownership gives OWNERSHIP"
            ),
            "onSchema.schemaName": IN_DATABASE,
            "onSchemaObject.all.inSchema": IN_DATABASE,
            "onSchemaObject.future.inSchema": IN_DATABASE,
        },
        checks=(partial(_type_and_name, "onSchemaObject"), _imported_alone),
    ),
    inputs=frozenset(OF_PRIVILEGES),
    make=_grant_privileges,
    look=_look_at_privileges,
    change=_change_privileges,
    remove=_revoke_privileges,
    known=_granted_privileges,
)
KINDS = (GRANT_ACCOUNT_ROLE, GRANT_OWNERSHIP, GRANT_PRIVILEGES_TO_ACCOUNT_ROLE)
