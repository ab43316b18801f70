"""Network policies, authentication policies, and the users that are under them."""

import pytest
from snowflake.connector.errors import ProgrammingError

from firnline_local.providers.snowflake.policies import (
    AUTHENTICATION_POLICY,
    NETWORK_POLICY,
    USER_AUTHENTICATION_POLICY_ATTACHMENT,
)
from firnline_local.providers.snowflake.principals import SERVICE_USER

IN_USE = 1492
POLICY = {"database": "PROVIDED_DB", "schema": "S", "name": "AP", "authenticationMethods": ["KEYPAIR"], "comment": "c"}


def test_a_network_policy_lives_and_repairs(live, clients) -> None:
    clients.execute(
        "CREATE NETWORK RULE PROVIDED_DB.S.R TYPE = IPV4 MODE = INGRESS VALUE_LIST = ('10.0.0.0/8') COMMENT = 'r'"
    )
    inputs = {
        "name": "M_POLICY",
        "comment": "c",
        "allowedIpLists": ["10.0.0.0/8", "192.168.0.0/16"],
        "blockedIpLists": ["10.1.0.0/16"],
        "allowedNetworkRuleLists": ['"PROVIDED_DB"."S"."R"'],
    }
    with live(NETWORK_POLICY, inputs) as policy:
        assert NETWORK_POLICY.read(policy.made.id, {}, clients) == policy.read()
        policy.drifts("ALTER NETWORK POLICY M_POLICY SET COMMENT = 'x'", comment="x")
        policy.drifts("ALTER NETWORK POLICY M_POLICY SET ALLOWED_IP_LIST = ('1.2.3.4')", allowedIpLists=["1.2.3.4"])
        policy.drifts("ALTER NETWORK POLICY M_POLICY UNSET BLOCKED_IP_LIST", blockedIpLists=None)
        policy.drifts("ALTER NETWORK POLICY M_POLICY UNSET ALLOWED_NETWORK_RULE_LIST", allowedNetworkRuleLists=None)
        assert policy.changes_to(name="m lower", blockedIpLists=None)["fullyQualifiedName"] == '"m lower"'
        with pytest.raises(ProgrammingError) as refused:
            clients.execute("DROP NETWORK RULE PROVIDED_DB.S.R")
        assert refused.value.errno == IN_USE
    clients.execute("DROP NETWORK RULE PROVIDED_DB.S.R")


def test_another_order_of_the_same_addresses_is_no_drift(live, clients) -> None:
    with live(NETWORK_POLICY, {"name": "M_POLICY", "allowedIpLists": ["10.0.0.0/8", "192.168.0.0/16"]}) as policy:
        before = policy.read()
        clients.execute("ALTER NETWORK POLICY M_POLICY SET ALLOWED_IP_LIST = ('192.168.0.0/16', '10.0.0.0/8')")
        assert policy.read() == before


def test_an_authentication_policy_lives_and_repairs(live, clients) -> None:
    with live(AUTHENTICATION_POLICY, POLICY) as policy:
        assert AUTHENTICATION_POLICY.read(policy.made.id, {}, clients) == policy.read()
        target = "AUTHENTICATION POLICY PROVIDED_DB.S.AP"
        policy.drifts(f"ALTER {target} SET COMMENT = 'x'", comment="x")
        policy.drifts(f"ALTER {target} SET CLIENT_TYPES = ('DRIVERS')", clientTypes=["DRIVERS"])
        policy.drifts(f"ALTER {target} UNSET AUTHENTICATION_METHODS", authenticationMethods=["ALL"])
        changed = policy.changes_to(name="AP2", clientTypes=["drivers"], comment=None)
        assert (changed["clientTypes"], changed["comment"]) == (["drivers"], "")


def test_a_user_is_put_under_policies_and_taken_out(live, clients) -> None:
    with (
        live(NETWORK_POLICY, {"name": "M_POLICY", "allowedIpLists": ["127.0.0.1"]}),
        live(AUTHENTICATION_POLICY, POLICY),
        live(AUTHENTICATION_POLICY, {**POLICY, "name": "AP2"}),
        live(SERVICE_USER, {"name": "M_USER", "networkPolicy": "M_POLICY"}) as user,
    ):
        user.drifts("ALTER USER M_USER UNSET NETWORK_POLICY", networkPolicy=None)
        attached = {"userName": "M_USER", "authenticationPolicyName": '"PROVIDED_DB"."S"."AP"'}
        with live(USER_AUTHENTICATION_POLICY_ATTACHMENT, attached, twice=None) as attachment:
            assert attachment.made.id == '"M_USER"|"PROVIDED_DB"."S"."AP"'
            second = '"PROVIDED_DB"."S"."AP2"'
            attachment.drifts(
                "ALTER USER M_USER SET AUTHENTICATION POLICY PROVIDED_DB.S.AP2 FORCE",
                authenticationPolicyName=second,
            )
        with pytest.raises(ProgrammingError) as refused:
            NETWORK_POLICY.delete("M_POLICY", {}, clients)
        assert refused.value.errno == IN_USE
