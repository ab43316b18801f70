"""SQL by the real connector and rows by the real SDK, over one catalog."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from firnline_infra.blueprint.snowflake import Column, InteractiveTable
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.metadata_type import metadata_type
from firnline_infra.specification.pipeline import Pipeline
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from tests.contract.snowpipe_streaming.marks import WITH_CONNECTOR

World = Any  # of conftest.py
Sql = Callable[[str], list[tuple[Any, ...]]]

pytestmark = WITH_CONNECTOR


def test_what_sql_makes_and_grants_can_be_ingested_into_and_read(world: World, sql: Sql) -> None:
    sql("CREATE TABLE ORDERS (ID NUMBER NOT NULL, STATUS VARCHAR DEFAULT 'new', PAYLOAD VARIANT) ERROR_LOGGING = TRUE")
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    world.ingest(
        {"id": 1, "payload": {"items": [{"price": 2.5}]}}, {"status": "no id"}, name="shard-0", start="1", end="2"
    )

    assert sql("SELECT ID, STATUS, PAYLOAD:items[0].price::FLOAT FROM ORDERS") == [(1, "new", 2.5)]
    ((metadata, data),) = sql("SELECT ERROR_METADATA, ERROR_DATA FROM ERROR_TABLE(ORDERS)")
    assert json.loads(metadata)["error_source"] == "ID"
    assert json.loads(json.loads(data)["$1"]) == {"status": "no id"}


def test_sql_shows_the_channel_and_its_committed_token(world: World, sql: Sql) -> None:
    sql("CREATE TABLE ORDERS (ID NUMBER)")
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    world.ingest({"id": 1}, name="shard-0", end="41")

    (shown,) = sql("SHOW CHANNELS IN TABLE ORDERS")
    assert {"shard-0", "ORDERS", "41", "ORDERS-STREAMING"} <= {str(value) for value in shown}
    sql("CREATE OR REPLACE TABLE ORDERS (ID NUMBER)")
    assert sql("SHOW CHANNELS IN TABLE ORDERS") == []


def test_evolved_columns_can_be_selected_and_described(world: World, sql: Sql) -> None:
    sql("CREATE TABLE ORDERS (ID NUMBER NOT NULL) ENABLE_SCHEMA_EVOLUTION = TRUE")
    sql("GRANT INSERT, EVOLVE SCHEMA ON TABLE ORDERS TO ROLE INGEST")
    world.ingest({"price": 2.5})

    assert sql("SELECT ID, PRICE FROM ORDERS") == [(None, 2.5)]
    described = {row[0]: [str(value) for value in row] for row in sql("DESCRIBE TABLE ORDERS")}
    assert any("ADD_COLUMN" in value for value in described["PRICE"])
    assert any("DROP_NOT_NULL" in value for value in described["ID"])


def test_a_pipe_that_sql_made_ingests_for_who_may_operate_it(world: World, sql: Sql) -> None:
    sql("CREATE TABLE ORDERS (ID NUMBER)")
    sql(
        "CREATE PIPE LOAD AS COPY INTO ORDERS FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    )
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE LOAD TO ROLE INGEST")
    world.ingest({"id": 1}, pipe="LOAD")

    assert sql("SELECT ID FROM ORDERS") == [(1,)]


def test_truncating_a_table_keeps_its_channels(world: World, sql: Sql) -> None:
    sql("CREATE TABLE ORDERS (ID NUMBER)")
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    channel = world.ingest({"id": 1})
    sql("TRUNCATE TABLE ORDERS")
    channel.append_row({"id": 2}, "2")
    world.wait_for_commit(channel, "2")

    assert sql("SELECT ID FROM ORDERS") == [(2,)]


def test_a_pipe_with_a_select_puts_each_path_where_it_says(world: World, sql: Sql) -> None:
    sql("CREATE TABLE ORDERS (ID NUMBER, META OBJECT, WHOLE VARIANT) ENABLE_SCHEMA_EVOLUTION = TRUE")
    sql(
        "CREATE PIPE LOAD AS COPY INTO ORDERS (META, ID, WHOLE) "
        "FROM (SELECT $1:kinesisMetadata, $1:order.id::NUMBER, $1 FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT, EVOLVE SCHEMA ON TABLE ORDERS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE LOAD TO ROLE INGEST")
    world.ingest({"kinesisMetadata": {"shardId": "s"}, "order": {"id": 7}, "extra": True}, pipe="LOAD")

    assert sql("SELECT ID, META:shardId::VARCHAR, WHOLE:extra::BOOLEAN FROM ORDERS") == [(7, "s", True)]
    assert len(sql("DESCRIBE TABLE ORDERS")) == 3


def test_the_connectors_own_example_of_a_pipe_with_its_tables_name(world: World, sql: Sql) -> None:
    """Names of one's own, casts, keys that need brackets, and metadata, as Snowflake's pages on the two connectors write them."""
    sql("CREATE TABLE PERSONS (ORDER_ID VARCHAR, NAME VARCHAR, TOTAL VARCHAR, HAS_CAT BOOLEAN, STREAM VARCHAR)")
    sql(
        "CREATE PIPE PERSONS AS COPY INTO PERSONS FROM (SELECT $1:order_id::STRING, $1:customer_name, $1['order_total']::STRING, "
        "$1['has cat'] AS has_cat, $1:KINESISMETADATA.stream::STRING FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT ON TABLE PERSONS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE PERSONS TO ROLE INGEST")
    row = {"order_id": 12345, "customer_name": "John", "order_total": 100.5, "has cat": True, "more": 1}
    world.ingest({"KINESISMETADATA": {"stream": "orders"}, **row}, pipe="PERSONS")

    assert sql("SELECT * FROM PERSONS") == [("12345", "John", "100.5", True, "orders")]


def test_structured_columns_of_version_2_take_what_has_their_keys_and_reject_what_has_not(
    world: World, sql: Sql
) -> None:
    world.snowflake.catalog.volume_access = lambda _location, _principal: []
    volume = f"STRUCTURED_{world.schema.name}"
    sql(
        f"CREATE EXTERNAL VOLUME {volume} STORAGE_LOCATIONS = ((NAME = 'l' STORAGE_PROVIDER = 'S3' "
        "STORAGE_BASE_URL = 's3://b/' STORAGE_AWS_ROLE_ARN = 'r'))"
    )
    declared = metadata_type(Pipeline.model_validate({"stream": "s", "database": "D", "schema": "S"}))
    sql(
        f"CREATE ICEBERG TABLE TYPED (KINESISMETADATA {declared}, TAGS ARRAY(STRING), AT TIMESTAMP_NTZ) "
        f"EXTERNAL_VOLUME = '{volume}' BASE_LOCATION = 'o/' ICEBERG_VERSION = 2 ERROR_LOGGING = TRUE"
    )
    sql("GRANT INSERT ON ICEBERG TABLE TYPED TO ROLE INGEST")
    sql(f"GRANT USAGE ON EXTERNAL VOLUME {volume} TO ROLE INGEST")
    maker = RowMaker(PipelineConfig.model_validate({"stream": "s", "database": "D", "schema": "S"}), "s", "shard-0")
    payloads = [b'{"tags": ["a", 1], "at": "2026-02-03T04:05:06"}', b'{"tags": {}}']
    records = [Record(str(number), each, "k", 1.5) for number, each in enumerate(payloads)]
    world.ingest(*maker.convert(records).rows, pipe="TYPED-STREAMING")

    assert sql("SELECT KINESISMETADATA:shardId::VARCHAR, TAGS[0]::VARCHAR, AT::VARCHAR FROM TYPED") == [
        ("shard-0", "a", "2026-02-03 04:05:06.000")
    ]
    ((message,),) = sql("SELECT ERROR_METADATA:error_message::VARCHAR FROM ERROR_TABLE(TYPED)")
    assert "to ARRAY(VARCHAR(134217728)): it is not an ARRAY" in message


@pytest.mark.parametrize(("version", "gained"), [(2, ["ID", "TEXT"]), (3, ["ID", "NESTED", "TEXT"])])
def test_an_iceberg_table_gains_the_columns_that_its_format_knows(
    world: World, sql: Sql, version: int, gained: list[str]
) -> None:
    world.snowflake.catalog.volume_access = lambda _location, _principal: []
    volume = f"LAKE_{world.schema.name}"
    sql(
        f"CREATE EXTERNAL VOLUME {volume} STORAGE_LOCATIONS = ((NAME = 'l' STORAGE_PROVIDER = 'S3' "
        "STORAGE_BASE_URL = 's3://b/' STORAGE_AWS_ROLE_ARN = 'r'))"
    )
    sql(
        f"CREATE ICEBERG TABLE ORDERS (ID STRING) EXTERNAL_VOLUME = '{volume}' BASE_LOCATION = 'o/' "
        f"ICEBERG_VERSION = {version} ENABLE_SCHEMA_EVOLUTION = TRUE"
    )
    sql("GRANT INSERT, EVOLVE SCHEMA ON ICEBERG TABLE ORDERS TO ROLE INGEST")
    sql(f"GRANT USAGE ON EXTERNAL VOLUME {volume} TO ROLE INGEST")
    world.ingest({"id": "a", "text": "x", "nested": {"b": 1}, "list": [1]})

    assert sorted(row[0] for row in sql("DESCRIBE ICEBERG TABLE ORDERS")) == gained
    assert sql("SELECT ID, TEXT FROM ORDERS") == [("a", "x")]


def test_an_interactive_table_is_streamed_into_through_its_default_pipe(world: World, sql: Sql) -> None:
    sql("CREATE INTERACTIVE TABLE ORDERS (META OBJECT, ID VARCHAR) CLUSTER BY (ID)")
    sql("GRANT INSERT ON INTERACTIVE TABLE ORDERS TO ROLE INGEST")
    world.ingest({"meta": {"shardId": "s"}, "id": "a", "unknown": 1})

    assert sql("SELECT ID, META:shardId::VARCHAR FROM ORDERS") == [("a", "s")]


def test_an_interactive_table_that_is_made_as_select_gets_what_the_select_names(world: World, sql: Sql) -> None:
    """The statement as the blueprint writes it."""
    columns = (("ID", "VARCHAR", "$1:orderId::VARCHAR"), ("CITY", "VARCHAR", '$1:customer."City"::VARCHAR'))
    made = InteractiveTable(
        name=QualifiedName.of("DB", world.schema.name, "ORDERS"),
        metadata=(Column(name=Identifier("META"), type="OBJECT"),),
        columns=tuple(Column(name=Identifier(name), type=type_, select=taken) for name, type_, taken in columns),
        cluster_by=(Identifier("ID"),),
    )
    sql(made.create)
    sql("GRANT INSERT ON INTERACTIVE TABLE ORDERS TO ROLE INGEST")
    row = {"META": {"shardId": "s"}, "orderId": "a", "customer": {"City": "Lisboa"}, "id": "by name", "city": "by name"}
    world.ingest(row)

    assert sql("SELECT ID, CITY, META:shardId::VARCHAR FROM ORDERS") == [("a", "Lisboa", "s")]
