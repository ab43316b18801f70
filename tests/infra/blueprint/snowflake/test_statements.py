import pytest

from firnline_infra.blueprint.snowflake import Database, PrivilegeGrant, Role, RoleGrant, Schema, Securable, Table, User
from firnline_infra.spec.identifier import Identifier, QualifiedName

TABLE = Table(
    name=QualifiedName.of("LAKE", "RAW", '"Orders"'),
    metadata_column=Identifier("KINESISMETADATA"),
    schema_evolution=True,
    error_logging=True,
    row_timestamp=True,
)


@pytest.mark.parametrize(
    ("definition", "statement"),
    [
        (Database(name=Identifier("LAKE")), 'DROP DATABASE IF EXISTS "LAKE"'),
        (Schema(name=QualifiedName.of("LAKE", "RAW")), 'DROP SCHEMA IF EXISTS "LAKE"."RAW"'),
        (TABLE, 'DROP TABLE IF EXISTS "LAKE"."RAW"."Orders"'),
        (Role(name=Identifier("R")), 'DROP ROLE IF EXISTS "R"'),
        (RoleGrant(role=Identifier("R"), user=Identifier("U")), 'REVOKE ROLE "R" FROM USER "U"'),
        (
            PrivilegeGrant(
                privileges=("INSERT", "EVOLVE SCHEMA"), on=Securable.TABLE, name=TABLE.name, role=Identifier("R")
            ),
            'REVOKE INSERT, EVOLVE SCHEMA ON TABLE "LAKE"."RAW"."Orders" FROM ROLE "R"',
        ),
    ],
)
def test_each_object_says_how_it_is_removed(definition: Table, statement: str) -> None:
    assert definition.drop == statement


def user(**keys: str | None) -> User:
    places = {"public_key": None, "public_key_2": None, **keys}
    return User(name=Identifier("U"), default_role=Identifier("R"), **places)


def test_a_user_takes_two_keys_so_that_one_can_be_replaced() -> None:
    both = user(public_key="AAAA", public_key_2="BBBB")
    assert both.set_keys == """ALTER USER "U" SET RSA_PUBLIC_KEY = 'AAAA' RSA_PUBLIC_KEY_2 = 'BBBB'"""
    assert both.unset_keys is None


def test_a_user_begins_in_its_warehouse_where_it_has_one() -> None:
    reader = User(
        name=Identifier("U"),
        default_role=Identifier("R"),
        default_warehouse=Identifier("W"),
        public_key=None,
        public_key_2=None,
    )
    assert reader.create == 'CREATE USER IF NOT EXISTS "U" TYPE = SERVICE DEFAULT_ROLE = "R" DEFAULT_WAREHOUSE = "W"'


def test_a_place_without_a_key_is_emptied() -> None:
    second = user(public_key_2="BBBB")
    assert second.set_keys == """ALTER USER "U" SET RSA_PUBLIC_KEY_2 = 'BBBB'"""
    assert second.unset_keys == 'ALTER USER "U" UNSET RSA_PUBLIC_KEY'
    assert user().set_keys is None
    assert user().unset_keys == 'ALTER USER "U" UNSET RSA_PUBLIC_KEY, RSA_PUBLIC_KEY_2'
