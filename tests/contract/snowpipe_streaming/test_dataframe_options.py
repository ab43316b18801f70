"""Refusals of `format("snowpipe")` before a row is sent: options, and a table that would lose values."""

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from pyspark.sql import Row
from pyspark.sql.types import StructType

from firnline_ingest.config.rows import Tolerance
from firnline_ingest.datasource import SnowpipeDataSource
from firnline_ingest.datasource.snowpipe.errors import BatchDiffers, PlanUnchecked
from firnline_ingest.datasource.snowpipe.options import SnowpipeOptions
from firnline_ingest.datasource.snowpipe.partition import PartitionKey, PartitionWriter
from firnline_ingest.datasource.snowpipe.source import RowsAdded
from firnline_ingest.datasource.snowpipe.table import SnowflakeTable
from firnline_ingest.errors import ConfigError
from firnline_ingest.snowflake.target_errors import TableMissing

World = Any  # of conftest.py

pytestmark = pytest.mark.contract

SCHEMA = StructType().add("id", "long").add("ratio", "double").add("raw", "binary")


@pytest.fixture
def options(world: World) -> Iterator[dict[str, str]]:
    yield {
        "account": "acct",
        "user": "ENGINE",
        "role": world.role.name,
        "url": world.snowflake.url,
        "caFile": str(world.snowflake.ca_file),
        "privateKeyEnv": "FIRNLINE_KEY",
        "database": "DB",
        "schema": world.schema.name,
        "table": "orders",
        "queryName": "orders",
        "checkpointLocation": "/tmp/c",
        "replayable": "true",
    }
    for table in SnowflakeTable._made.values():
        table._catalog.close()
        table.channels.close()
    SnowflakeTable._made.clear()


def test_options_are_read_whatever_their_case_and_the_query_has_its_own_name(options: dict[str, str]) -> None:
    parsed = SnowpipeOptions.parse({**{name.lower(): text for name, text in options.items()}, "TOLERANCE": "ALL"})
    assert (parsed.name, parsed.tolerance) == ("orders", Tolerance.ALL)
    assert SnowpipeOptions.parse({**options, "name": "mine"}).name == "mine"


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"table": ""}, "table: is required"),
        ({"queryName": ""}, "name: is required, or a queryName"),
        ({"queryName": "a b"}, "name: must be 1 to 64 letters"),
        ({"privateKeyFile": "/key"}, "give exactly one of privateKeyFile, privateKeyEnv, privateKeySecret"),
        ({"tolerance": "some"}, "tolerance: must be one of none, all"),
        ({"sfUrl": "x"}, "sfUrl: unknown option; choose from account"),
        ({"table": "my orders"}, "is not a valid Snowflake identifier"),
        ({"privateKeyEnv": "-----BEGIN PRIVATE KEY-----\nMIIE"}, "env says where the key is found"),
    ],
)
def test_what_is_wrong_with_options_is_said_at_once(
    options: dict[str, str], changes: dict[str, str], said: str
) -> None:
    with pytest.raises(ConfigError, match=said):
        SnowpipeDataSource({**options, **changes})


def test_a_schema_or_a_mode_that_can_not_be_added_is_refused(options: dict[str, str]) -> None:
    source = SnowpipeDataSource(options)
    with pytest.raises(ConfigError, match="mode: must be append"):
        source.writer(SCHEMA, True)
    with pytest.raises(ConfigError, match="schema: two columns have the same name"):
        source.streamWriter(StructType().add("id", "long").add("ID", "long"), False)


def test_a_stream_of_a_plan_that_nobody_has_looked_at_is_refused_unless_it_says_so(options: dict[str, str]) -> None:
    del options["replayable"]
    SnowpipeDataSource(options).writer(SCHEMA, False)
    for refused in (options, {**options, "replayable": "false"}, {**options, "unchecked": "false"}):
        with pytest.raises(PlanUnchecked, match="'orders'"):
            SnowpipeDataSource(refused).streamWriter(SCHEMA, False)
    for taken in ("replayable", "unchecked"):
        SnowpipeDataSource({**options, taken: "TRUE"}).streamWriter(SCHEMA, False)
    with pytest.raises(ConfigError, match="unchecked: must be true or false, and is 'yes'"):
        SnowpipeDataSource({**options, "unchecked": "yes"})


def test_a_batch_is_added_by_channels_of_its_own_which_are_gone_then(
    world: World, options: dict[str, str], sql: Callable[[str], list[Any]]
) -> None:
    sql('CREATE TABLE ORDERS ("ID" NUMBER, RATIO FLOAT, RAW BINARY) ERROR_LOGGING = TRUE')
    sql(f"GRANT INSERT ON TABLE ORDERS TO ROLE {world.role.name}")
    others = set(world.catalog.channels)
    rows = [Row(id=1, ratio=float("nan"), raw=bytearray(b"\x00\xff")), Row(id=None, ratio=1.5, raw=None)]
    for _ in range(2):
        writer: Any = SnowpipeDataSource(options).writer(SCHEMA, False)
        message = writer.write(iter(rows))
        assert (message.rows, message.known, message.rejected) == (2, 0, 0)
        writer.commit([message])
    found = sql("SELECT ID, RATIO, RAW FROM ORDERS ORDER BY ID")
    assert [(row[0], row[2]) for row in found] == [(1, b"\x00\xff"), (1, b"\x00\xff"), (None, None), (None, None)]
    assert math.isnan(found[0][1])
    assert set(world.catalog.channels) <= others


def test_a_batch_that_has_fewer_partitions_than_before_is_not_committed(
    world: World, options: dict[str, str], sql: Callable[[str], list[Any]]
) -> None:
    sql('CREATE TABLE ORDERS ("ID" NUMBER) ERROR_LOGGING = TRUE')
    sql(f"GRANT INSERT ON TABLE ORDERS TO ROLE {world.role.name}")
    source, schema, query = SnowpipeDataSource(options), StructType().add("id", "long"), "f" * 32

    def add(batch: int, partition: int) -> RowsAdded:
        key = PartitionKey(query, batch, partition, f"SPARK~ORDERS~{partition}")
        table = SnowflakeTable.of(source._parsed)
        return RowsAdded(PartitionWriter(table.channels, table.target, key).write([b'{"ID": 1}']), key)

    writer = source.streamWriter(schema, False)
    writer.commit([add(0, partition) for partition in range(3)], 0)
    add(1, 2)
    with pytest.raises(
        BatchDiffers, match="SPARK~ORDERS~2: it has 1 rows of the batch, which had more than its 2 part"
    ):
        writer.commit([add(1, partition) for partition in range(2)], 1)
    writer.commit([add(1, partition) for partition in range(3)], 1)
    assert len(sql("SELECT ID FROM ORDERS")) == 6


def test_a_table_that_would_lose_values_is_refused_with_every_problem(
    world: World, options: dict[str, str], sql: Callable[[str], list[Any]]
) -> None:
    writer: Any = SnowpipeDataSource(options).writer(SCHEMA, False)
    with pytest.raises(TableMissing):
        writer.write(iter([]))
    sql("CREATE TABLE ORDERS (ID NUMBER, NEEDED VARCHAR NOT NULL)")
    sql(f"GRANT INSERT ON TABLE ORDERS TO ROLE {world.role.name}")
    with pytest.raises(ConfigError) as refused:
        writer.write(iter([]))
    said = str(refused.value)
    assert "has no column RATIO" in said
    assert "has no column RAW" in said
    assert "has a column NEEDED that is NOT NULL" in said
    assert "SET ERROR_LOGGING = TRUE" in said
