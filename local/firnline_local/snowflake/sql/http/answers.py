"""The envelope that every answer of the SQL face comes in, and the description of a result's columns."""

from typing import Any

import msgspec
from starlette.responses import Response

from firnline_local.snowflake.catalog import AuthenticationFailed, DataType, SqlError
from firnline_local.snowflake.sql.result import Result, ResultColumn
from firnline_local.snowflake.sql.session import Session

JSON = "application/json"
WIRE_TYPES = {"NUMBER": "fixed", "FLOAT": "real", "VARCHAR": "text"}
"""Where the wire has another name for a type than SQL; otherwise it is the same in lower case."""


def succeeded(data: Any = None) -> bytes:
    return msgspec.json.encode({"data": data, "code": None, "message": None, "success": True})


def failed(code: str, message: str, data: Any = None) -> bytes:
    return msgspec.json.encode({"data": data, "code": code, "message": message, "success": False})


def refused(error: AuthenticationFailed) -> bytes:
    """What Snowflake keeps to itself, the reason, is said here: nobody attacks this server."""
    message = f"{error.message} [{error.reason}]" if error.code == "390144" else error.message
    return failed(error.code, message, {"authnMethod": "KEYPAIR"})


def failed_query(error: SqlError, query_id: str) -> bytes:
    data = {
        "internalError": False,
        "unredactedFromSecureObject": False,
        "errorCode": error.code,
        "sqlState": error.sql_state,
        "queryId": query_id,
        "line": -1,
        "pos": -1,
        "type": "COMPILATION",
    }
    return failed(error.code, error.message, data)


def answered_query(result: Result, session: Session, query_id: str) -> bytes:
    """Small or large, the whole result goes inline: there is no stage to fetch chunks from."""
    data = {
        "parameters": parameter_list(result.parameters),
        "rowtype": [_column(column) for column in result.columns],
        "rowset": result.rows,
        "total": len(result.rows),
        "returned": len(result.rows),
        "queryId": query_id,
        "databaseProvider": None,
        **{f"final{kind}Name": name for kind, name in location(session).items()},
        "numberOfBinds": 0,
        "arrayBindSupported": False,
        "statementTypeId": int(result.type),
        "version": 1,
        "queryResultFormat": "json",
    }
    return succeeded(data)


def location(session: Session) -> dict[str, str | None]:
    """Where the session is, by Database, Schema, Warehouse and Role."""
    return {
        "Database": session.database.name if session.database else None,
        "Schema": session.schema.name if session.schema else None,
        "Warehouse": session.warehouse.name if session.warehouse else None,
        "Role": session.role.name,
    }


def parameter_list(parameters: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"name": name, "value": value} for name, value in parameters.items()]


def respond(body: bytes, status: int = 200) -> Response:
    return Response(body, status_code=status, media_type=JSON)


def _column(column: ResultColumn) -> dict[str, Any]:
    kind = column.type
    return {
        "name": column.name,
        "type": WIRE_TYPES.get(kind.family, kind.family.lower()),
        "nullable": column.nullable,
        **_size(kind),
        "database": "",
        "schema": "",
        "table": "",
        "collation": None,
    }


def _size(kind: DataType) -> dict[str, int | None]:
    size: dict[str, int | None] = dict.fromkeys(("length", "byteLength", "precision", "scale"))
    match kind.family:
        case "NUMBER":
            return {**size, "precision": kind.size, "scale": kind.scale}
        case "VARCHAR" | "BINARY":
            return {**size, "length": kind.size, "byteLength": kind.size}
        case "TIME" | "TIMESTAMP_NTZ" | "TIMESTAMP_LTZ" | "TIMESTAMP_TZ":
            return {**size, "precision": 0, "scale": kind.size}
        case _:
            return size
