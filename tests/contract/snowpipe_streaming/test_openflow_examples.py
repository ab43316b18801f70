"""Tests of what the pages on Openflow's connector for Kinesis show comes out the same here, by the real SDK: tables and
pipes as they make them, and rows as the engine makes them.
"""

import json
from collections.abc import Callable, Mapping
from contextlib import closing
from typing import Any

import pytest

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker
from firnline_ingest.snowflake.target import TargetCatalog, TargetState
from firnline_ingest.snowflake.target_errors import PositionLost
from tests.contract.snowpipe_streaming.marks import WITH_CONNECTOR

World = Any  # of conftest.py
Sql = Callable[[str], list[tuple[Any, ...]]]

pytestmark = WITH_CONNECTOR
ORDER = {"order_id": 12345, "customer_name": "John", "order_total": 100.00, "isPaid": True}
ORDERS_PIPE = (
    "CREATE PIPE ORDERS AS COPY INTO ORDERS FROM (SELECT {}$1:order_id::STRING, $1:customer_name, $1:order_total::STRING, "
    "$1:isPaid::STRING FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
)


def config_of(world: World, stream: str, options: Mapping[str, object]) -> EngineConfig:
    made: EngineConfig = world.engine_config()
    document = {"stream": stream, "database": "DB", "schema": world.schema.name, **options}
    return made.model_copy(update={"pipelines": [PipelineConfig.model_validate(document, strict=None)]})


def ingest(world: World, record: object, stream: str = "orders", **options: object) -> TargetState:
    """One record, as the engine makes a row of it, through the pipe that it finds."""
    config = config_of(world, stream, options)
    with closing(TargetCatalog(config)) as catalog:
        found = catalog.state_of(config.pipelines[0])
    made = RowMaker(config.pipelines[0], stream, "shardId-000000000001").convert(
        [
            Record(
                "49546986683135544286507457936321625675700192471156785154", json.dumps(record).encode(), "key-1234", 1.5
            )
        ]
    )
    assert not made.rejected
    world.ingest(*made.rows, pipe=found.target.pipe)
    return found


def test_a_table_with_the_metadata_alone_follows_the_records(world: World, sql: Sql) -> None:
    sql("CREATE TABLE ORDERS (kinesisMetadata object) ENABLE_SCHEMA_EVOLUTION = TRUE ERROR_LOGGING = TRUE")
    sql("GRANT INSERT, EVOLVE SCHEMA ON TABLE ORDERS TO ROLE INGEST")
    ingest(world, ORDER)
    assert sql("SELECT ORDER_ID, CUSTOMER_NAME, ORDER_TOTAL, ISPAID FROM ORDERS") == [(12345, "John", 100.0, True)]
    ((text,),) = sql("SELECT KINESISMETADATA FROM ORDERS")
    metadata = json.loads(text)
    number = "49546986683135544286507457936321625675700192471156785154"
    assert metadata == {
        "stream": "orders",
        "shardId": "shardId-000000000001",
        "approximateArrival": "1970-01-01T00:00:01.500Z",
        "partitionKey": "key-1234",
        "sequenceNumber": number,
        "subSequenceNumber": 0,
        "shardedSequenceNumber": number + "0" * 20,
    }


def test_a_schema_of_ones_own_takes_what_it_knows(world: World, sql: Sql) -> None:
    sql(
        "CREATE TABLE ORDERS (kinesisMetadata OBJECT, order_id NUMBER, customer_name VARCHAR, order_total FLOAT, ispaid BOOLEAN)"
    )
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    ingest(world, {**ORDER, "more": 1})
    assert sql("SELECT ORDER_ID, CUSTOMER_NAME, ORDER_TOTAL, ISPAID FROM ORDERS") == [(12345, "John", 100.0, True)]


@pytest.mark.parametrize("chosen", [{}, {"pipe": "ORDERS"}], ids=["found by its name", "named"])
def test_a_pipe_of_ones_own_is_used_once_somebody_says_that_it_keeps_no_position(
    world: World, sql: Sql, chosen: dict[str, str]
) -> None:
    """The page's pipe drops the metadata."""
    sql("CREATE TABLE ORDERS (order_id VARCHAR, customer_name VARCHAR, order_total VARCHAR, ispaid VARCHAR)")
    sql(ORDERS_PIPE.format(""))
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE ORDERS TO ROLE INGEST")
    with pytest.raises(PositionLost, match="audit: false"):
        ingest(world, ORDER, **chosen)
    found = ingest(world, ORDER, audit=False, **chosen)
    assert (found.target.pipe, found.matches_by_name) == ("ORDERS", False)
    assert sql("SELECT * FROM ORDERS") == [("12345", "John", "100.0", "true")]


