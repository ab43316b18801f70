"""The file endpoints over HTTP.

Endpoints of the fault plan: snowflake:insertFiles, :insertReport, :loadHistoryScan and :upload.
"""

from collections.abc import Callable
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from firnline_local.snowflake.faulty import answer
from firnline_local.snowflake.files.calls import FileCall, insert_files, insert_report, load_history_scan
from firnline_local.snowflake.files.errors import FileApiError, Refused
from firnline_local.snowflake.files.service import FileService
from firnline_local.snowflake.files.uploads import DIGEST, UploadRefused, keep_upload, look_up
from firnline_local.snowflake.sql.statements.stage import BUCKET

PIPES = "/v1/data/pipes/{pipe:path}/"
Call = Callable[[FileService, FileCall], dict[str, Any]]


def file_routes(service: FileService) -> list[Route]:
    return [
        Route(f"{PIPES}insertFiles", _route(service, "insertFiles", insert_files), methods=["POST"]),
        Route(f"{PIPES}insertReport", _route(service, "insertReport", insert_report), methods=["GET"]),
        Route(f"{PIPES}loadHistoryScan", _route(service, "loadHistoryScan", load_history_scan), methods=["GET"]),
        Route(f"/{BUCKET}/{{path:path}}", _uploads(service), methods=["PUT", "HEAD"]),
    ]


def _route(service: FileService, endpoint: str, call: Call) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        body = await request.body()

        async def handled() -> Response:
            try:
                return JSONResponse(await run_in_threadpool(_called, service, call, request, body))
            except FileApiError as error:
                told = {"code": error.code, "success": False, "message": error.message, "data": None}
                return JSONResponse(told, error.status)

        return await answer(service.faults, f"snowflake:{endpoint}", handled)

    return respond


def _called(service: FileService, call: Call, request: Request, body: bytes) -> dict[str, Any]:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Refused("JWT token is invalid.", "390144")
    is_text = request.headers.get("content-type", "").startswith("text/plain")
    return call(service, FileCall(token, request.path_params["pipe"], request.query_params, body, is_text))


def _uploads(service: FileService) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        body = await request.body()

        async def handled() -> Response:
            path = request.path_params["path"]
            try:
                if request.method == "HEAD":
                    found = await run_in_threadpool(look_up, service.catalog, path, request.headers)
                    return Response(status_code=200 if found else 404, headers={DIGEST: found.digest} if found else {})
                await run_in_threadpool(keep_upload, service.catalog, path, request.headers, body)
                return Response(status_code=200, headers={"ETag": '"staged"'})
            except UploadRefused as error:
                words = f"<Error><Code>{error.code}</Code><Message>{error.code}</Message></Error>"
                return Response(words, error.status, media_type="application/xml")

        return await answer(service.faults, "snowflake:upload", handled)

    return respond
