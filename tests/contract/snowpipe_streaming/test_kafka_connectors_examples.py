"""Tests of what the page on Snowflake's Kafka connector shows comes out the same here: rows of our making, by the real SDK."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from tests.contract.snowpipe_streaming.marks import WITH_CONNECTOR

World = Any  # of conftest.py
Sql = Callable[[str], list[tuple[Any, ...]]]

pytestmark = WITH_CONNECTOR

PERSON = {
    "city": "New York",
    "age": 30,
    "married": True,
    "has cat": True,
    "!@&$#* includes special characters": True,
    " @&$#* has Łułósżź": True,
    "skills": ["sitting", "standing", "eating"],
    "family": {"son": "Jack", "daughter": "Anna"},
}
RECORD_METADATA = {"column": "RECORD_METADATA", "form": "variant", "push_time": True}


def ingest(world: World, pipe: str, number: str = "49", payload: object = None, **options: object) -> None:
    """One record, as the engine makes a row of it."""
    document = {"stream": "persons", "database": "D", "schema": "S", **options}
    maker = RowMaker(PipelineConfig.model_validate(document, strict=None), "persons", "shardId-000000000000")
    made = maker.convert([Record(number, json.dumps(PERSON if payload is None else payload).encode(), "key", 1.5)])
    assert not made.rejected
    world.ingest(*made.rows, pipe=pipe, name=f"c{number}")


def test_the_default_pipe_finds_columns_by_name(world: World, sql: Sql) -> None:
    sql(
        'CREATE TABLE PERSON_DATA (record_metadata VARIANT, city VARCHAR, age NUMBER, married BOOLEAN, "has cat" BOOLEAN, '
        '"!@&$#* includes special characters" BOOLEAN, skills VARIANT, family VARIANT)'
    )
    sql("GRANT INSERT ON TABLE PERSON_DATA TO ROLE INGEST")
    ingest(world, "PERSON_DATA-STREAMING", metadata=RECORD_METADATA)
    ((found, skill, child, metadata),) = sql(
        "SELECT OBJECT_CONSTRUCT('city', CITY, 'age', AGE, 'married', MARRIED, 'cat', \"has cat\", "
        "'special', \"!@&$#* includes special characters\")::VARCHAR, SKILLS[1]::VARCHAR, FAMILY:daughter::VARCHAR, "
        "RECORD_METADATA::VARCHAR FROM PERSON_DATA"
    )
    assert json.loads(found) == {"city": "New York", "age": 30, "married": True, "cat": True, "special": True}
    assert (skill, child) == ("standing", "Anna")
    assert {"stream", "shardId", "sequenceNumber", "partitionKey"} <= json.loads(metadata).keys()


def test_a_pipe_with_the_tables_name_says_which_column_is_which(world: World, sql: Sql) -> None:
    sql(
        "CREATE TABLE PERSON_COLUMNS (city VARCHAR, age NUMBER, married BOOLEAN, has_cat BOOLEAN, weird_field_name BOOLEAN, "
        "skills VARIANT, family VARIANT, source VARCHAR)"
    )
    sql(
        "CREATE PIPE PERSON_COLUMNS AS COPY INTO PERSON_COLUMNS FROM (SELECT $1:city, $1:age::NUMBER, $1:married, "
        "$1['has cat'] AS has_cat, $1[' @&$#* has Łułósżź'] AS weird_field_name, $1:skills, $1:family, "
        "$1:RECORD_METADATA.stream::STRING AS source FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT ON TABLE PERSON_COLUMNS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE PERSON_COLUMNS TO ROLE INGEST")
    ingest(world, "PERSON_COLUMNS", metadata=RECORD_METADATA)
    assert sql("SELECT CITY, AGE, HAS_CAT, WEIRD_FIELD_NAME, FAMILY:son::VARCHAR, SOURCE FROM PERSON_COLUMNS") == [
        ("New York", 30, True, True, "Jack", "persons")
    ]


def test_a_whole_message_in_one_column_needs_no_transform(world: World, sql: Sql) -> None:
    sql("CREATE TABLE WHOLE (record_metadata VARIANT, record_content VARIANT)")
    sql("GRANT INSERT ON TABLE WHOLE TO ROLE INGEST")
    ingest(world, "WHOLE-STREAMING", metadata=RECORD_METADATA, content_column="RECORD_CONTENT")
    assert sql("SELECT RECORD_CONTENT:city::VARCHAR, RECORD_CONTENT:skills[0]::VARCHAR FROM WHOLE") == [
        ("New York", "sitting")
    ]


CALLED_AS_THERE = {
    **RECORD_METADATA,
    "names": {
        "stream": '"topic"',
        "shard_id": '"partition"',
        "sequence_number": '"offset"',
        "push_time": '"SnowflakeConnectorPushTime"',
    },
}
NUMBER = "49546986683135544286507457936321625675700192471156785154"


def test_metadata_that_is_called_as_there_is_found_by_the_pages_pipe(world: World, sql: Sql) -> None:
    """docs/from-other-connectors.md says which casts are others: a sequence number is not a NUMBER, a time no BIGINT."""
    sql("CREATE TABLE TOPICS (age NUMBER, topic VARCHAR, partition VARCHAR, kafka_offset VARCHAR, at TIMESTAMP_NTZ)")
    sql(
        "CREATE PIPE TOPICS AS COPY INTO TOPICS FROM (SELECT $1:age::NUMBER, $1:RECORD_METADATA.topic::STRING AS topic, "
        "$1:RECORD_METADATA.partition::STRING AS partition, $1:RECORD_METADATA.offset::STRING AS kafka_offset, "
        "$1:RECORD_METADATA.SnowflakeConnectorPushTime::TIMESTAMP_NTZ AS at FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT ON TABLE TOPICS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE TOPICS TO ROLE INGEST")
    ingest(world, "TOPICS", NUMBER, metadata=CALLED_AS_THERE)
    ((age, topic, partition, offset, at),) = sql("SELECT * FROM TOPICS")
    assert (age, topic, partition, offset) == (30, "persons", "shardId-000000000000", NUMBER)
    assert at is not None


@pytest.mark.parametrize("part", ["offset", "SnowflakeConnectorPushTime"])
def test_what_is_a_number_there_and_none_here_rejects_the_row(world: World, sql: Sql, part: str) -> None:
    sql("CREATE TABLE NUMBERS (age NUMBER, said NUMBER) ERROR_LOGGING = TRUE")
    sql(
        f"CREATE PIPE NUMBERS AS COPY INTO NUMBERS FROM (SELECT $1:age::NUMBER, $1:RECORD_METADATA.{part}::NUMBER "
        "FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT ON TABLE NUMBERS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE NUMBERS TO ROLE INGEST")
    ingest(world, "NUMBERS", NUMBER, metadata=CALLED_AS_THERE)
    assert sql("SELECT * FROM NUMBERS") == []
    ((kept,),) = sql("SELECT ERROR_DATA FROM ERROR_TABLE(NUMBERS)")
    assert NUMBER in kept  # as it came, with its position


def test_the_pages_pipe_concatenates(world: World, sql: Sql) -> None:
    columns = ("topic", "partition", "order_id", "customer_name", "order_total", "ispaid")
    sql(f"CREATE TABLE ORDERS ({', '.join(f'{each} VARCHAR' for each in columns)})")
    sql(
        "CREATE PIPE ORDERS AS COPY INTO ORDERS FROM (SELECT $1:RECORD_METADATA.topic::STRING AS topic, "
        "$1:RECORD_METADATA.partition::STRING AS partition, $1['order_id']::STRING AS order_id, "
        "$1['customer_name']::STRING as customer_name, CONCAT($1['order_total']::STRING, ' USD') AS order_total, "
        "$1['isPaid']::STRING AS ispaid FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE ORDERS TO ROLE INGEST")
    order = {"order_id": 12345, "customer_name": "John", "order_total": 100.5, "isPaid": True}
    ingest(world, "ORDERS", payload=order, metadata=CALLED_AS_THERE)
    ingest(world, "ORDERS", "50", payload={}, metadata=CALLED_AS_THERE)
    assert sql("SELECT TOPIC, ORDER_ID, CUSTOMER_NAME, ORDER_TOTAL, ISPAID FROM ORDERS ORDER BY ORDER_ID") == [
        ("persons", "12345", "John", "100.5 USD", "true"),
        ("persons", None, None, None, None),
    ]


def test_the_interactive_table_of_the_page_is_made_without_sorting(world: World, sql: Sql) -> None:
    sql(
        "CREATE INTERACTIVE TABLE REALTIME_METRICS (metric_name VARCHAR, metric_value NUMBER, source_topic VARCHAR, timestamp "
        "TIMESTAMP_NTZ) AS (SELECT $1:M_NAME::VARCHAR, $1:M_VALUE::NUMBER, $1:RECORD_METADATA.topic::VARCHAR, "
        "$1:RECORD_METADATA.timestamp::TIMESTAMP_NTZ from TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT ON INTERACTIVE TABLE REALTIME_METRICS TO ROLE INGEST")
    ingest(world, "REALTIME_METRICS-STREAMING", payload={"M_NAME": "load", "M_VALUE": 3}, metadata=CALLED_AS_THERE)
    assert sql("SELECT METRIC_NAME, METRIC_VALUE, SOURCE_TOPIC FROM REALTIME_METRICS") == [("load", 3, "persons")]


def test_a_hoisted_message_is_reached_by_the_pages_pipe(world: World, sql: Sql) -> None:
    sql("CREATE TABLE HOISTED (whole VARIANT)")
    sql(
        "CREATE PIPE HOISTED AS COPY INTO HOISTED FROM (SELECT $1:your_top_level_field_name "
        "FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT ON TABLE HOISTED TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE HOISTED TO ROLE INGEST")
    ingest(world, "HOISTED", transforms=[{"type": "hoist", "field": "your_top_level_field_name"}])
    assert sql("SELECT WHOLE:city::VARCHAR, WHOLE:skills[0]::VARCHAR FROM HOISTED") == [("New York", "sitting")]
