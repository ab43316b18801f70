import pytest

from firnline_infra.audit.statements import Statements
from firnline_ingest.config.model import Metadata

ABOUT = Statements("DB", "RAW", 'My "T"', "it's", Metadata())
STREAM = '"KINESISMETADATA":"stream"::VARCHAR'
SHARD = '"KINESISMETADATA":"shardId"::VARCHAR'
NUMBER = '"KINESISMETADATA":"sequenceNumber"::VARCHAR'
SUB = 'COALESCE("KINESISMETADATA":"subSequenceNumber"::VARCHAR, \'0\')'
ARRIVAL = '"KINESISMETADATA":"approximateArrival"::VARCHAR'
TABLE = '"DB"."RAW"."My ""T"""'
OF_SHARD = f"{STREAM} = 'it''s' AND {SHARD} = 's-1' AND {NUMBER} IS NOT NULL"
BEFORE = f"(LENGTH({NUMBER}) < 3 OR (LENGTH({NUMBER}) = 3 AND {NUMBER} < '100'))"


def test_the_inventory_is_of_the_whole_table() -> None:
    assert ABOUT.inventory == (
        f"SELECT {STREAM} AS STREAM, {SHARD} AS SHARD, COUNT(*) AS ROW_COUNT, COUNT({NUMBER}) AS NUMBERED "
        f"FROM {TABLE} GROUP BY 1, 2"
    )


def test_the_rows_of_a_shard_come_in_the_order_of_numbers() -> None:
    assert ABOUT.rows("s-1", first="100", columns=None) == (
        f"SELECT {NUMBER}, {SUB}, {ARRIVAL} FROM {TABLE} WHERE {OF_SHARD} AND NOT {BEFORE} "
        f"ORDER BY LENGTH({NUMBER}), {NUMBER}, LENGTH({SUB}), {SUB}"
    )


def test_contents_are_asked_for_by_name() -> None:
    statement = ABOUT.rows("s-1", first=None, columns=["A", 'b"c'])
    assert f'{ARRIVAL}, "KINESISMETADATA", "A", "b""c" FROM' in statement
    assert "NOT" not in statement.replace("IS NOT NULL", "")


def test_older_rows_are_counted_where_they_are() -> None:
    assert ABOUT.count_before("s-1", first="100", kept_since="2026-01-01T00:00:00.000Z") == (
        f"SELECT COUNT(*) AS ROW_COUNT, "
        f"COUNT(CASE WHEN ({ARRIVAL} IS NULL OR {ARRIVAL} >= '2026-01-01T00:00:00.000Z') THEN 1 END) AS YOUNG "
        f"FROM {TABLE} WHERE {OF_SHARD} AND {BEFORE}"
    )


def test_where_rows_do_not_say_when_they_arrived_none_is_too_young() -> None:
    about = Statements("DB", "RAW", "T", "s", Metadata(approximate_arrival=False))
    assert "COUNT(CASE WHEN FALSE THEN 1 END)" in about.count_before("s-1", first=None, kept_since="x")


def test_where_rows_name_no_stream_all_are_of_the_one() -> None:
    about = Statements("DB", "RAW", "T", "it's", Metadata(stream=False))
    assert about.inventory.startswith("SELECT 'it''s' AS STREAM, ")
    assert STREAM not in about.rows("s-1", first=None, columns=None)


def test_the_metadata_column_may_have_another_name() -> None:
    about = Statements("DB", "RAW", "T", "s", Metadata(column='"Meta"'))
    assert '"Meta":"sequenceNumber"::VARCHAR' in about.rows("s-1", first=None, columns=None)


@pytest.mark.parametrize(
    ("table", "pattern"), [("ORDERS", "'ORDERS'"), ("A_B%", r"'A\\_B\\%'"), ("it's", "'it''s'"), ("a\\b", r"'a\\\\b'")]
)
def test_a_table_is_looked_for_by_its_exact_name(table: str, pattern: str) -> None:
    about = Statements("DB", "RAW", table, "s", Metadata())
    assert about.find_table == f'SHOW TABLES LIKE {pattern} IN SCHEMA "DB"."RAW"'
