"""Rows go in whole or not at all, exactly as they are."""

from datetime import UTC, date, datetime, time, timedelta, timezone
from decimal import Decimal
from typing import Any

import pytest

from firnline_local.snowflake.catalog import (
    CaseClash,
    Catalog,
    Column,
    Database,
    DataFault,
    DataType,
    Default,
    ErrorRow,
    SqlError,
    Table,
)
from firnline_local.snowflake.catalog.errors import InvalidIdentifier
from firnline_local.snowflake.catalog.store import error_table_name, physical_name

NOW = datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.fixture
def database(catalog: Catalog) -> Database:
    return catalog.directory.create(Database, "DB", container=catalog.account, owner=None)


def table(catalog: Catalog, database: Database, *columns: Column, **more: Any) -> Table:
    return catalog.directory.create(
        Table, "T", container=database.schema("PUBLIC"), owner=None, columns=list(columns), **more
    )


def column(name: str, kind: str, **more: Any) -> Column:
    return Column(name=name, type=DataType.parse(kind), **more)


def stored(catalog: Catalog, found: Table, what: str = "*") -> list[Any]:
    with catalog.store.cursor() as cursor:
        return cursor.execute(f"SELECT {what} FROM {physical_name(found)}").fetchall()


VALUES = {
    "NUMBER": [10**38 - 1, -5, None],
    "NUMBER(38,2)": [Decimal("123456789012345678901234567890.12"), 7, None],
    "FLOAT": [1.5, 2, None],
    "VARCHAR": ["", "é'\n", None],
    "BOOLEAN": [True, False, None],
    "BINARY": [b"\x00\xff", b"", None],
    "DATE": [date(1, 1, 1), date(9999, 12, 31), None],
    "TIME": [time(23, 59, 59, 999999), time(0), None],
    "TIMESTAMP_NTZ": [datetime(9999, 12, 31, 23, 59, 59, 999999), datetime(1, 1, 1), None],
    "TIMESTAMP_LTZ": [NOW, datetime(1969, 12, 31, 23, 59, 58, 500000, tzinfo=UTC), None],
    "VARIANT": ['{"a": 1.10}', "null", None],
}


@pytest.mark.parametrize("kind", VALUES)
def test_a_value_comes_out_as_it_went_in(catalog: Catalog, database: Database, kind: str) -> None:
    found = table(catalog, database, column("C", kind))
    catalog.insert_rows(found, [{"C": value} for value in VALUES[kind]], committed_at=NOW)

    assert [row[0] for row in stored(catalog, found, "c")] == VALUES[kind]


def test_an_offset_is_the_instant_it_stands_for(catalog: Catalog, database: Database) -> None:
    found = table(catalog, database, column("C", "TIMESTAMP_TZ"))
    catalog.insert_rows(found, [{"C": NOW.astimezone(timezone(timedelta(hours=2)))}], committed_at=NOW)

    assert stored(catalog, found, "c") == [(NOW,)]


def test_rows_keep_their_order_and_a_missing_key_is_null(catalog: Catalog, database: Database) -> None:
    found = table(catalog, database, column("A", "NUMBER"), column("B", "VARCHAR"))
    catalog.insert_rows(found, [{"A": 2}, {"B": "x"}, {}], committed_at=NOW)

    assert stored(catalog, found, "a, b") == [(2, None), (None, "x"), (None, None)]


def test_a_default_is_for_rows_that_do_not_say_and_not_for_those_that_say_null(
    catalog: Catalog, database: Database
) -> None:
    catalog.store.create_sequence("s1", start=10, step=5)
    found = table(
        catalog,
        database,
        column("A", "VARCHAR", default=Default("'x'", "'x'")),
        column("N", "NUMBER", default=Default("IDENTITY", "nextval('s1')")),
    )
    catalog.insert_rows(found, [{}, {"A": None, "N": 1}, {"A": "y"}], committed_at=NOW)

    assert stored(catalog, found, "a, n") == [("x", 10), (None, 1), ("y", 15)]


