"""Users and the rotation of their keys; network and authentication policies: who may make them, whom they keep out."""

import pytest
from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from firnline_local.snowflake.catalog import AuthenticationFailed
from firnline_local.snowflake.catalog.authentication import check_admission
from firnline_local.snowflake.catalog.users import PublicKey


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
        ("TYPE = SERVICE PASSWORD = 'secret'", "Cannot set PASSWORD"),
        ("TYPE = ROBOT", "invalid value 'ROBOT'"),
        ("TYPE = SERVICE FIRST_NAME = 'x'", "Cannot set FIRST_NAME"),
    ],
)
def test_what_a_user_can_not_be_is_refused(sql, definition: str, message: str) -> None:
    assert message in sql.refusal(f"CREATE USER svc {definition}").message
    assert sql.table("SHOW USERS LIKE 'svc'") == []


def test_further_logins_of_a_user_are_listed(sql) -> None:
    sql.run("CREATE USER u", "ALTER USER u SET PASSWORD = 'x'", "ALTER USER u ADD PROGRAMMATIC ACCESS TOKEN spare")
    sql.run("ALTER USER u SET WORKLOAD_IDENTITY = (TYPE = AWS ARN = 'arn:aws:iam::1:role/r')")
    has = ("has_password", "has_pat", "has_workload_identity")
    assert [str(sql.table("SHOW USERS LIKE 'u'")[0][each]).lower() for each in has] == ["true"] * 3
    sql.run("ALTER USER u UNSET PASSWORD", "ALTER USER u REMOVE PROGRAMMATIC ACCESS TOKEN spare")
    sql.run("ALTER USER u UNSET WORKLOAD_IDENTITY")
    assert [str(sql.table("SHOW USERS LIKE 'u'")[0][each]).lower() for each in has] == ["false"] * 3


ADD = "ALTER USER svc ADD PROGRAMMATIC ACCESS TOKEN spare"


@pytest.mark.parametrize(
    ("ground", "options", "message"),
    [
        ("GRANT ROLE r TO USER svc", "", "ROLE_RESTRICTION is required"),
        ("CREATE ROLE other", "ROLE_RESTRICTION = 'OTHER'", "Role OTHER is not granted to user SVC"),
        ("GRANT ROLE r TO USER svc", "ROLE_RESTRICTION = 'NOWHERE'", "does not exist"),
        ("ALTER USER svc UNSET NETWORK_POLICY", "ROLE_RESTRICTION = 'R'", "A network policy is required"),
    ],
)
def test_a_service_user_holds_a_token_for_a_role_of_its_own_behind_a_network_policy(
    sql, ground: str, options: str, message: str
) -> None:
    sql.run("CREATE USER svc TYPE = SERVICE", "CREATE ROLE r", "GRANT ROLE r TO USER svc")
    sql.run("CREATE NETWORK POLICY p ALLOWED_IP_LIST = ('127.0.0.1')", "ALTER USER svc SET NETWORK_POLICY = p", ground)
    assert message in sql.refusal(f"{ADD} {options}").message
    sql.run("ALTER USER svc SET NETWORK_POLICY = p", f"{ADD} ROLE_RESTRICTION = 'R' DAYS_TO_EXPIRY = 3")
    assert "already exists" in sql.refusal(f"{ADD} ROLE_RESTRICTION = 'R'").message
    sql(f"{ADD.replace('spare', 'IF NOT EXISTS spare')} ROLE_RESTRICTION = 'R'")
    sql("ALTER USER svc REMOVE PAT spare")
    assert "does not exist" in sql.refusal("ALTER USER svc REMOVE PAT spare").message
    sql("ALTER USER svc REMOVE PAT IF EXISTS spare")


def test_a_password_is_obfuscated_and_has_no_flag_of_its_own(sql) -> None:
    sql.run("CREATE USER u", "ALTER USER u SET PASSWORD = 'x'")
    assert properties(sql, "u")["PASSWORD"] == "********"
    sql("ALTER USER u UNSET PASSWORD")
    found = properties(sql, "u")
    assert (found["PASSWORD"], "HAS_PASSWORD" in found) == ("null", False)


def test_a_dropped_user_takes_their_roles_with_them(sql) -> None:
    sql.run("CREATE USER u", "CREATE ROLE r", "GRANT ROLE r TO USER u")
    assert [row["grantee_name"] for row in sql.table("SHOW GRANTS OF ROLE r")] == ["U"]

    sql("DROP USER u")
    assert sql.table("SHOW GRANTS OF ROLE r") == []


@pytest.fixture
def account(sql):
    sql.run(
        "CREATE USER svc TYPE = SERVICE",
        "CREATE ROLE r",
        "GRANT USAGE ON DATABASE db TO ROLE r",
        "GRANT USAGE ON SCHEMA public TO ROLE r",
    )
    return sql


