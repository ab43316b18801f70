"""A SQL session for the driver's own connector: it logs in, and the three questions of snowflake/target.py are answered."""

import gzip
import json
from collections.abc import Mapping
from typing import Any

from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.wire import Reply

JSON = "application/json"
LOGIN, QUERY = "/session/v1/login-request", "/queries/v1/query-request"
CREATED_ON = "2026-01-01T00:00:00.000+00:00"
ANSWERS: Mapping[str, list[dict[str, str]]] = {
    "SHOW TABLES": [
        {"name": "ORDERS", "created_on": CREATED_ON, "enable_schema_evolution": "Y", "error_logging": "Y"},
    ],
    "SHOW PIPES": [],
    "SHOW COLUMNS": [{"column_name": "KINESISMETADATA", "data_type": '{"type":"OBJECT","nullable":true}'}],
}


def reply(request: HttpRequest) -> Reply:
    path = request.target.partition("?")[0]
    data: dict[str, Any] | None = None
    if path == LOGIN:
        data = {
            "token": "session",
            "masterToken": "master",
            "validityInSeconds": 3600,
            "masterValidityInSeconds": 14400,
            "sessionId": 1,
            "parameters": [],
            "sessionInfo": {"databaseName": None, "schemaName": None, "warehouseName": None, "roleName": "BENCH"},
        }
    if path == QUERY:
        data = _result(_body(request)["sqlText"])
    return Reply(
        200, json.dumps({"success": True, "code": None, "message": None, "data": data}).encode(), content_type=JSON
    )


def _body(request: HttpRequest) -> dict[str, Any]:
    is_packed = request.headers.get("content-encoding") == "gzip"
    document: dict[str, Any] = json.loads(gzip.decompress(request.body) if is_packed else request.body)
    return document


def _result(statement: str) -> dict[str, Any]:
    rows = next((rows for start, rows in ANSWERS.items() if statement.upper().startswith(start)), [])
    names = list(rows[0]) if rows else ["name"]
    return {
        "queryId": "01b00000-0000-0000-0000-000000000000",
        "queryResultFormat": "json",
        "statementTypeId": 4096,
        "rowtype": [_column(name) for name in names],
        "rowset": [list(row.values()) for row in rows],
        "total": len(rows),
        "returned": len(rows),
        "parameters": [],
        "finalDatabaseName": None,
        "finalSchemaName": None,
        "finalWarehouseName": None,
        "finalRoleName": "BENCH",
    }


def _column(name: str) -> dict[str, Any]:
    size = 16_777_216
    return {
        "name": name,
        "type": "text",
        "nullable": True,
        "length": size,
        "byteLength": size,
        "precision": None,
        "scale": None,
        "database": "",
        "schema": "",
        "table": "",
    }
