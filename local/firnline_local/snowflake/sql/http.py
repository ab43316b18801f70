"""The addresses of the SQL service, as the drivers call them, and the envelope that every answer comes in.

Every call is the endpoint `snowflake:sql` of the fault plan.
"""

import gzip
import sys
import traceback
import uuid
from collections.abc import Callable
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from firnline_local.faults import FaultPlan
from firnline_local.record import CARRIED_OUT
from firnline_local.snowflake.catalog import AuthenticationFailed, Catalog, DataType, SqlError
from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.faulty import CutConnection, answer
from firnline_local.snowflake.sql.execute import execute
from firnline_local.snowflake.sql.login import log_in, token_renewal
from firnline_local.snowflake.sql.query.lowering import install_macros
from firnline_local.snowflake.sql.result import WIRE_NAMES, Result, ResultColumn
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.sessions import Session, Sessions

JSON = "application/json"
ENDPOINT = "snowflake:sql"
Handler = Callable[[Request, dict[str, Any]], bytes]


def succeeded(data: Any = None) -> bytes:
    return msgspec.json.encode({"data": data, "code": None, "message": None, "success": True})


def failed(code: str, message: str, data: Any = None) -> bytes:
    return msgspec.json.encode({"data": data, "code": code, "message": message, "success": False})


def refused_login(error: AuthenticationFailed) -> bytes:
    """Unlike Snowflake, this tells the client the reason: the server is for development."""
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
        "parameters": [],
        "rowtype": [_column(column) for column in result.columns],
        "rowset": result.rows,
        "total": len(result.rows),
        "returned": len(result.rows),
        "queryId": query_id,
        "databaseProvider": None,
        **{f"final{kind}Name": name for kind, name in session.location.items()},
        "numberOfBinds": 0,
        "arrayBindSupported": False,
        "statementTypeId": int(result.type),
        "version": 1,
        "queryResultFormat": "json",
    }
    return succeeded(data)


def answered_transfer(transfer: dict[str, Any], host_and_port: str) -> bytes:
    """The files go to this server."""
    return succeeded(transfer | {"stageInfo": transfer["stageInfo"] | {"endPoint": host_and_port}})


def respond(body: bytes, status: int = 200) -> Response:
    return Response(body, status_code=status, media_type=JSON)


def _column(column: ResultColumn) -> dict[str, Any]:
    kind = column.type
    return {
        "name": column.name,
        "type": WIRE_NAMES.get(kind.family, kind.family).lower(),
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


class SqlService:
    """Answers the drivers' requests; each handler runs in a thread of its own."""

    def __init__(self, catalog: Catalog, faults: FaultPlan) -> None:
        install_macros(catalog.store)
        self._catalog = catalog
        self._faults = faults
        self._sessions = Sessions(catalog)

    def routes(self) -> list[Route]:
        return [
            self._route("/session/v1/login-request", self._log_in),
            self._route("/session/token-request", self._renew),
            self._route("/session/heartbeat", self._heartbeat),
            self._route("/session", self._close),
            self._route("/queries/v1/query-request", self._query),
            self._route("/queries/v1/abort-request", self._abort),
            self._route("/telemetry/send", self._telemetry),
        ]

    def _route(self, path: str, handler: Handler) -> Route:
        async def endpoint(request: Request) -> Response:
            body = await _read(request)
            reached = False

            async def handle() -> Response:
                nonlocal reached
                reached = True
                return respond(await run_in_threadpool(_guarded, handler, request, body))

            response = await answer(self._faults, ENDPOINT, handle)
            return response if reached or isinstance(response, CutConnection) else _in_envelope(response)

        return Route(path, endpoint, methods=["POST"])

    def _log_in(self, request: Request, body: dict[str, Any]) -> bytes:
        return succeeded(log_in(self._catalog, self._sessions, body.get("data") or {}, request.query_params))

    def _renew(self, request: Request, body: dict[str, Any]) -> bytes:
        return succeeded(token_renewal(self._sessions.renew(_token(request))))

    def _heartbeat(self, request: Request, body: dict[str, Any]) -> bytes:
        self._sessions.get(_token(request))
        return succeeded()

    def _close(self, request: Request, body: dict[str, Any]) -> bytes:
        if request.query_params.get("delete") == "true":
            self._sessions.close(_token(request))
        return succeeded()

    def _telemetry(self, request: Request, body: dict[str, Any]) -> bytes:
        return succeeded("Log Received")

    def _abort(self, request: Request, body: dict[str, Any]) -> bytes:
        self._sessions.get(_token(request)).interrupt()
        return succeeded()

    def _query(self, request: Request, body: dict[str, Any]) -> bytes:
        session = self._sessions.get(_token(request))
        request_id = request.query_params.get("requestId") or str(uuid.uuid4())
        with session.lock:
            if request_id in session.answers:
                return session.answers[request_id]
            answered = self._run(session, body, request.url.netloc)
            session.remember(request_id, answered)
            return answered

    def _run(self, session: Session, body: dict[str, Any], host_and_port: str) -> bytes:
        query_id = str(uuid.uuid4())
        context = Context(self._catalog, session, self._catalog.clock(), query_id)
        try:
            if body.get("asyncExec"):
                raise NotKnown("asynchronous queries")
            if body.get("bindings"):
                raise NotKnown("values that a driver binds to question marks: let it format them (paramstyle pyformat)")
            text = str(body.get("sqlText") or "")
            result = execute(context, text, describe_only=bool(body.get("describeOnly")))
            CARRIED_OUT.note(dialect="snowflake", sql=text)
            if result.transfer is not None:
                return answered_transfer(result.transfer, host_and_port)
            return answered_query(result, session, query_id)
        except SqlError as error:
            return failed_query(error, query_id)
        except Exception as error:
            traceback.print_exc(file=sys.stderr)
            fault = SqlError(f"SQL execution internal error: {type(error).__name__}: {error}")
            return failed_query(fault, query_id)


async def _read(request: Request) -> dict[str, Any]:
    body = await request.body()
    if request.headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body)
    read: dict[str, Any] = msgspec.json.decode(body, type=dict[str, Any]) if body else {}
    return read


def _guarded(handler: Handler, request: Request, body: dict[str, Any]) -> bytes:
    try:
        return handler(request, body)
    except AuthenticationFailed as error:
        print(f"refused: {error}", file=sys.stderr)
        return refused_login(error)


def _token(request: Request) -> str:
    """`Authorization: Snowflake Token="…"`"""
    return request.headers.get("authorization", "").removeprefix('Snowflake Token="').removesuffix('"')


def _in_envelope(injected: Response) -> Response:
    """A fault of the plan, in the envelope of this service."""
    fault = msgspec.json.decode(bytes(injected.body), type=dict[str, str])
    return respond(failed(fault["code"], fault["message"]), injected.status_code)