def refusal_code(sql) -> str | None:
    (user,) = [found for found in sql.catalog.account.walk() if found.name == "SVC"]
    try:
        check_admission(user, sql.catalog.directory)
    except AuthenticationFailed as error:
        return error.code
    return None


def test_a_network_policy_without_loopback_keeps_its_user_out(account) -> None:
    account.run("CREATE NETWORK POLICY p ALLOWED_IP_LIST = ('10.0.0.0/8')", "ALTER USER svc SET NETWORK_POLICY = p")
    assert refusal_code(account) == "390422"
    account("CREATE NETWORK RULE here TYPE = IPV4 MODE = INGRESS VALUE_LIST = ('127.0.0.1')")
    account("ALTER NETWORK POLICY p SET ALLOWED_NETWORK_RULE_LIST = (db.public.here)")
    assert refusal_code(account) is None
    account("ALTER NETWORK POLICY p SET BLOCKED_IP_LIST = ('127.0.0.1')")
    assert refusal_code(account) == "390422"
    account("ALTER USER svc UNSET NETWORK_POLICY")
    assert refusal_code(account) is None


def test_a_renamed_policy_is_still_the_user_s(account) -> None:
    account.run("CREATE NETWORK POLICY p ALLOWED_IP_LIST = ('10.0.0.0/8')", "ALTER USER svc SET NETWORK_POLICY = p")
    account('ALTER NETWORK POLICY p RENAME TO "q r"')
    assert refusal_code(account) == "390422"
    assert account.table("SHOW PARAMETERS LIKE 'NETWORK_POLICY' IN USER svc")[0]["value"] == '"q r"'


def test_an_authentication_policy_without_key_pairs_keeps_its_user_out(account) -> None:
    account.run(
        "CREATE AUTHENTICATION POLICY ap AUTHENTICATION_METHODS = ('OAUTH')",
        "ALTER USER svc SET AUTHENTICATION POLICY ap",
    )
    assert refusal_code(account) == "390202"
    account("ALTER AUTHENTICATION POLICY ap SET AUTHENTICATION_METHODS = ('KEYPAIR', 'OAUTH')")
    assert refusal_code(account) is None


def test_a_policy_that_somebody_is_under_can_t_be_dropped(account) -> None:
    account.run("CREATE NETWORK POLICY p", "ALTER USER svc SET NETWORK_POLICY = p")
    account.run("CREATE AUTHENTICATION POLICY ap", "ALTER USER svc SET AUTHENTICATION POLICY ap")
    for dropped in ("NETWORK POLICY p", "AUTHENTICATION POLICY ap"):
        assert account.refusal(f"DROP {dropped}").code == "001492"
    account.run("ALTER USER svc UNSET NETWORK_POLICY", "ALTER USER svc UNSET AUTHENTICATION POLICY")
    account.run("DROP NETWORK POLICY p", "DROP AUTHENTICATION POLICY ap")


def test_a_second_authentication_policy_needs_force(account) -> None:
    account.run("CREATE AUTHENTICATION POLICY a", "CREATE AUTHENTICATION POLICY b")
    account("ALTER USER svc SET AUTHENTICATION POLICY a")
    assert "already has" in account.refusal("ALTER USER svc SET AUTHENTICATION POLICY b").message
    account("ALTER USER svc SET AUTHENTICATION POLICY b FORCE")
    (row,) = account.table(
        "SELECT * FROM TABLE(INFORMATION_SCHEMA.POLICY_REFERENCES(REF_ENTITY_NAME => 'svc', REF_ENTITY_DOMAIN => 'user'))"
    )
    assert (row["POLICY_DB"], row["POLICY_NAME"], row["REF_ENTITY_NAME"]) == ("DB", "B", "SVC")


def test_who_neither_owns_nor_applies_a_policy_is_told_of_no_reference_to_it(account) -> None:
    account.run("CREATE AUTHENTICATION POLICY a", "ALTER USER svc SET AUTHENTICATION POLICY a", "CREATE ROLE looker")
    account.run("CREATE WAREHOUSE w WAREHOUSE_SIZE = 'XSMALL'", "GRANT USAGE ON WAREHOUSE w TO ROLE looker")
    account.run("GRANT MONITOR ON USER svc TO ROLE looker", "GRANT USAGE ON DATABASE db TO ROLE looker")
    references = "INFORMATION_SCHEMA.POLICY_REFERENCES(REF_ENTITY_NAME => 'svc', REF_ENTITY_DOMAIN => 'user')"
    looker = account.as_role("LOOKER")
    looker("USE WAREHOUSE w")
    assert looker.table(f"SELECT * FROM TABLE(SNOWFLAKE.{references})") == []

    account("GRANT APPLY AUTHENTICATION POLICY ON USER svc TO ROLE looker")
    assert len(looker.table(f"SELECT * FROM TABLE(SNOWFLAKE.{references})")) == 1


