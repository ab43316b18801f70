"""The golden tables of docs/conversion.md that Snowflake decides: the engine's rows, by the real SDK, in every type."""

import json
from collections.abc import Callable, Sequence
from datetime import date, datetime, time
from decimal import Decimal
from typing import Any

from firnline_ingest.config.document import parse
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.identifiers import quoted
from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rows import RowMaker, Rows
from tests.contract.snowpipe_streaming.marks import WITH_CONNECTOR
from tests.docs.conversion_page import lines

World = Any  # of conftest.py
Sql = Callable[[str], list[tuple[Any, ...]]]

pytestmark = WITH_CONNECTOR

DOCUMENT = {"stream": "s", "database": "D", "schema": "S"}
COLUMNS = ["CITY", "ORDER", "has cat", "Łódź", "😀", "a.b", 'say "hi"', " ", "1", "X" * 255]
NAMED = {"a blank": " ", "255 times `X`": "X" * 255}


def rows_of(payloads: Sequence[str], **more: Any) -> Rows:
    maker = RowMaker(parse(PipelineConfig, {**DOCUMENT, **more}, "engine.json"), "s", "shardId-000000000000")
    return maker.convert([Record(str(100 + n), text.encode(), "key", 1.5) for n, text in enumerate(payloads)])


def test_values_of_json_in_columns(world: World) -> None:
    cases = lines("in the record")
    columns = [f"C{number} {column}" for number, (_, column, *_) in enumerate(cases)]
    table = world.table("ID NUMBER", *columns, error_logging=True)
    made = rows_of([f'{{"id":{n},"c{n}":{value}}}' for n, (value, *_) in enumerate(cases)], metadata={"form": "none"})
    assert not made.rejected
    world.ingest(*made.rows)

    found = {int(row[0]): shown(row[1 + int(row[0])]) for row in world.rows(table)}
    found |= {number: f"error {code}" for number, code in errors(world, table).items()}
    assert [(*case[:2], found.get(number)) for number, case in enumerate(cases)] == [case[:3] for case in cases]


def shown(value: object) -> str:
    match value:
        case None:
            return "NULL"
        case bool():
            return str(value).upper()
        case bytes():
            return value.hex().upper()
        case Decimal() | float() | int() | str() | datetime() | date() | time():
            return str(value)
    raise AssertionError(value)


def errors(world: World, table: Any) -> dict[int, int]:
    """The code of each row's error, by its ID."""
    with world.catalog.store.cursor() as cursor:
        found = cursor.execute(f"SELECT error_code, error_data FROM e{table.id}").fetchall()
    return {json.loads(json.loads(data)["$1"])["id"]: int(code) for code, data in found}


def test_keys_and_columns(world: World, sql: Sql) -> None:
    columns = ", ".join(map(quoted, COLUMNS))
    sql(f"CREATE TABLE ORDERS (KINESISMETADATA OBJECT, {columns.replace(',', ' VARIANT,')} VARIANT)")
    sql("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST")
    cases = lines("a record")
    made = rows_of([payload for payload, *_ in cases])
    assert [(cases[one.index][0], f"dead letter `{one.reason}`") for one in made.rejected] == [
        (payload, becomes) for payload, becomes, _ in cases if becomes.startswith("dead")
    ]
    world.ingest(*made.rows)

    rows = sql(f"SELECT {columns} FROM ORDERS ORDER BY KINESISMETADATA:sequenceNumber::NUMBER")
    found = [[name for name, value in zip(COLUMNS, row, strict=True) if value is not None] for row in rows]
    rows_made = [case for case in cases if not case[1].startswith("dead")]
    expected = [[] if made.startswith("a row without") else [NAMED.get(made, made)] for _, made, _ in rows_made]
    assert list(zip(rows_made, found, strict=True)) == list(zip(rows_made, expected, strict=True))


def test_keys_without_a_column_are_counted() -> None:
    maker = RowMaker(parse(PipelineConfig, DOCUMENT, "engine.json"), "s", "shardId-000000000000")
    maker.set_columns([*COLUMNS, "KINESISMETADATA"])
    for payload, becomes, _ in lines("a record"):
        made = maker.convert([Record("100", payload.encode(), "key", 1.5)])
        assert made.unknown_keys == ("unknown_keys" in becomes), payload
