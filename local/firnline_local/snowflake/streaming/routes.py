"""The streaming API over HTTP: who asks, what is asked, and every refusal as {"code", "message"}.

Calls are made in worker threads, because a long query may hold the catalog's lock.
"""

import gzip
import zlib
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import parse_qs

import zstandard
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

from firnline_local.snowflake.faulty import answer
from firnline_local.snowflake.streaming.access import Operation, authenticated, exchange_token, read_address
from firnline_local.snowflake.streaming.calls import CALLS, NO_FILE_LANE, STAGE, StreamingCall
from firnline_local.snowflake.streaming.errors import ApiError, Malformed, NotAuthenticated, PayloadTooLarge
from firnline_local.snowflake.streaming.service import StreamingService

MAX_PAYLOAD_BYTES = 4 << 20
"""As sent over the network, compressed or not."""
TELEMETRY_ACCEPTED = {"code": None, "data": "Log Received", "message": None, "success": True}


def streaming_routes(service: StreamingService) -> list[Route]:
    """The documented endpoints, `:pipe-info`, and answers to what else the SDK sends.

    Endpoints of the fault plan: snowflake:hostname, :token, :pipe-info, :open, :append, :status, :drop.
    """
    return [
        Route("/v2/streaming/hostname", _route(service, "hostname", _hostname), methods=["GET"]),
        Route("/oauth/token", _route(service, "token", _token), methods=["POST"]),
        Route("/v2/streaming/{path:path}", _ingest(service), methods=["DELETE", "POST", "PUT"]),
        Route("/telemetry/send/sessionless", _accept_telemetry, methods=["POST"]),
        Route(f"/{STAGE}/{{path:path}}", _refuse_upload, methods=["PUT"]),
    ]


Handler = Callable[[StreamingService, Request, bytes], Response]


def _route(service: StreamingService, endpoint: str, handle: Handler) -> Callable[[Request], Any]:
    """Reads the body, asks the fault plan, handles in a worker thread."""

    async def respond(request: Request) -> Response:
        body = await _read_body(request)

        async def handled() -> Response:
            try:
                if body is None:
                    raise PayloadTooLarge
                return await run_in_threadpool(handle, service, request, body)
            except ApiError as error:
                return _refused(error)

        return await answer(service.faults, f"snowflake:{endpoint}", handled)

    return respond


async def _read_body(request: Request) -> bytes | None:
    """Returns None for a body that is too large, which is read to its end all the same: the client wants its answer."""
    size, chunks = 0, []
    async for chunk in request.stream():
        size += len(chunk)
        if size <= MAX_PAYLOAD_BYTES:
            chunks.append(chunk)
    return b"".join(chunks) if size <= MAX_PAYLOAD_BYTES else None


def _ingest(service: StreamingService) -> Callable[[Request], Any]:
    by_operation = {operation: _route(service, operation.value, _call) for operation in Operation}

    async def respond(request: Request) -> Response:
        address = read_address(request.method, request.scope["raw_path"].decode("latin-1"))
        if address is None:
            return _refused(Malformed(f"There is no {request.method} {request.url.path}."))
        request.state.address = address
        response: Response = await by_operation[address.operation](request)
        return response

    return respond


def _call(service: StreamingService, request: Request, body: bytes) -> Response:
    call = StreamingCall(
        identity=service.tokens.read(_bearer(request)),
        address=request.state.address,
        query=request.query_params,
        body=_decompressed(request, body),
        host_and_port=request.url.netloc,
    )
    return JSONResponse(CALLS[call.address.operation](service, call))


def _hostname(service: StreamingService, request: Request, _: bytes) -> Response:
    """Plain text, whatever the documentation's table says: its own tutorial and every client take it as it is."""
    authenticated(service.catalog, _bearer(request))
    return PlainTextResponse(request.url.hostname or "")


def _token(service: StreamingService, request: Request, body: bytes) -> Response:
    form = {name: values[-1] for name, values in parse_qs(body.decode("latin-1")).items()}
    return PlainTextResponse(exchange_token(service.catalog, service.tokens, form, _bearer(request)))


async def _accept_telemetry(request: Request) -> Response:
    await request.body()
    return JSONResponse(TELEMETRY_ACCEPTED)


async def _refuse_upload(request: Request) -> Response:
    """Refuses in S3's words, with a status that its client does not repeat."""
    async for _ in request.stream():
        pass
    error = f"<Error><Code>NotImplemented</Code><Message>{NO_FILE_LANE}</Message></Error>"
    return Response(error, 501, media_type="application/xml")


def _bearer(request: Request) -> str:
    scheme, _, token = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer":
        raise NotAuthenticated
    return token


def _decompressed(request: Request, body: bytes) -> bytes:
    try:
        match request.headers.get("content-encoding", ""):
            case "zstd":
                return b"".join(_zstd_frames(body))
            case "gzip":
                return gzip.decompress(body)
            case "":
                return body
            case encoding:
                raise Malformed(f"The content encoding {encoding} is not supported.")
    except (zstandard.ZstdError, zlib.error, OSError, EOFError) as error:
        raise Malformed(f"The payload can't be decompressed: {error}") from error


def _zstd_frames(body: bytes) -> Iterator[bytes]:
    """Raises ZstdError for a frame that is cut off."""
    while body:
        frame = zstandard.ZstdDecompressor().decompressobj()
        yield frame.decompress(body)
        if not frame.eof:
            raise zstandard.ZstdError("the last frame is not whole")
        body = frame.unused_data


def _refused(error: ApiError) -> Response:
    return JSONResponse({"code": error.code, "message": error.message}, error.status)