@pytest.mark.parametrize(
    ("kind", "value", "code"),
    [
        ("NUMBER", 10**38, "100038"),
        ("NUMBER(5,0)", 100000, "100038"),
        ("NUMBER", "twelve", "100038"),
        ("VARIANT", "{not json", "100069"),
    ],
)
def test_one_bad_value_keeps_all_rows_out(
    catalog: Catalog, database: Database, kind: str, value: object, code: str
) -> None:
    found = table(catalog, database, column("C", kind))

    with pytest.raises(DataFault) as caught:
        catalog.insert_rows(found, [{"C": None}, {"C": value}], committed_at=NOW)
    assert caught.value.code == code
    assert stored(catalog, found) == []


def test_a_null_where_none_may_be_keeps_all_rows_out_until_the_column_allows_it(
    catalog: Catalog, database: Database
) -> None:
    found = table(catalog, database, column("C", "NUMBER", nullable=False))
    with pytest.raises(SqlError, match="NULL result in a non-nullable column"):
        catalog.insert_rows(found, [{"C": 1}, {}], committed_at=NOW)

    catalog.drop_not_null(found, "C", evolution='{"evolutionType":"DROP_NOT_NULL"}')
    catalog.insert_rows(found, [{}], committed_at=NOW)
    assert stored(catalog, found, "c") == [(None,)]
    assert found.columns[0].evolution == '{"evolutionType":"DROP_NOT_NULL"}'


def test_a_key_that_is_no_column_is_refused(catalog: Catalog, database: Database) -> None:
    found = table(catalog, database, column("C", "NUMBER"))

    with pytest.raises(InvalidIdentifier, match="'c'"):
        catalog.insert_rows(found, [{"c": 1}], committed_at=NOW)


def test_added_columns_hold_null_for_the_rows_before(catalog: Catalog, database: Database) -> None:
    found = table(catalog, database, column("A", "NUMBER"))
    catalog.insert_rows(found, [{"A": 1}], committed_at=NOW)
    catalog.add_columns(found, [("B", "VARCHAR"), ("V", DataType.parse("VARIANT"))], evolution="{}")
    catalog.insert_rows(found, [{"B": "x", "V": "1"}], committed_at=NOW)

    assert stored(catalog, found, "a, b, v") == [(1, None, None), (None, "x", "1")]
    assert [(each.name, str(each.type), each.evolution) for each in found.columns[1:]] == [
        ("B", "VARCHAR(16777216)", "{}"),
        ("V", "VARIANT", "{}"),
    ]


def test_columns_that_differ_in_case_only_are_refused_before_anything_changes(
    catalog: Catalog, database: Database
) -> None:
    found = table(catalog, database, column("A", "NUMBER"))

    with pytest.raises(CaseClash, match="FL-6044"):
        catalog.add_columns(found, [("B", "NUMBER"), ("a", "NUMBER")])
    assert [each.name for each in found.columns] == ["A"]


def test_the_commit_time_is_kept_only_while_the_table_wants_it(catalog: Catalog, database: Database) -> None:
    found = table(catalog, database, column("A", "NUMBER"), row_timestamp=True)
    catalog.insert_rows(found, [{"A": 1}], committed_at=NOW)
    found.row_timestamp = False
    catalog.insert_rows(found, [{"A": 2}], committed_at=NOW)

    assert stored(catalog, found, '"METADATA$ROW_LAST_COMMIT_TIME"') == [(NOW,), (None,)]


def test_error_rows_go_to_the_error_table_where_there_is_one(catalog: Catalog, database: Database) -> None:
    error = ErrorRow(timestamp=NOW, error_code=100038, error_metadata={"service": "x"}, error_data={"$1": "bad"})
    silent = table(catalog, database, column("A", "NUMBER"))
    catalog.insert_errors(silent, [error])
    catalog.directory.drop(silent)
    logging = table(catalog, database, column("A", "NUMBER"), error_logging=True)
    catalog.insert_errors(logging, [error, error])

    with catalog.store.cursor() as cursor:
        rows = cursor.execute(f"SELECT error_code, error_data FROM {error_table_name(logging)}").fetchall()
    assert rows == [(100038, '{"$1": "bad"}')] * 2
