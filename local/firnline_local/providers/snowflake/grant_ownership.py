"""Who owns a Snowflake object. Removing the resource gives it to the role that removes it, as the stock provider does."""

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.grant_target import Target, objects_of
from firnline_local.providers.snowflake.object import refuse_others, run_unless_gone
from firnline_local.providers.snowflake.sql import literal, parts, quoted, requoted

TYPE = "snowflake:index/grantOwnership:GrantOwnership"
KNOWN = frozenset({"accountRoleName", "outboundPrivileges", "on"})
RULES = Rules(  # provider source, pkg/resources/grant_ownership.go
    replaced_by=KNOWN | {"databaseRoleName"},
    values={"outboundPrivileges": frozenset({"COPY", "REVOKE"})},
    conflicts=(
        frozenset({"accountRoleName", "databaseRoleName"}),
        frozenset({"on.objectName", "on.all", "on.future"}),
        *(frozenset({f"on.{which}.inDatabase", f"on.{which}.inSchema"}) for which in ("all", "future")),
    ),
)
TO_ROLE = "ToAccountRole"


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    target, role = Target.on_objects(inputs["on"]), requoted(inputs["accountRoleName"])
    outbound = inputs.get("outboundPrivileges") or ""
    _pause(target, clients)
    clients.execute(f"GRANT OWNERSHIP ON {target.sql} TO ROLE {role}{_suffix(outbound)}")
    id_ = "|".join((TO_ROLE, role, outbound, *target.id))
    return CreatedResource(id=id_, properties=read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """None where another role owns it by now."""
    known = {**_from_id(id_), **properties}
    target, (role,) = Target.on_objects(known["on"]), parts(known["accountRoleName"])
    found = {name: known[name] for name in KNOWN if known.get(name)}
    if not target.is_readable:
        return found
    rows = clients.rows(f"SHOW {target.shown}")
    owners = {
        row["grantee_name"] for row in rows if row["privilege"] == "OWNERSHIP" and target.covers(row.get("grant_on"))
    }
    return found if role in owners else None


def update(_id: str, _old: Properties, _new: Properties, _clients: Clients) -> Properties:
    raise AssertionError(f"every input of {TYPE} replaces it")


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    known = {**_from_id(id_), **properties}
    target, role = Target.on_objects(known["on"]), requoted(known["accountRoleName"])
    if target.future_in:
        run_unless_gone(clients, f"REVOKE OWNERSHIP ON {target.sql} FROM ROLE {role}")
        return
    ((current,),) = (row.values() for row in clients.rows("SELECT CURRENT_ROLE() as CURRENT_ROLE"))
    suffix = _suffix(known.get("outboundPrivileges") or "")
    run_unless_gone(clients, f"GRANT OWNERSHIP ON {target.sql} TO ROLE {quoted(current)}{suffix}")


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


def _from_id(id_: str) -> dict[str, object]:
    _, role, outbound, *target = id_.split("|")
    return {"accountRoleName": role, "outboundPrivileges": outbound, "on": objects_of(target)}
