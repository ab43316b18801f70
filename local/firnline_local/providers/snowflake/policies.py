"""Network policies, authentication policies, and which of these a user is under.

Rules: provider source, pkg/resources/network_policy.go, authentication_policy.go and user_authentication_policy_attachment.go
(there no preview any more, in 2.20.0 one).
"""

import json
from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import Form, Properties, Rules, one_of_words
from firnline_local.providers.snowflake.kind import (
    COMMENT,
    IN_SCHEMA,
    SCHEMA_OBJECT,
    UPPER,
    SnowflakeKind,
    StatementKind,
    as_known,
    described,
    run_unless_gone,
)
from firnline_local.providers.snowflake.sql import literal, literals, names, parts, plain, quoted, requoted


def _addresses_or_rules(value: str | None, known: Any) -> Any:
    """The addresses, or the rules as JSON; both are sets, so order is not compared."""
    if not value:
        return None
    if not value.startswith("["):
        return as_known(value.split(","), known, set)
    rules = [requoted(each["fullyQualifiedRuleName"]) for each in json.loads(value)]
    return as_known(rules, known, lambda found: {parts(each) for each in found})


NETWORK_POLICY = SnowflakeKind(
    type="snowflake:index/networkPolicy:NetworkPolicy",
    rules=Rules.of(
        defaults={"comment": ""},
        forms={
            "allowedNetworkRuleLists": IN_SCHEMA,
            "blockedNetworkRuleLists": IN_SCHEMA,
            "blockedIpLists": Form(
                r"(?!0\.0\.0\.0/0$).*", "what is blocked: an allowed list alone blocks every other address"
            ),
        },
    ),
    word="NETWORK POLICY",
    listing="NETWORK POLICIES",
    settings=(
        described("allowedNetworkRuleLists", names, key="ALLOWED_NETWORK_RULE_LIST", like=_addresses_or_rules),
        described("blockedNetworkRuleLists", names, key="BLOCKED_NETWORK_RULE_LIST", like=_addresses_or_rules),
        described("allowedIpLists", literals, key="ALLOWED_IP_LIST", like=_addresses_or_rules),
        described("blockedIpLists", literals, key="BLOCKED_IP_LIST", like=_addresses_or_rules),
        COMMENT,
    ),
)
EVERYTHING = ["ALL"]


def _keywords(value: str, known: Any) -> Any:
    """`[KEYPAIR, OAUTH]`, a set of keywords in any case."""
    found = [each.strip() for each in value.strip("[]").split(",")]
    return as_known(found, known, lambda words: {word.upper() for word in words})


AUTHENTICATION_POLICY = SnowflakeKind(
    type="snowflake:index/authenticationPolicy:AuthenticationPolicy",
    rules=Rules.of(
        "database schema",
        defaults={
            "comment": "",
            "authenticationMethods": EVERYTHING,
            "clientTypes": EVERYTHING,
            "securityIntegrations": EVERYTHING,
            "mfaEnrollment": "REQUIRED_PASSWORD_ONLY",
        },
        forms={
            "authenticationMethods": one_of_words(
                "ALL SAML PASSWORD OAUTH KEYPAIR PROGRAMMATIC_ACCESS_TOKEN WORKLOAD_IDENTITY"
            ),
        },
    ),
    word="AUTHENTICATION POLICY",
    listing="AUTHENTICATION POLICIES",
    names=SCHEMA_OBJECT,
    settings=(
        described("authenticationMethods", literals, like=_keywords),
        described("clientTypes", literals, like=_keywords),
        described("securityIntegrations", literals, like=_keywords),
        described("mfaEnrollment", plain, like=UPPER),
        COMMENT,
    ),
)


def _attach(inputs: Properties, clients: Clients) -> str:
    user, policy = requoted(inputs["userName"]), requoted(inputs["authenticationPolicyName"])
    clients.execute(f"ALTER USER {user} SET AUTHENTICATION POLICY {policy}")
    return f"{user}|{policy}"


def _attachment(id_: str) -> dict[str, str]:
    return dict(zip(("userName", "authenticationPolicyName"), id_.split("|"), strict=True))


def _attached(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    """Returns None if the user is under no policy, or gone."""
    known = {**_attachment(id_), **properties}
    rows = clients.rows(
        "SELECT * FROM TABLE (SNOWFLAKE.INFORMATION_SCHEMA.POLICY_REFERENCES "
        f"(REF_ENTITY_NAME => {literal(requoted(known['userName']))}, REF_ENTITY_DOMAIN => 'USER'))"
    )
    for row in rows:
        if row["policy_kind"] == "AUTHENTICATION_POLICY":
            policy = quoted(row["policy_db"], row["policy_schema"], row["policy_name"])
            named = as_known(policy, known["authenticationPolicyName"], parts)
            return {"userName": known["userName"], "authenticationPolicyName": named}
    return None


def _attach_another(_: Properties, new: Properties, clients: Clients) -> None:
    user, policy = requoted(new["userName"]), requoted(new["authenticationPolicyName"])
    clients.execute(f"ALTER USER IF EXISTS {user} SET AUTHENTICATION POLICY {policy} FORCE")


def _detach(id_: str, _: Properties, clients: Clients) -> None:
    user, _policy = id_.split("|")
    run_unless_gone(clients, f"ALTER USER {user} UNSET AUTHENTICATION POLICY")


USER_AUTHENTICATION_POLICY_ATTACHMENT = StatementKind(
    type="snowflake:index/userAuthenticationPolicyAttachment:UserAuthenticationPolicyAttachment",
    rules=Rules.of(
        "userName",
        forms={"authenticationPolicyName": IN_SCHEMA},
        preview_feature="snowflake_user_authentication_policy_attachment_resource",
    ),
    inputs=frozenset({"userName", "authenticationPolicyName"}),
    make=_attach,
    look=_attached,
    change=_attach_another,
    remove=_detach,
)
KINDS = (AUTHENTICATION_POLICY, NETWORK_POLICY, USER_AUTHENTICATION_POLICY_ATTACHMENT)
