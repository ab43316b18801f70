"""Public keys, with and without their armour, and which addresses a network policy lets in."""

import json
from datetime import UTC, datetime

import pytest
from cryptography.hazmat.primitives.asymmetric import ec, rsa
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.snowflake.catalog import AuthenticationPolicy, NetworkPolicy, NetworkRule
from firnline_local.snowflake.catalog.users import InvalidPublicKey, PublicKey


def armoured(key: rsa.RSAPrivateKey | ec.EllipticCurvePrivateKey) -> str:
    return key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()


def test_a_key_is_the_same_with_its_armour_or_without(admin_key: rsa.RSAPrivateKey) -> None:
    whole = armoured(admin_key)
    body = "".join(whole.splitlines()[1:-1])

    assert PublicKey.read(body).fingerprint == PublicKey.read(whole).fingerprint
    assert PublicKey.read(body).text == body
    assert PublicKey.read(whole).fingerprint.startswith("SHA256:")
    assert PublicKey.read(whole).rsa.public_numbers() == admin_key.public_key().public_numbers()


def test_what_is_no_rsa_key_of_2048_bits_is_refused() -> None:
    weak = rsa.generate_private_key(65537, 1024)
    curve = ec.generate_private_key(ec.SECP256R1())

    for text, problem in (
        (armoured(weak), "1024 bits"),
        (armoured(curve), "RSA"),
        ("nonsense", "base64"),
        ("", "base64"),
    ):
        with pytest.raises(InvalidPublicKey, match=problem):
            PublicKey.read(text)


HERE = "127.0.0.1"
FIELDS = {"id": 1, "name": "P", "container": None, "owner": None, "created_on": datetime(2026, 1, 1, tzinfo=UTC)}
RULES = {
    "LOOPBACK": {"TYPE": "IPV4", "VALUE_LIST": '["127.0.0.0/8"]'},
    "EGRESS": {"TYPE": "IPV4", "MODE": "EGRESS", "VALUE_LIST": '["127.0.0.0/8"]'},
    "ENDPOINT": {"TYPE": "AWSVPCEID", "VALUE_LIST": '["vpce-1"]'},
}


def find_rule(name: str) -> NetworkRule | None:
    return NetworkRule(**FIELDS, properties=RULES[name]) if name in RULES else None


@pytest.mark.parametrize(
    ("lists", "is_promoted"),
    [
        ({}, True),
        ({"ALLOWED_IP_LIST": ["127.0.0.1"]}, True),
        ({"ALLOWED_IP_LIST": ["10.0.0.0/8"]}, False),
        ({"ALLOWED_IP_LIST": ["0.0.0.0/0"], "BLOCKED_IP_LIST": ["127.0.0.0/8"]}, False),
        ({"BLOCKED_IP_LIST": ["10.0.0.0/8"]}, True),
        ({"ALLOWED_NETWORK_RULE_LIST": ["LOOPBACK"]}, True),
        ({"ALLOWED_NETWORK_RULE_LIST": ["EGRESS", "ENDPOINT", "GONE"]}, False),
        ({"ALLOWED_IP_LIST": ["127.0.0.1"], "BLOCKED_NETWORK_RULE_LIST": ["LOOPBACK"]}, False),
    ],
)
def test_a_policy_allows_what_is_listed_and_not_blocked(lists: dict[str, list[str]], is_promoted: bool) -> None:
    policy = NetworkPolicy(**FIELDS, properties={key: json.dumps(value) for key, value in lists.items()})
    assert policy.allows(HERE, find_rule) is is_promoted


@pytest.mark.parametrize(
    ("methods", "allows"), [(None, True), (["ALL"], True), (["KEYPAIR"], True), (["OAUTH"], False)]
)
def test_an_authentication_policy_may_leave_out_key_pairs(methods: list[str] | None, allows: bool) -> None:
    properties = {"AUTHENTICATION_METHODS": json.dumps(methods)} if methods else {}
    assert AuthenticationPolicy(**FIELDS, properties=properties).allows_key_pairs is allows
