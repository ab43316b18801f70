import pytest

from firnline_infra.audit.statements import StatementPart, Statements
from firnline_ingest.config.rows import Metadata, MetadataForm

ABOUT = Statements("DB", "RAW", 'My "T"', "it's", Metadata())
STREAM = '"KINESISMETADATA":"stream"::VARCHAR'
SHARD = '"KINESISMETADATA":"shardId"::VARCHAR'
NUMBER = '"KINESISMETADATA":"sequenceNumber"::VARCHAR'
SUB = 'COALESCE("KINESISMETADATA":"subSequenceNumber"::VARCHAR, \'0\')'
ROW = 'COALESCE("KINESISMETADATA":"row"::VARCHAR, \'0\')'
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
    assert ABOUT.rows("s-1", StatementPart(first="100"), columns=None) == (
        f"SELECT {NUMBER}, {SUB}, {ROW}, {ARRIVAL} FROM {TABLE} WHERE {OF_SHARD} AND NOT {BEFORE} "
        f"ORDER BY LENGTH({NUMBER}), {NUMBER}, LENGTH({SUB}), {SUB}, LENGTH({ROW}), {ROW}"
    )


def test_contents_are_asked_for_by_name() -> None:
    statement = ABOUT.rows("s-1", StatementPart(), columns=["A", 'b"c'])
    assert f'{ARRIVAL}, "KINESISMETADATA", "A", "b""c" FROM' in statement
    assert "NOT" not in statement.replace("IS NOT NULL", "")


def test_a_part_ends_with_its_last_number_and_the_next_begins_behind_it() -> None:
    statement = ABOUT.rows("s-1", StatementPart(after="99", last="100"), columns=None)
    assert (
        f"AND NOT (LENGTH({NUMBER}) < 2 OR (LENGTH({NUMBER}) = 2 AND {NUMBER} <= '99')) "
        f"AND (LENGTH({NUMBER}) < 3 OR (LENGTH({NUMBER}) = 3 AND {NUMBER} <= '100')) ORDER BY"
    ) in statement


def test_cuts_are_each_so_many_rows_and_the_last_one() -> None:
    assert ABOUT.cuts("s-1", first="100", part_rows=7, total=20) == (
        f"SELECT N FROM (SELECT {NUMBER} AS N, ROW_NUMBER() OVER "
        f"(ORDER BY LENGTH({NUMBER}), {NUMBER}, LENGTH({SUB}), {SUB}, LENGTH({ROW}), {ROW}) AS R "
        f"FROM {TABLE} WHERE {OF_SHARD} AND NOT {BEFORE}) WHERE MOD(R, 7) = 0 OR R = 20 ORDER BY R"
    )


def test_older_rows_are_counted_where_they_are() -> None:
    young = f"({ARRIVAL} IS NULL OR {ARRIVAL} >= '2026-01-01T00:00:00.000Z')"
    assert ABOUT.count_rows("s-1", first="100", kept_since_ms=1_767_225_600_000) == (
        f"SELECT COUNT(CASE WHEN {BEFORE} THEN 1 END) AS OLDER, COUNT(CASE WHEN {BEFORE} AND {young} THEN 1 END) AS YOUNG, "
        f"COUNT(CASE WHEN NOT {BEFORE} THEN 1 END) AS OTHERS FROM {TABLE} WHERE {OF_SHARD}"
    )


def test_where_rows_do_not_say_when_they_arrived_none_is_too_young() -> None:
    about = Statements("DB", "RAW", "T", "s", Metadata(approximate_arrival=False))
    assert "COUNT(CASE WHEN TRUE AND FALSE THEN 1 END) AS YOUNG" in about.count_rows("s-1", first=None, kept_since_ms=0)


def test_where_rows_name_no_stream_all_are_of_the_one() -> None:
    about = Statements("DB", "RAW", "T", "it's", Metadata(stream=False))
    assert about.inventory.startswith("SELECT 'it''s' AS STREAM, ")
    assert STREAM not in about.rows("s-1", StatementPart(), columns=None)


def test_the_metadata_column_may_have_another_name() -> None:
    about = Statements("DB", "RAW", "T", "s", Metadata(column='"Meta"'))
    assert '"Meta":"sequenceNumber"::VARCHAR' in about.rows("s-1", StatementPart(), columns=None)


@pytest.mark.parametrize(
    ("table", "pattern"), [("ORDERS", "'ORDERS'"), ("A_B%", r"'A\\_B\\%'"), ("it's", "'it''s'"), ("a\\b", r"'a\\\\b'")]
)
def test_a_table_is_looked_for_by_its_exact_name(table: str, pattern: str) -> None:
    about = Statements("DB", "RAW", table, "s", Metadata())
    assert about.find_table == f'SHOW TABLES LIKE {pattern} IN SCHEMA "DB"."RAW"'


def test_columns_of_their_own_are_asked_for_themselves() -> None:
    about = Statements("DB", "RAW", "T", "s", Metadata(form=MetadataForm.COLUMNS, names={"shard_id": '"shard-id"'}))
    number, sub = '"KINESIS_SEQUENCE_NUMBER"::VARCHAR', "COALESCE(\"KINESIS_SUB_SEQUENCE_NUMBER\"::VARCHAR, '0')"
    statement = about.rows("s-1", StatementPart(), columns=["A"])
    assert statement.startswith(f'SELECT {number}, {sub}, \'0\', "KINESIS_APPROXIMATE_ARRIVAL", "KINESIS_STREAM", ')
    assert statement.count("KINESIS_ROW") == 0, "json has none"
    assert "WHERE \"KINESIS_STREAM\"::VARCHAR = 's' AND \"shard-id\"::VARCHAR = 's-1'" in statement
    moment = "\"KINESIS_APPROXIMATE_ARRIVAL\"::TIMESTAMP_TZ >= '2026-01-01T00:00:00.000Z'::TIMESTAMP_TZ"
    assert moment in about.count_rows("s-1", first=None, kept_since_ms=1_767_225_600_000)
