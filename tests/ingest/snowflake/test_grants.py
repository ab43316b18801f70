"""Tests of what a role's grants tell of a privilege that is missing."""

import pytest

from firnline_ingest.permissions.snowflake import Need, required_privileges
from firnline_ingest.snowflake.grants import RoleGrants, WantedPrivilege, grant_statements
from firnline_ingest.snowflake.target_errors import GrantMissing, TableMissing

TABLE = ("LAKE", "raw", "My table")
INSERT = WantedPrivilege("INSERT", "TABLE", TABLE)


def row(privilege: str, on: str, name: str) -> dict[str, str]:
    return {"privilege": privilege, "granted_on": on, "name": name}


def grants(*rows: dict[str, str]) -> RoleGrants:
    found = RoleGrants.read([row("USAGE", "DATABASE", "LAKE"), *rows])
    assert found is not None
    return found


@pytest.mark.parametrize("name", ['LAKE."raw"."My table"', "LAKE.raw.My table", '"LAKE"."raw"."My table"'])
def test_a_privilege_is_found_however_its_object_is_written(name: str) -> None:
    assert grants(row("INSERT", "TABLE", name)).lacking([INSERT]) == []


def test_one_that_is_not_listed_is_lacking() -> None:
    assert grants(row("EVOLVE SCHEMA", "TABLE", 'LAKE."raw"."My table"')).lacking([INSERT]) == [INSERT]


def test_the_same_privilege_on_another_object_or_kind_does_not_count() -> None:
    found = grants(row("INSERT", "TABLE", 'LAKE."raw".OTHER'), row("USAGE", "SCHEMA", 'LAKE."raw"'))
    assert found.lacks(INSERT)
    assert found.lacks(WantedPrivilege("USAGE", "EXTERNAL VOLUME", ("LAKE",)))
    assert not found.lacks(WantedPrivilege("USAGE", "DATABASE", ("LAKE",)))


def test_an_owner_lacks_nothing() -> None:
    assert not grants(row("OWNERSHIP", "TABLE", 'LAKE."raw"."My table"')).lacks(INSERT)


def test_an_iceberg_table_is_a_table() -> None:
    assert not grants(row("INSERT", "ICEBERG_TABLE", 'LAKE."raw"."My table"')).lacks(INSERT)


@pytest.mark.parametrize("kind", ["VOLUME", "EXTERNAL_VOLUME"])
def test_an_external_volume_is_a_volume(kind: str) -> None:
    wanted = WantedPrivilege("USAGE", "EXTERNAL VOLUME", ("V",))
    assert not grants(row("USAGE", kind, "V")).lacks(wanted)
    assert wanted.grant("LOADER") == "GRANT USAGE ON EXTERNAL VOLUME V TO ROLE LOADER;"


@pytest.mark.parametrize("rows", [[], [row("USAGE", "ROLE", "LOADERS")], [row("USAGE", "DATABASE_ROLE", "LAKE.R")]])
def test_nothing_is_said_where_the_grants_do_not_tell_everything(rows: list[dict[str, str]]) -> None:
    assert RoleGrants.read(rows) is None


def test_a_grant_can_be_pasted_as_it_stands() -> None:
    wanted = [WantedPrivilege("USAGE", "SCHEMA", ("LAKE", "raw")), INSERT]
    assert grant_statements(wanted, '"Loader role"') == (
        'GRANT USAGE ON SCHEMA LAKE."raw" TO ROLE "Loader role"; '
        'GRANT INSERT ON TABLE LAKE."raw"."My table" TO ROLE "Loader role";'
    )


def test_the_errors_name_privilege_object_and_role_and_only_what_is_missing() -> None:
    error = GrantMissing('LAKE."raw"."My table"', "LOADER", [INSERT])
    assert 'it lacks INSERT on table LAKE."raw"."My table"' in error.what
    assert "LOADER" in error.what
    assert 'GRANT INSERT ON TABLE LAKE."raw"."My table" TO ROLE LOADER;' in error.next_step
    assert "it lacks" not in TableMissing("T", "LOADER").what


def test_what_is_always_needed_is_database_schema_and_table() -> None:
    assert [(one.privilege, one.on) for one in required_privileges()] == [
        ("USAGE", "DATABASE"),
        ("USAGE", "SCHEMA"),
        ("INSERT", "TABLE"),
    ]
    assert ("OPERATE", "PIPE") in [(one.privilege, one.on) for one in required_privileges(Need.CUSTOM_PIPE)]
