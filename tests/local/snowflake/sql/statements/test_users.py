"""Users and the rotation of their keys."""

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.snowflake.catalog.keys import PublicKey


def body(key: RSAPrivateKey) -> str:
    pem = key.public_key().public_bytes(Encoding.PEM, PublicFormat.SubjectPublicKeyInfo).decode()
    return "".join(pem.splitlines()[1:-1])


def properties(sql, user: str) -> dict[str, str | None]:
    return {str(row["property"]): row["value"] for row in sql.table(f"DESC USER {user}")}


def test_a_service_user_has_what_it_was_made_with(sql, admin_key) -> None:
    sql("CREATE NETWORK POLICY p")
    sql(
        f"CREATE USER svc TYPE = SERVICE RSA_PUBLIC_KEY = '{body(admin_key)}' DEFAULT_ROLE = \"R\" DEFAULT_WAREHOUSE = w "
        "DEFAULT_NAMESPACE = db.public DEFAULT_SECONDARY_ROLES = () COMMENT = 'c' NETWORK_POLICY = \"P\" DISABLED = false"
    )
    (shown,) = sql.table("SHOW USERS LIKE 'svc'")
    found = properties(sql, "svc")

    assert [shown[key] for key in ("type", "default_role", "has_rsa_public_key", "disabled", "default_namespace")] == [
        "SERVICE",
        "R",
        "true",
        "false",
        "DB.PUBLIC",
    ]
    assert (found["RSA_PUBLIC_KEY"], found["RSA_PUBLIC_KEY_2"]) == (body(admin_key), "null")
    assert found["RSA_PUBLIC_KEY_FP"] == PublicKey.read(body(admin_key)).fingerprint
    (policy,) = sql.table("SHOW PARAMETERS LIKE 'NETWORK_POLICY' IN USER svc")
    assert (policy["value"], policy["level"]) == ("P", "USER")


def test_keys_are_rotated_slot_by_slot(sql, admin_key, other_key) -> None:
    sql(f"CREATE USER svc TYPE = SERVICE RSA_PUBLIC_KEY = '{body(admin_key)}'")
    sql(f"ALTER USER svc SET RSA_PUBLIC_KEY_2 = '{body(other_key)}'")
    found = properties(sql, "svc")
    assert found["RSA_PUBLIC_KEY_2_FP"] == PublicKey.read(body(other_key)).fingerprint

    sql("ALTER USER svc UNSET RSA_PUBLIC_KEY")
    left = properties(sql, "svc")
    assert (left["RSA_PUBLIC_KEY_FP"], left["RSA_PUBLIC_KEY_2_FP"]) == ("null", found["RSA_PUBLIC_KEY_2_FP"])


def test_rotating_keys_may_be_granted_apart_from_ownership(sql, other_key) -> None:
    sql.run("CREATE ROLE rotator", "CREATE USER svc TYPE = SERVICE")
    sql("GRANT MODIFY PROGRAMMATIC AUTHENTICATION METHODS ON USER svc TO ROLE rotator")
    rotator = sql.as_role("ROTATOR")
    rotator(f"ALTER USER svc SET RSA_PUBLIC_KEY = '{body(other_key)}'")

    assert rotator.refusal("ALTER USER svc SET COMMENT = 'mine'").code == "003001"
    assert rotator.refusal("DROP USER svc").code == "003001"


@pytest.mark.parametrize(
    ("definition", "message"),
    [
        ("RSA_PUBLIC_KEY = 'nonsense'", "Invalid public key"),
        ("PASSWORD = 'secret'", "the property PASSWORD of USER"),
        ("TYPE = ROBOT", "invalid value 'ROBOT'"),
        ("TYPE = SERVICE FIRST_NAME = 'x'", "Cannot set FIRST_NAME"),
    ],
)
def test_what_a_user_can_not_be_is_refused(sql, definition: str, message: str) -> None:
    assert message in sql.refusal(f"CREATE USER svc {definition}").message
    assert sql.table("SHOW USERS LIKE 'svc'") == []


def test_a_dropped_user_takes_their_roles_with_them(sql) -> None:
    sql.run("CREATE USER u", "CREATE ROLE r", "GRANT ROLE r TO USER u")
    assert [row["grantee_name"] for row in sql.table("SHOW GRANTS OF ROLE r")] == ["U"]

    sql("DROP USER u")
    assert sql.table("SHOW GRANTS OF ROLE r") == []
