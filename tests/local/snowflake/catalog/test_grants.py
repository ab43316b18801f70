"""Tests of who may do what, through which roles."""

from datetime import UTC, datetime

import pytest

from firnline_local.snowflake.catalog import (
    AuthenticationFailed,
    Catalog,
    CatalogObject,
    Database,
    Role,
    Schema,
    User,
)
from firnline_local.snowflake.catalog.grants import FutureGrant, Grant, RoleGrant

NOW = datetime(2026, 1, 1, tzinfo=UTC)


@pytest.fixture
def database(catalog: Catalog) -> Database:
    owner = role(catalog, "OWNER")
    return catalog.directory.create(Database, "DB", container=catalog.account, owner=owner)


def role(catalog: Catalog, name: str) -> Role:
    return catalog.directory.create(Role, name, container=catalog.account, owner=None)


def allow(catalog: Catalog, privilege: str, on: CatalogObject, to: Role, *, grant_option: bool = False) -> None:
    catalog.grants.allow(
        Grant(privilege=privilege, on=on, to=to, grant_option=grant_option, granted_by="", created_on=NOW)
    )


def give(catalog: Catalog, held: Role, to: Role | User) -> None:
    catalog.grants.give_role(RoleGrant(role=held, to=to, granted_by="", created_on=NOW))


def test_an_owner_has_every_privilege_and_a_stranger_none(catalog: Catalog, database: Database) -> None:
    stranger = role(catalog, "STRANGER")

    assert catalog.has_privilege("OWNER", "USAGE", database)
    assert catalog.has_privilege("OWNER", "OWNERSHIP", database)
    assert not catalog.has_privilege(stranger, "USAGE", database)
    assert not catalog.sees(stranger, database)


def test_a_privilege_reaches_the_roles_above(catalog: Catalog, database: Database) -> None:
    low, middle, high = (role(catalog, name) for name in ("LOW", "MIDDLE", "HIGH"))
    give(catalog, low, middle)
    give(catalog, middle, high)
    allow(catalog, "USAGE", database, low)

    assert catalog.has_privilege(high, "USAGE", database)
    assert not catalog.has_privilege(high, "MODIFY", database)
    catalog.grants.take_role(middle, high)
    assert not catalog.has_privilege(high, "USAGE", database)


def test_what_public_may_everybody_may(catalog: Catalog, database: Database) -> None:
    stranger = role(catalog, "STRANGER")
    public = next(found for found in catalog.account.walk() if isinstance(found, Role) and found.name == "PUBLIC")
    allow(catalog, "USAGE", database, public)

    assert catalog.has_privilege(stranger, "USAGE", database)


def test_accountadmin_may_everything_also_through_another_role(catalog: Catalog, database: Database) -> None:
    assert catalog.has_privilege("ACCOUNTADMIN", "OWNERSHIP", database)
    assert not catalog.has_privilege("SYSADMIN", "USAGE", database)


def test_one_privilege_may_imply_another(catalog: Catalog, database: Database) -> None:
    operator = role(catalog, "OPERATOR")
    allow(catalog, "OPERATE", database, operator)

    assert catalog.has_privilege(operator, "MONITOR", database)
    allow(catalog, "MONITOR", database, role(catalog, "WATCHER"))
    assert not catalog.has_privilege("WATCHER", "OPERATE", database)


def test_what_lies_in_something_unseen_is_unseen_too(catalog: Catalog, database: Database) -> None:
    reader = role(catalog, "READER")
    schema = database.schema("PUBLIC")
    assert isinstance(schema, Schema)
    allow(catalog, "USAGE", schema, reader)

    assert not catalog.sees(reader, schema)
    allow(catalog, "USAGE", database, reader)
    assert catalog.sees(reader, schema)


def test_granting_is_for_owners_for_those_with_the_option_and_for_who_manages_grants(
    catalog: Catalog, database: Database
) -> None:
    plain, able = role(catalog, "PLAIN"), role(catalog, "ABLE")
    allow(catalog, "USAGE", database, plain)
    allow(catalog, "USAGE", database, able, grant_option=True)
    manager = catalog.session_role(_admin(catalog), "SECURITYADMIN")

    may = catalog.grants.may_grant
    assert not may(plain, "USAGE", database)
    assert may(able, "USAGE", database)
    assert not may(able, "MODIFY", database)
    assert may(manager, "MODIFY", database)


def test_a_future_grant_comes_with_every_new_object_of_its_kind(catalog: Catalog, database: Database) -> None:
    reader = role(catalog, "READER")
    catalog.grants.allow_future(
        FutureGrant(privilege="USAGE", kind=Schema.kind, inside=database, to=reader, grant_option=False, created_on=NOW)
    )
    made = catalog.directory.create(Schema, "RAW", container=database, owner=None)

    assert catalog.has_privilege(reader, "USAGE", made)
    assert not catalog.has_privilege(reader, "USAGE", database.of_kind(Schema.kind)["PUBLIC"])


def test_a_session_begins_in_the_requested_role_or_the_default_one(catalog: Catalog) -> None:
    admin = _admin(catalog)

    assert catalog.session_role(admin).name == "ACCOUNTADMIN"
    assert catalog.session_role(admin, "USERADMIN").name == "USERADMIN"  # held through SECURITYADMIN
    assert catalog.session_role(admin, "PUBLIC").name == "PUBLIC"


@pytest.mark.parametrize("requested", ["NOBODYS", "STRANGER"])
def test_a_role_that_the_user_does_not_hold_is_refused_like_one_that_is_not_there(
    catalog: Catalog, requested: str
) -> None:
    role(catalog, "STRANGER")

    with pytest.raises(AuthenticationFailed, match=f"Role '{requested}' specified in the connect string") as caught:
        catalog.session_role(_admin(catalog), requested)
    assert caught.value.code == "390189"


def _admin(catalog: Catalog) -> User:
    return next(found for found in catalog.account.walk() if isinstance(found, User))
