"""Carries out the fault plan in front of an endpoint of the embedded Snowflake, of whichever service."""

import asyncio
from collections.abc import Awaitable, Callable

from starlette.responses import JSONResponse, Response
from starlette.types import Receive, Scope, Send

from firnline_local.faults import Fault, FaultKind, FaultPlan

ABORT = "firnline.abort"
"""The scope's extension that cuts the connection; the server puts it there."""


async def answer(faults: FaultPlan, endpoint: str, handle: Callable[[], Awaitable[Response]]) -> Response:
    """Returns what `handle` answers, or what the plan says: an error or nothing instead, late, or an effect without an answer.

    Read the request's body before: an answer in the middle of a request looks like a broken server.
    """
    fault = faults.decide(endpoint)
    if fault is None:
        return await handle()
    response = await _answer(fault, handle)
    await asyncio.sleep(fault.delay_s)
    return response


async def _answer(fault: Fault, handle: Callable[[], Awaitable[Response]]) -> Response:
    match fault.kind:
        case FaultKind.ERROR:
            return JSONResponse(
                {"code": fault.code or "ERR_INTERNAL", "message": fault.message or "Injected fault."}, fault.status
            )
        case FaultKind.BODY:
            return Response(fault.body, 200, media_type="application/json")
        case FaultKind.CUT:
            return CutConnection()
        case FaultKind.LOST:
            await handle()
            return CutConnection()
        case FaultKind.SLOW:
            return await handle()


class CutConnection(Response):
    """No answer: the client sees its connection closed."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        scope["extensions"][ABORT]()
        while (await receive())["type"] != "http.disconnect":
            pass
