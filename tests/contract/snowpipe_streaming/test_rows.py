"""Tests of what rows become on their way through the SDK into a table."""

import base64
import json
import subprocess
import sys
from dataclasses import dataclass
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any, cast

import msgspec
import pytest

from firnline_ingest.snowflake.channel import ShardChannel
from firnline_ingest.snowflake.sending import APPEND_BYTES, SendWindow

World = Any  # of conftest.py

pytestmark = pytest.mark.contract

AWKWARD = b'{"b" : 1.50,"a":[1e400, 12345678901234567890123456789012345678901],"\\u0061":"h\\u00e9\xc3\xa9","a":{ }}'
"""Valid JSON that no parser gives back as it was: spaces, escapes, long numbers, repeated keys."""


class Wrapped(msgspec.Struct):
    KINESISMETADATA: dict[str, str]
    RECORD: msgspec.Raw


def test_raw_rows_arrive_byte_for_byte(world: World) -> None:
    table = world.table("RECORD VARIANT", "KINESISMETADATA OBJECT")
    channel, _ = world.client().open_channel("c")
    world.hold_commits()
    rows = [
        msgspec.Raw(b'{"RECORD":' + AWKWARD + b"}"),
        Wrapped(KINESISMETADATA={"shardId": "s"}, RECORD=msgspec.Raw(AWKWARD)),
    ]
    channel.append_rows(rows, "1", "2")
    channel.wait_for_flush(20)

    (append,) = world.channel("c", table.default_pipe).pending
    assert [line for line in append.rows.split(b"\n") if line] == [
        b'{"RECORD":' + AWKWARD + b"}",
        b'{"KINESISMETADATA":{"shardId":"s"},"RECORD":' + AWKWARD + b"}",
    ]
    world.hold_commits(on=False)
    world.wait_for_commit(channel, "2")
    assert [row[0].encode() for row in world.rows(table)] == [AWKWARD, AWKWARD]


def test_python_values_arrive_in_columns_of_their_type(world: World) -> None:
    table = world.table(
        "N NUMBER(10,2)",
        "F FLOAT",
        "T TIMESTAMP_NTZ",
        "D DATE",
        "B BINARY",
        "V VARIANT",
        "BOOL BOOLEAN",
        "NOTHING VARCHAR",
    )
    channel, _ = world.client().open_channel("c")
    row = {
        "n": Decimal("1.25"),
        "f": float("nan"),
        "t": datetime(2026, 1, 2, 3, 4, 5, 678900, tzinfo=UTC),
        "d": date(2026, 1, 2),
        "b": b"\x00\xff",
        "v": {"list": [1, None]},
        "bool": True,
        "nothing": None,
    }
    channel.append_row(row, "1")
    world.wait_for_commit(channel, "1")

    (found,) = world.rows(table)
    assert found == (
        Decimal("1.25"),
        None,
        datetime(2026, 1, 2, 3, 4, 5, 678900),
        date(2026, 1, 2),
        b"\x00\xff",
        '{"list":[1,null]}',
        True,
        None,
    )


def test_rejected_rows_move_token_and_counters_and_are_kept_where_the_table_logs_errors(world: World) -> None:
    table = world.table("ID NUMBER", "NAME VARCHAR(3)", error_logging=True)
    channel, _ = world.client().open_channel("c")
    rejected = [b'{"id":"x"}', b'{"id":1,"name":"long"}', b'{"id":', b'{"name":"\xff"}']
    channel.append_rows([msgspec.Raw(line) for line in [b'{"id":1}', *rejected, b'{"id":2}']], "10", "15")
    world.wait_for_commit(channel, "15")

    status = channel.get_channel_status()
    assert status.status_code == "SUCCESS"
    assert (status.rows_inserted_count, status.rows_error_count, status.rows_parsed_count) == (2, 4, 6)
    assert status.last_error_offset_token_upper_bound == "15"
    assert status.last_error_timestamp is not None
    assert [row[0] for row in world.rows(table)] == [1, 2]
    errors = error_rows(world, table)
    assert [(e["code"], e["metadata"]["details"]["error_data_content_type"]) for e in errors] == [
        (100038, "json"),
        (100078, "json"),
        (100069, "json-invalid"),
        (100144, "binary-base64"),
    ]
    assert [e["data"]["$1"].encode() for e in errors[:3]] == rejected[:3]
    assert base64.b64decode(errors[3]["data"]["$1"]) == rejected[3]
    assert errors[0]["metadata"]["service"] == "snowpipe_streaming"
    assert status.last_error_message == errors[-1]["metadata"]["error_message"]
    details = errors[0]["metadata"]["details"]
    bounds = [details[f"offset_token_{bound}_bound"] for bound in ("lower", "upper")]
    assert (details["channel_name"], bounds) == ("c", ["10", "15"])


def test_a_table_without_error_logging_only_counts(world: World) -> None:
    table = world.table("ID NUMBER")
    channel = world.ingest({"id": "x"}, start="1")

    assert channel.get_channel_status().rows_error_count == 1
    assert world.rows(table) == []


