from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.bootstrap.snowflake import account_privileges, statements
from firnline_infra.specification import EnvironmentSpec


def test_the_role_has_the_privileges_that_the_specification_needs(
    prod_spec: EnvironmentSpec, small_spec: EnvironmentSpec
) -> None:
    assert list(account_privileges(blueprint_of(small_spec))) == ["CREATE DATABASE", "CREATE ROLE", "CREATE USER"]
    assert list(account_privileges(blueprint_of(prod_spec))) == [
        "CREATE DATABASE",
        "CREATE ROLE",
        "CREATE USER",
        "CREATE NETWORK POLICY",
        "APPLY AUTHENTICATION POLICY",
        "CREATE EXTERNAL VOLUME",
        "CREATE WAREHOUSE",
    ]


def test_no_administrator_is_granted_to_it(prod_spec: EnvironmentSpec) -> None:
    text = statements(prod_spec, blueprint_of(prod_spec))
    granted = [line for line in text.splitlines() if line.startswith("GRANT ROLE")]
    assert granted
    assert sorted(line.partition(";")[0] for line in granted) == [
        'GRANT ROLE "FIRNLINE_PROD_DEPLOY" TO ROLE SYSADMIN',
        'GRANT ROLE "FIRNLINE_PROD_DEPLOY" TO USER "FIRNLINE_PROD_DEPLOY"',
        'GRANT ROLE "FIRNLINE_PROD_PREVIEW" TO USER "FIRNLINE_PROD_PREVIEW"',
    ]
    assert "MANAGE GRANTS" not in text


def test_nothing_secret_is_asked_for(prod_spec: EnvironmentSpec) -> None:
    text = statements(prod_spec, blueprint_of(prod_spec))
    assert "PASSWORD" not in text
    assert "<the public half, without its first and last line>" in text