def test_the_same_pipe_with_the_position_is_audited(world: World, sql: Sql) -> None:
    sql("CREATE TABLE ORDERS (KINESISMETADATA OBJECT, A VARCHAR, B VARCHAR, C VARCHAR, D VARCHAR)")
    sql(ORDERS_PIPE.format("$1:KINESISMETADATA, "))
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    sql("GRANT OPERATE ON PIPE ORDERS TO ROLE INGEST")
    ingest(world, ORDER)
    assert sql("SELECT KINESISMETADATA:shardId::VARCHAR, A, D FROM ORDERS") == [
        ("shardId-000000000001", "12345", "true")
    ]


def test_the_iceberg_table_of_the_page_takes_its_message(world: World, sql: Sql) -> None:
    world.snowflake.catalog.volume_access = lambda _location, _principal: []
    volume = f"KINESIS_{world.schema.name}"
    sql(
        f"CREATE EXTERNAL VOLUME {volume} STORAGE_LOCATIONS = ((NAME = 'l' STORAGE_PROVIDER = 'S3' "
        "STORAGE_BASE_URL = 's3://b/' STORAGE_AWS_ROLE_ARN = 'r'))"
    )
    sql(
        "CREATE OR REPLACE ICEBERG TABLE my_iceberg_table (kinesisMetadata OBJECT(stream STRING, shardId STRING, "
        "approximateArrival STRING, partitionKey STRING, sequenceNumber STRING, subSequenceNumber INTEGER, "
        "shardedSequenceNumber STRING), id INT, name string, body_temperature float, approved_coffee_types array(string), "
        "animals_possessed variant, date_added date, options object(can_walk boolean, can_talk boolean)) "
        f"EXTERNAL_VOLUME = '{volume}' CATALOG = 'SNOWFLAKE' BASE_LOCATION = 'my_location/my_iceberg_table' ICEBERG_VERSION = 3"
    )
    sql("GRANT INSERT ON ICEBERG TABLE my_iceberg_table TO ROLE INGEST")
    sql(f"GRANT USAGE ON EXTERNAL VOLUME {volume} TO ROLE INGEST")
    message = {
        "id": 1,
        "name": "Steve",
        "body_temperature": 36.6,
        "approved_coffee_types": ["Espresso", "Doppio", "Ristretto", "Lungo"],
        "animals_possessed": {"dogs": True, "cats": False},
        "options": {"can_walk": True, "can_talk": False},
        "date_added": "2024-10-15",
    }
    assert ingest(world, message, table="my_iceberg_table").is_iceberg
    assert sql(
        "SELECT ID, NAME, BODY_TEMPERATURE, APPROVED_COFFEE_TYPES[3]::VARCHAR, ANIMALS_POSSESSED:dogs::BOOLEAN, "
        "DATE_ADDED::VARCHAR, OPTIONS:can_talk::BOOLEAN, KINESISMETADATA:partitionKey::VARCHAR FROM my_iceberg_table"
    ) == [(1, "Steve", 36.6, "Lungo", True, "2024-10-15", False, "key-1234")]


def test_the_interactive_table_of_the_page_finds_a_topic_where_the_metadata_is_called_so(
    world: World, sql: Sql
) -> None:
    sql(
        "CREATE INTERACTIVE TABLE REALTIME_METRICS (metric_name VARCHAR, metric_value NUMBER, source_topic VARCHAR, timestamp "
        "TIMESTAMP_NTZ) CLUSTER BY (metric_name) AS (SELECT $1:M_NAME::VARCHAR, $1:M_VALUE::NUMBER, "
        "$1:RECORD_METADATA.topic::VARCHAR, $1:RECORD_METADATA.timestamp::TIMESTAMP_NTZ from "
        "TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
    )
    sql("GRANT INSERT ON INTERACTIVE TABLE REALTIME_METRICS TO ROLE INGEST")
    names = {"stream": '"topic"', "approximate_arrival": '"timestamp"'}
    called = {"metadata": {"column": "RECORD_METADATA", "names": names}, "pipe_selects": True}
    found = ingest(world, {"M_NAME": "load", "M_VALUE": 3}, "metrics", table="REALTIME_METRICS", **called)
    assert not found.matches_by_name
    assert sql("SELECT METRIC_NAME, METRIC_VALUE, SOURCE_TOPIC, TIMESTAMP::VARCHAR FROM REALTIME_METRICS") == [
        ("load", 3, "metrics", "1970-01-01 00:00:01.500")
    ]