def test_a_table_evolves_while_rows_flow(world: World) -> None:
    table = world.table("ID NUMBER", enable_schema_evolution=True)
    world.grant("EVOLVE SCHEMA", table)
    channel = world.ingest({"id": 1, "price": 2.5}, start=None)
    channel.append_rows([{"id": 2, "tags": {"a": 1}, "ok": True}], None, "2")
    world.wait_for_commit(channel, "2")

    assert [(column.name, column.type.family) for column in table.columns] == [
        ("ID", "NUMBER"),
        ("PRICE", "FLOAT"),
        ("TAGS", "VARIANT"),
        ("OK", "BOOLEAN"),
    ]
    assert world.rows(table) == [(1, 2.5, None, None), (2, None, '{"a":1}', True)]


def test_too_many_new_columns_invalidate_the_channel_until_it_is_opened_again(world: World) -> None:
    from snowflake.ingest.streaming import StreamingIngestError

    table = world.table("ID NUMBER", enable_schema_evolution=True)
    world.grant("EVOLVE SCHEMA", table)
    client = world.client()
    channel, _ = client.open_channel("c")
    channel.append_row({f"k{number}": 1 for number in range(101)}, "1")
    channel.wait_for_flush(20)

    world.wait_until(lambda: channel.get_channel_status().status_code == "ERR_CHANNEL_MUST_BE_REOPENED")
    assert "101 columns" in channel.get_channel_status().last_error_message
    channel.append_row({"id": 1}, "2")
    with pytest.raises(StreamingIngestError, match="ERR_CHANNEL_MUST_BE_REOPENED"):
        channel.wait_for_flush(20)
    channel.close()
    channel, status = client.open_channel("c")
    assert (status.status_code, status.latest_committed_offset_token) == ("SUCCESS", None)
    channel.append_row({"id": 3}, "3")
    world.wait_for_commit(channel, "3")
    assert world.rows(table) == [(3,)]


UPLOAD = """
import json, sys
from firnline_ingest.snowflake.packages import make_importable

make_importable()
from snowflake.ingest.streaming import StreamingIngestClient, StreamingIngestError

schema, properties = json.loads(sys.stdin.read())
client = StreamingIngestClient("test", "DB", schema, "ORDERS-STREAMING", properties=properties)
channel, _ = client.open_channel("c")
channel.append_rows([{"text": "x" * 1000}] * 3000, "1", "3000")
try:
    channel.wait_for_flush(20)
except StreamingIngestError as error:
    print(error.error_code.value, error.message)
"""


def test_a_batch_that_the_sdk_would_upload_fails_at_once_and_says_why(world: World) -> None:
    """In a process of its own: among many other clients in one process, the SDK was seen to wait and never to say it."""
    world.table("TEXT VARCHAR")
    given = json.dumps([world.schema.name, world.connection])
    run = subprocess.run(
        [sys.executable, "-c", UPLOAD], input=given, capture_output=True, text=True, check=True, timeout=60
    )
    assert "InvalidChannelError" in run.stdout
    assert "FL-6050" in run.stdout
    assert "max_buffered_kb_for_rowset_mode" in run.stdout


def test_the_same_batch_goes_through_as_rows_with_the_property_that_the_error_names(world: World) -> None:
    table = world.table("TEXT VARCHAR")
    channel, _ = world.client(max_buffered_kb_for_rowset_mode=100_000).open_channel("c")
    channel.append_rows([{"text": "x" * 1000}] * 3000, "1", "3000")
    world.wait_for_commit(channel, "3000")

    assert len(world.rows(table)) == 3000


@dataclass(frozen=True)
class Flushed:
    """The part of an engine's channel that its window asks for, over a channel of the SDK."""

    handle: Any

    def flush(self, timeout_s: float) -> None:
        self.handle.wait_for_flush(int(timeout_s))


def test_a_server_that_is_slow_gets_rows_and_no_upload_as_long_as_the_window_bounds_what_waits(world: World) -> None:
    table = world.table("TEXT VARCHAR")
    channel, _ = world.client().open_channel("c")
    window = SendWindow(cast("ShardChannel", Flushed(channel)))
    world.fail("append", "SLOW", delay_s=0.3)
    rows = [msgspec.Raw(b'{"text":"%s"}' % (b"x" * 988))] * (APPEND_BYTES // 1000)
    for number in range(1, 9):  # the SDK would have 4 MB before the first answer
        window.make_room(APPEND_BYTES)
        channel.append_rows(rows, str(number), str(number))
    world.wait_for_commit(channel, "8")

    assert len(world.rows(table)) == 8 * len(rows)
    assert world.snowflake.faults.hits["snowflake:append"] >= 4


def test_elastic_channels_are_refused_at_once(world: World) -> None:
    from snowflake.ingest.streaming import StreamingIngestError

    world.table()
    client = world.client()
    with pytest.raises(StreamingIngestError, match="ELASTIC") as refused:
        client.get_elastic_channel()
    assert refused.value.error_code.value == "ChannelNotFound"


def error_rows(world: World, table: Any) -> list[dict[str, Any]]:
    with world.catalog.store.cursor() as cursor:
        found = cursor.execute(
            f"SELECT error_code, error_metadata, error_data FROM e{table.id} ORDER BY rowid"
        ).fetchall()
    return [
        {"code": int(code), "metadata": json.loads(metadata), "data": json.loads(data)}
        for code, metadata, data in found
    ]
