"""Snowflake roles that were granted to users and to other roles."""

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import refuse_others, run_unless_gone
from firnline_local.providers.snowflake.sql import parts, requoted

TYPE = "snowflake:index/grantAccountRole:GrantAccountRole"
HOLDERS = {"userName": "USER", "parentRoleName": "ROLE"}
KNOWN = frozenset({"roleName", *HOLDERS})
RULES = Rules(  # provider source, pkg/resources/grant_account_role.go
    replaced_by=KNOWN, conflicts=(frozenset(HOLDERS),)
)


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    given, kind = _holder(inputs)
    role, holder = requoted(inputs["roleName"]), requoted(inputs[given])
    clients.execute(f"GRANT ROLE {role} TO {kind} {holder}")
    id_ = f"{role}|{kind}|{holder}"
    return CreatedResource(id=id_, properties=read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    known = {**_from_id(id_), **properties}
    given, kind = _holder(known)
    rows = clients.rows(f"SHOW GRANTS OF ROLE {requoted(known['roleName'])}")
    holders = {(row["granted_to"], row["grantee_name"]) for row in rows}
    if (kind, *parts(known[given])) not in holders:
        return None
    return {"roleName": known["roleName"], given: known[given]}


def update(_id: str, _old: Properties, _new: Properties, _clients: Clients) -> Properties:
    raise AssertionError(f"every input of {TYPE} replaces it")


def delete(id_: str, _properties: Properties, clients: Clients) -> None:
    role, kind, holder = id_.split("|")
    run_unless_gone(clients, f"REVOKE ROLE {role} FROM {kind} {holder}")


def _holder(inputs: Properties) -> tuple[str, str]:
    return next((given, kind) for given, kind in HOLDERS.items() if inputs.get(given))


def _from_id(id_: str) -> dict[str, str]:
    role, kind, holder = id_.split("|")
    return {"roleName": role, next(given for given, known in HOLDERS.items() if known == kind): holder}
