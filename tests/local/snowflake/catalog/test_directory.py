"""Objects come, go, come back and change their names, with everything that is inside them."""

import pytest

from firnline_local.snowflake.catalog import Catalog, Column, Database, DataType, Role, Schema, Table, kinds
from firnline_local.snowflake.catalog.errors import AlreadyExists, DoesNotExist
from firnline_local.snowflake.catalog.tables import Pipe


@pytest.fixture
def schema(catalog: Catalog) -> Schema:
    database = catalog.directory.create(Database, "DB", container=catalog.account, owner=None)
    schema = database.schema("PUBLIC")
    assert schema is not None
    return schema


def table(catalog: Catalog, schema: Schema, name: str = "T", *, replace: bool = False) -> Table:
    columns = [Column(name="ID", type=DataType.parse("NUMBER"))]
    return catalog.directory.create(Table, name, container=schema, owner=None, replace=replace, columns=columns)


def test_a_database_is_born_with_its_public_schema(catalog: Catalog, schema: Schema) -> None:
    assert catalog.directory.find(kinds.SCHEMA, ("DB", "PUBLIC")) is schema
    assert schema.full_name == "DB.PUBLIC"


def test_two_objects_of_a_kind_and_name_are_refused(catalog: Catalog, schema: Schema) -> None:
    table(catalog, schema)

    with pytest.raises(AlreadyExists, match=r"DB\.PUBLIC\.T"):
        table(catalog, schema)


def test_a_replaced_table_is_another_one_and_the_old_one_can_come_back(catalog: Catalog, schema: Schema) -> None:
    old = table(catalog, schema)
    catalog.insert_rows(old, [{"ID": 1}], committed_at=catalog.clock())
    new = table(catalog, schema, replace=True)

    assert new.id != old.id
    assert (old.is_live, new.is_live) == (False, True)
    assert catalog.store.count_rows(new) == 0
    catalog.directory.rename(new, "NEW")
    assert catalog.directory.undrop(kinds.TABLE, schema, "T") is old
    assert catalog.store.count_rows(old) == 1


def test_undrop_brings_back_the_last_one_and_refuses_where_the_name_is_taken(catalog: Catalog, schema: Schema) -> None:
    for _ in range(2):
        last = table(catalog, schema)
        catalog.directory.drop(last)

    assert catalog.directory.undrop(kinds.TABLE, schema, "T") is last
    with pytest.raises(AlreadyExists):
        catalog.directory.undrop(kinds.TABLE, schema, "T")
    with pytest.raises(DoesNotExist):
        catalog.directory.undrop(kinds.TABLE, schema, "NEVER")


def test_a_renamed_database_takes_everything_along(catalog: Catalog, schema: Schema) -> None:
    found = table(catalog, schema)
    catalog.directory.rename(schema.database, "NEW")

    assert found.full_name == "NEW.PUBLIC.T"
    assert catalog.directory.find(kinds.TABLE, ("NEW", "PUBLIC", "T")) is found
    assert catalog.directory.find(kinds.TABLE, ("DB", "PUBLIC", "T")) is None


def test_a_default_pipe_comes_to_exist_when_it_is_asked_for_and_ends_with_its_table(
    catalog: Catalog, schema: Schema
) -> None:
    found = table(catalog, schema)
    assert catalog.directory.pipes_in(schema) == []
    assert catalog.resolve_pipe("db", "public", "nope-streaming") is None

    pipe = catalog.resolve_pipe("db", "public", "t-streaming")
    assert pipe is not None
    assert (pipe.name, pipe.is_default, pipe.is_live) == ("T-STREAMING", True, True)
    assert catalog.resolve_pipe("DB", "PUBLIC", '"T-STREAMING"') is pipe
    assert catalog.directory.pipes_in(schema) == [pipe]
    catalog.directory.rename(found, "T2")
    assert pipe.full_name == 'DB.PUBLIC."T2-STREAMING"'

    catalog.directory.drop(found)
    assert not pipe.is_live
    assert catalog.resolve_pipe("db", "public", "t2-streaming") is None


def test_a_made_pipe_does_not_lead_into_a_table_that_replaced_its_own(catalog: Catalog, schema: Schema) -> None:
    found = table(catalog, schema)
    pipe = catalog.directory.create(Pipe, "P", container=schema, owner=None, table=found, definition="COPY …")
    assert catalog.resolve_pipe("db", "public", "p") is pipe

    table(catalog, schema, replace=True)
    assert catalog.resolve_pipe("db", "public", "p") is None
    assert catalog.directory.pipes_in(schema) == [pipe]


def test_what_a_dropped_role_owned_goes_to_its_heir(catalog: Catalog) -> None:
    owner, heir = (catalog.directory.create(Role, name, container=catalog.account, owner=None) for name in "AB")
    database = catalog.directory.create(Database, "DB", container=catalog.account, owner=owner)
    catalog.directory.drop(owner, heir=heir)

    assert database.owner is heir