@pytest.mark.parametrize(
    ("privilege", "on", "statement"),
    [
        ("CREATE NETWORK POLICY", "ACCOUNT", "CREATE NETWORK POLICY p"),
        ("CREATE EXTERNAL VOLUME", "ACCOUNT", "CREATE EXTERNAL VOLUME v STORAGE_LOCATIONS = ((NAME = 'l' "
         "STORAGE_PROVIDER = 'S3' STORAGE_BASE_URL = 's3://b/' STORAGE_AWS_ROLE_ARN = 'r'))"),
        ("CREATE NETWORK RULE", "SCHEMA db.public", "CREATE NETWORK RULE db.public.n TYPE = IPV4 VALUE_LIST = ('1.2.3.4')"),
        ("CREATE AUTHENTICATION POLICY", "SCHEMA db.public", "CREATE AUTHENTICATION POLICY db.public.ap"),
        ("CREATE INTERACTIVE TABLE", "SCHEMA db.public",
         "CREATE INTERACTIVE TABLE db.public.i (a VARCHAR) CLUSTER BY (a)"),
    ],
)  # fmt: skip # a paragraph, not a column
def test_making_each_needs_its_own_privilege(account, privilege: str, on: str, statement: str) -> None:
    maker = account.as_role("R")
    refused = maker.refusal(statement)
    assert (refused.code, "Insufficient privileges to operate on" in refused.message) == ("003001", True)
    account(f"GRANT {privilege} ON {on} TO ROLE r")
    maker(statement)


def test_a_user_is_put_under_policies_by_whoever_owns_the_one_and_may_apply_the_other(account) -> None:
    account.run("CREATE NETWORK POLICY p", "CREATE AUTHENTICATION POLICY ap", "GRANT OWNERSHIP ON USER svc TO ROLE r")
    role = account.as_role("R")
    assert role.refusal("ALTER USER svc SET NETWORK_POLICY = p").code == "002003"
    account("GRANT OWNERSHIP ON NETWORK POLICY p TO ROLE r")
    role("ALTER USER svc SET NETWORK_POLICY = p")

    account("GRANT OWNERSHIP ON USER svc TO ROLE ACCOUNTADMIN")
    account("GRANT OWNERSHIP ON AUTHENTICATION POLICY ap TO ROLE r")
    account("GRANT MONITOR ON USER svc TO ROLE r")
    assert role.refusal("ALTER USER svc SET AUTHENTICATION POLICY db.public.ap").code == "003001"
    account("GRANT APPLY AUTHENTICATION POLICY ON ACCOUNT TO ROLE r")
    role("ALTER USER svc SET AUTHENTICATION POLICY db.public.ap")


def test_values_that_make_no_sense_are_refused(account) -> None:
    for statement in (
        "CREATE NETWORK POLICY p ALLOWED_IP_LIST = ('300.0.0.1')",
        "CREATE AUTHENTICATION POLICY ap AUTHENTICATION_METHODS = ('TELEPATHY')",
        "CREATE NETWORK RULE n TYPE = IPV5 VALUE_LIST = ('1.2.3.4')",
        "ALTER USER svc SET NETWORK_POLICY = nobody",
    ):
        account.refusal(statement)


def test_without_ownership_show_users_names_a_user_and_monitor_describes_it(sql) -> None:
    """By the pages of SHOW USERS and of the privileges."""
    sql.run("CREATE USER svc TYPE = SERVICE", "CREATE ROLE looks", "GRANT ROLE looks TO ROLE ACCOUNTADMIN")
    sql.run("GRANT APPLY AUTHENTICATION POLICY ON USER svc TO ROLE looks", "USE ROLE looks")
    (row,) = sql.table("SHOW USERS LIKE 'svc'")
    assert {name for name, value in row.items() if value is not None} == {"name"}
    assert sql.refusal("DESC USER svc").code == "003001"
    sql.run("USE ROLE ACCOUNTADMIN", "GRANT MONITOR ON USER svc TO ROLE looks", "USE ROLE looks")
    assert properties(sql, "svc")["TYPE"] == "SERVICE"
    (row,) = sql.table("SHOW USERS LIKE 'svc'")
    assert row["created_on"] is None
    sql.run("USE ROLE ACCOUNTADMIN", "GRANT MANAGE GRANTS ON ACCOUNT TO ROLE looks", "USE ROLE looks")
    (row,) = sql.table("SHOW USERS LIKE 'svc'")
    assert row["owner"] == "ACCOUNTADMIN"
