"""Envelopes of a subscription filter, in the form that the user guide of CloudWatch Logs gives."""

import gzip
import json
from typing import Any

import pytest

from firnline_ingest.kinesis.page import Record
from firnline_ingest.records.rejection import LeftOut, RejectReason
from firnline_ingest.values import LAST_ROW

from .making import convert, maker, rejected, values

LOGS = {"type": "cloudwatch_logs"}
SOURCE = {
    "owner": "111111111111",
    "logGroup": "CloudTrail/logs",
    "logStream": "111111111111_CloudTrail_us-east-1",
    "subscriptionFilters": ["Destination"],
}
EVENTS = [
    {
        "id": "31953106606966983378809025079804211143289615424298221568",
        "timestamp": 1432826855000,
        "message": '{"a":1}',
    },
    {
        "id": "31953106606966983378809025079804211143289615424298221569",
        "timestamp": 1432826855001,
        "message": "\u00e9\n",
    },
]


def envelope(**changes: Any) -> bytes:
    document = {"messageType": "DATA_MESSAGE", **SOURCE, "logEvents": EVENTS, **changes}
    return gzip.compress(json.dumps(document).encode())


def test_each_event_is_a_row_with_where_it_came_from() -> None:
    made = convert(LOGS, envelope())
    assert values(made) == [{**SOURCE, **event} for event in EVENTS]
    assert list(made.row_numbers) == [1, LAST_ROW]


def test_what_a_metric_filter_has_extracted_goes_along() -> None:
    event = {**EVENTS[0], "extractedFields": {"ip": "127.0.0.1", "user": None}}
    assert values(convert(LOGS, envelope(logEvents=[event]))) == [{**SOURCE, **event}]


def test_an_account_level_filter_says_its_level() -> None:
    level = {"policyLevel": "ACCOUNT_LEVEL_POLICY"}
    assert values(convert(LOGS, envelope(**level))) == [{**SOURCE, **level, **event} for event in EVENTS]


def test_fields_that_no_page_names_are_kept_as_they_came() -> None:
    event = {**EVENTS[1], "ingestionTime": 1.50, "nested": {"a": [1, None]}}
    made = convert(LOGS, envelope(logEvents=[EVENTS[0], event], entity={"type": "Service"}))
    assert values(made) == [{**SOURCE, "entity": {"type": "Service"}, **each} for each in (EVENTS[0], event)]
    bare = {"messageType": "DATA_MESSAGE", "logEvents": [event], "policyLevel": None}
    missing: dict[str, Any] = {"owner": None, "logGroup": None, "logStream": None, "subscriptionFilters": []}
    assert values(convert(LOGS, gzip.compress(json.dumps(bare).encode()))) == [
        {**missing, "policyLevel": None, **event}
    ]
    control = {"messageType": "CONTROL_MESSAGE", "more": 1}
    assert convert(LOGS, gzip.compress(json.dumps(control).encode())).left_out == {LeftOut.CONTROL_MESSAGE: 1}
    wrong = {**EVENTS[0], "message": 1, "more": 1}
    assert rejected(LOGS, envelope(logEvents=[wrong])).reason is RejectReason.MALFORMED


def test_keys_without_a_column_are_counted() -> None:
    rows = maker(LOGS)
    rows.set_columns(["ID", "TIMESTAMP", "MESSAGE", "OWNER", "LOGGROUP", "LOGSTREAM"])
    made = rows.convert([Record("1", envelope(entity=1), "key", 1.5)])
    assert made.unknown_keys == len(EVENTS) * len(["subscriptionFilters", "entity"])


def test_a_control_message_is_left_out_and_counted() -> None:
    event = {"id": "", "timestamp": 1, "message": "CWL CONTROL MESSAGE: Checking health of destination Kinesis stream."}
    made = convert(LOGS, envelope(messageType="CONTROL_MESSAGE", logEvents=[event]), envelope())
    assert (made.left_out, list(made.rejected)) == ({LeftOut.CONTROL_MESSAGE: 1}, [])
    assert list(made.indexes) == [1, 1]


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (b"plain", RejectReason.NOT_PACKED),
        (gzip.compress(b"{"), RejectReason.MALFORMED),
        (gzip.compress(b"[]"), RejectReason.MALFORMED),
        (gzip.compress(b"{}"), RejectReason.MALFORMED),
        (gzip.compress(b'{"messageType":"\xff"}'), RejectReason.MALFORMED),
        (envelope(messageType="OTHER"), RejectReason.MALFORMED),
        (envelope(logEvents=[]), RejectReason.MALFORMED),
        (envelope(logEvents=[{"id": "1"}]), RejectReason.MALFORMED),
        (envelope(logEvents=[{**EVENTS[0], "message": 1}]), RejectReason.MALFORMED),
        (envelope(logEvents=[EVENTS[0], {**EVENTS[1], "message": "x" * 2000}]), RejectReason.TOO_LARGE),
    ],
)
def test_what_is_no_envelope_is_a_letter(payload: bytes, reason: RejectReason) -> None:
    assert rejected(LOGS, payload, max_row_bytes=1500).reason is reason
