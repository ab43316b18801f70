"""Columns of the types that a schema of Avro or Protobuf declares take the values that the engine makes of its fields: the real
connector adds them, and the real SDK sends the rows, into the embedded Snowflake."""

import json
from collections.abc import Callable
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from tests.contract.snowpipe_streaming.marks import WITH_CONNECTOR
from tests.contract.snowpipe_streaming.under_change import GRANTED, MADE, Engine
from tests.fakes.confluent_registry import Registry, serving
from tests.ingest.formats import protobuf_samples
from tests.ingest.formats.test_avro import alone
from tests.ingest.shard.test_declared_types import FIELDS, SCHEMA, VALUE

pytestmark = WITH_CONNECTOR
FULL = VALUE | {
    "n": 2,
    "empty": 1.5,
    "count": 2**60,
    "flag": False,
    "price": Decimal("-12345678.0001"),
    "huge": Decimal("1e30") + Decimal("0.0001"),
    "raw": b"\x00\xff",
    "again": "RED",
    "day": date(2026, 1, 2),
    "at": datetime(2026, 1, 2, 3, 4, 5, 678000, UTC),
    "here": datetime(2026, 1, 2, 3, 4, 5, 678901),
    "nested": {"a": 1},
    "list": [1, 2],
    "either": "y",
}


def test_the_first_records_nulls_and_the_seconds_values_are_in_columns_of_the_declared_types(
    world: Any, sql: Callable[[str], list[tuple[Any, ...]]], tmp_path: Path
) -> None:
    for statement in (MADE.format(""), GRANTED, "GRANT OWNERSHIP ON TABLE ORDERS TO ROLE INGEST COPY CURRENT GRANTS"):
        sql(statement)
    format_ = {"type": "avro", "framing": "none", "avro_schema": json.dumps(SCHEMA)}
    engine = Engine(world, tmp_path / "letters", {"adds_columns": True, "format": format_})
    try:
        for value in (VALUE, FULL):
            engine.shard.stream.put(alone(value, SCHEMA))
        receipts = engine.until(lambda: engine.proven == 2)
    finally:
        engine.close()
    assert sum(each.unknown_keys + each.rejected_rows + each.dead_letters for each in receipts) == 0
    types = {name: kind.replace(" ", "") for name, kind, *_ in sql("DESCRIBE TABLE ORDERS")}
    wanted = {name.upper(): column.replace(" ", "") for name, (_, _, column) in FIELDS.items() if column}
    assert {name: types[name].partition("(16777216)")[0].partition("(8388608)")[0] for name in wanted} == wanted
    (first,) = sql("SELECT EMPTY, COUNT, FLAG, DAY, HERE FROM ORDERS WHERE N = 1")
    assert set(first) == {None}
    (second,) = sql(
        "SELECT EMPTY, COUNT, FLAG, PRICE, RAW, COLOUR, DAY, AT, HERE, NESTED:a::NUMBER, EITHER FROM ORDERS WHERE N = 2"
    )
    assert second[:7] == (1.5, 2**60, False, FULL["price"], b"\x00\xff", "RED", date(2026, 1, 2))
    assert second[7].astimezone(UTC) == FULL["at"]
    assert second[8:] == (FULL["here"], 1, "y")


def test_a_messages_values_are_in_columns_of_the_types_that_its_registered_schema_declares(
    world: Any, sql: Callable[[str], list[tuple[Any, ...]]], tmp_path: Path
) -> None:
    for statement in (MADE.format(""), GRANTED, "GRANT OWNERSHIP ON TABLE ORDERS TO ROLE INGEST COPY CURRENT GRANTS"):
        sql(statement)
    with serving(Registry()) as registry:
        registry.register("common", protobuf_samples.COMMON, kind="PROTOBUF")
        common = {"name": protobuf_samples.COMMON_PATH, "subject": "common", "version": 1}
        number = registry.register("orders", protobuf_samples.ORDER, kind="PROTOBUF", references=[common])
        format_ = {"type": "protobuf", "framing": "confluent", "registry": {"url": registry.url}}
        engine = Engine(world, tmp_path / "letters", {"adds_columns": True, "format": format_})
        try:
            for sent in (protobuf_samples.message("shop.Order", id=1), protobuf_samples.full_order()):
                engine.shard.stream.put(protobuf_samples.of_confluent(sent, schema_id=number))
            receipts = engine.until(lambda: engine.proven == 2)
        finally:
            engine.close()
    assert sum(each.unknown_keys + each.rejected_rows + each.dead_letters for each in receipts) == 0
    types = {name: kind.replace(" ", "").partition("(1677")[0] for name, kind, *_ in sql("DESCRIBE TABLE ORDERS")}
    wanted = {"ID": "NUMBER(38,0)", "PLACED": "TIMESTAMP_LTZ(9)", "MOST": "NUMBER(38,0)", "WEIGHT": "FLOAT"}
    assert {name: types[name] for name in wanted} == wanted
    (first,) = sql("SELECT NOTE, GIFT, PLACED, MOST, STATUS FROM ORDERS WHERE ID = 1")
    assert first == (None, None, None, 0, "NEW")
    (second,) = sql(
        "SELECT MOST, Z64, SEAL, STATUS, GIFT, WEIGHT, TOOK, LINE:sku::VARCHAR, NOTES:k:text::VARCHAR, NUMBERS[2]::NUMBER, "
        "MORE:a[2]:b::BOOLEAN, WRAPPED, SPENT[0]:colour::VARCHAR, PLACED FROM ORDERS WHERE ID > 1"
    )
    assert second[:8] == (2**64 - 1, -(2**63), b"\0\xff", "PAID", False, 0.1, "-1.500s", "a")
    assert second[8:13] == ("n", 2**31 - 1, True, -5, "BLUE")
    assert second[13].astimezone(UTC) == datetime(2026, 1, 31, 12, 0, 0, 123456, UTC), "it keeps microseconds"
