"""Which authentication policy a Snowflake user is under."""

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import refuse_others, run_unless_gone
from firnline_local.providers.snowflake.settings import as_known
from firnline_local.providers.snowflake.sql import literal, parts, quoted, requoted

TYPE = "snowflake:index/userAuthenticationPolicyAttachment:UserAuthenticationPolicyAttachment"
KNOWN = frozenset({"userName", "authenticationPolicyName"})
RULES = Rules(
    # provider source, pkg/resources/user_authentication_policy_attachment.go; there no preview any more, in 2.20.0 one
    replaced_by=frozenset({"userName"}),
    preview_feature="snowflake_user_authentication_policy_attachment_resource",
)


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    refuse_others(TYPE, inputs, KNOWN)
    user, policy = requoted(inputs["userName"]), requoted(inputs["authenticationPolicyName"])
    clients.execute(f"ALTER USER {user} SET AUTHENTICATION POLICY {policy}")
    id_ = f"{user}|{policy}"
    return CreatedResource(id=id_, properties=read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """None where the user is under no policy, or gone."""
    known = {**_from_id(id_), **properties}
    entity = literal(requoted(known["userName"]))
    rows = clients.rows(
        "SELECT * FROM TABLE (SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES "
        f"(REF_ENTITY_NAME => {entity}, REF_ENTITY_DOMAIN => 'USER'))"
    )
    for row in rows:
        if row["policy_kind"] == "AUTHENTICATION_POLICY":
            policy = quoted(row["policy_db"], row["policy_schema"], row["policy_name"])
            named = as_known(policy, known["authenticationPolicyName"], parts)
            return {"userName": known["userName"], "authenticationPolicyName": named}
    return None


def update(id_: str, _old: Properties, new: Properties, clients: Clients) -> Properties:
    user, policy = requoted(new["userName"]), requoted(new["authenticationPolicyName"])
    clients.execute(f"ALTER USER IF EXISTS {user} SET AUTHENTICATION POLICY {policy} FORCE")
    return read(id_, new, clients) or {}


def delete(id_: str, _properties: Properties, clients: Clients) -> None:
    user, _ = id_.split("|")
    run_unless_gone(clients, f"ALTER USER {user} UNSET AUTHENTICATION POLICY")


def _from_id(id_: str) -> dict[str, str]:
    user, policy = id_.split("|")
    return {"userName": user, "authenticationPolicyName": policy}
