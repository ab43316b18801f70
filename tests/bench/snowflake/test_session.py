import gzip
import json
from typing import Any

import pytest

from bench.snowflake.session import reply
from firnline_local.kinesis.http import HttpRequest


def ask(target: str, body: bytes = b"{}", **headers: str) -> Any:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    answer = json.loads(reply(HttpRequest("POST", target, named, body)).body)
    assert answer["success"]
    return answer["data"]


def test_anybody_logs_in() -> None:
    assert ask("/session/v1/login-request?requestId=1")["token"]


@pytest.mark.parametrize(
    ("statement", "first"),
    [
        ("SHOW TABLES LIKE 'ORDERS' IN SCHEMA DB.RAW", "ORDERS"),
        ("SHOW PIPES LIKE 'ORDERS' IN SCHEMA DB.RAW", None),
        ('SHOW COLUMNS IN TABLE "DB"."RAW"."ORDERS"', "KINESISMETADATA"),
    ],
)
@pytest.mark.parametrize("is_packed", [True, False])
def test_the_drivers_questions_are_answered(statement: str, first: str | None, is_packed: bool) -> None:
    body = json.dumps({"sqlText": statement}).encode()
    packed = {"content_encoding": "gzip"} if is_packed else {}
    data = ask("/queries/v1/query-request", gzip.compress(body) if is_packed else body, **packed)
    assert [row[0] for row in data["rowset"]] == ([first] if first else [])
    assert all(len(row) == len(data["rowtype"]) for row in data["rowset"])
