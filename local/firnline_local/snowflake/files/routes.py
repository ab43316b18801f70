"""Routes of PUT's files: the S3 face of internal stages, as far as the connector uses it, and their decryption.

The client encrypts with a key of the file's own (AES-CBC), and that key with the stage's (AES-ECB); what it sends with them
was measured with connector 5.2. Signatures are not checked: the session token that PUT gave out is.

The file endpoints over HTTP.

Endpoints of the fault plan: snowflake:insertFiles, :insertReport, :loadHistoryScan and :upload.
"""

import base64
from collections.abc import Callable, Mapping
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from firnline_local.snowflake.catalog import Catalog, Stage
from firnline_local.snowflake.catalog.storage import CLIENT_SIDE, StagedFile
from firnline_local.snowflake.faulty import answer
from firnline_local.snowflake.files.calls import FileCall, insert_files, insert_report, load_history_scan
from firnline_local.snowflake.files.service import FileApiError, FileService, Refused
from firnline_local.snowflake.sql.statements.storage import BUCKET

KEY, IV = "x-amz-meta-x-amz-key", "x-amz-meta-x-amz-iv"
DIGEST = "x-amz-meta-sfc-digest"


class UploadRefused(Exception):
    """A refused upload, in S3's words."""

    def __init__(self, code: str, status: int) -> None:
        super().__init__(code)
        self.code, self.status = code, status


def keep_upload(catalog: Catalog, path: str, headers: Mapping[str, str], body: bytes) -> None:
    with catalog.lock:
        stage, name = _place(catalog, path, headers)
        content = _decrypted(stage, headers, body) if stage.encryption == CLIENT_SIDE else body
        stage.files[name] = StagedFile(content=content, staged_at=catalog.clock(), digest=headers.get(DIGEST, ""))


def look_up(catalog: Catalog, path: str, headers: Mapping[str, str]) -> StagedFile | None:
    with catalog.lock:
        stage, name = _place(catalog, path, headers)
        return stage.files.get(name)


def _place(catalog: Catalog, path: str, headers: Mapping[str, str]) -> tuple[Stage, str]:
    number, _, name = path.partition("/")
    stage = next((one for one in catalog.account.walk() if isinstance(one, Stage) and str(one.id) == number), None)
    if stage is None:
        raise UploadRefused("NoSuchKey", 404)
    end = stage.uploads.get(headers.get("x-amz-security-token", ""))
    if end is None or end <= catalog.clock():
        raise UploadRefused("ExpiredToken", 400)
    return stage, name


def _decrypted(stage: Stage, headers: Mapping[str, str], body: bytes) -> bytes:
    try:
        wrapped, start = base64.b64decode(headers[KEY]), base64.b64decode(headers[IV])
        key = _unpadded(_decrypt(Cipher(algorithms.AES(stage.master_key), modes.ECB()), wrapped))  # noqa: S305 - the client's format
        return _unpadded(_decrypt(Cipher(algorithms.AES(key), modes.CBC(start)), body))
    except (KeyError, ValueError) as error:
        raise UploadRefused("InvalidRequest", 400) from error


def _decrypt(cipher: "Cipher[modes.CBC] | Cipher[modes.ECB]", data: bytes) -> bytes:
    decryptor = cipher.decryptor()
    return decryptor.update(data) + decryptor.finalize()


def _unpadded(data: bytes) -> bytes:
    unpadder = PKCS7(128).unpadder()
    return unpadder.update(data) + unpadder.finalize()


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
                refusal = {"code": error.code, "success": False, "message": error.message, "data": None}
                return JSONResponse(refusal, error.status)

        return await answer(service.faults, f"snowflake:{endpoint}", handled)

    return respond


def _called(service: FileService, call: Call, request: Request, body: bytes) -> dict[str, Any]:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise Refused("JWT token is invalid.", "390144")
    return call(service, FileCall(token, request.path_params["pipe"], request.query_params, body))


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
