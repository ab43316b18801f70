"""The demo shows rows of any shape: columns come from the events, which may be one's own."""

from firnline_local.demo.rows import sample_statement

METADATA = ("KINESISMETADATA", "OBJECT")
SHARD = "SELECT KINESISMETADATA:shardId::STRING AS SHARD, "
LAST = "ORDER BY KINESISMETADATA:sequenceNumber::STRING DESC LIMIT 5"


def test_a_sample_of_flat_rows_shows_all_their_columns() -> None:
    described = [METADATA, ("ID", "NUMBER(38,0)"), ("WHO", "VARCHAR(16777216)")]
    assert sample_statement("DB.RAW.EVENTS", described) == f"{SHARD}ID, WHO FROM DB.RAW.EVENTS {LAST}"


def test_a_sample_of_the_shops_rows_shows_its_first_columns_and_one_object() -> None:
    flat = [(name, "VARCHAR(16777216)") for name in ("A", "B", "C", "D", "E")]
    described = [METADATA, ("ITEMS", "ARRAY"), *flat, ("CUSTOMER", "OBJECT")]
    assert sample_statement("DB.RAW.EVENTS", described) == f"{SHARD}A, B, C, D, ITEMS FROM DB.RAW.EVENTS {LAST}"


def test_a_sample_of_a_table_with_nothing_but_metadata_is_a_query_all_the_same() -> None:
    assert sample_statement("DB.RAW.EVENTS", [METADATA]) == f"{SHARD.removesuffix(', ')} FROM DB.RAW.EVENTS {LAST}"
