"""The streaming service as one object: what its routes, its control routes and its tests hold.

The control routes are what a test or a demo does to the Snowflake server beside Snowflake.

GET  /__firnline__/faults      the plan, with how often each fault was matched and hit
POST /__firnline__/faults      replaces it: a list of faults
GET  /__firnline__/settings    commit lag, held commits, limits
POST /__firnline__/aws         {"endpoint": …, "region": …}: where external volumes are verified from now on
"""

from collections.abc import Callable
from time import monotonic
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from firnline_local.faults import FaultPlan, InvalidFault, faults_from_json
from firnline_local.snowflake.catalog import Catalog
from firnline_local.snowflake.embedded_aws import EmbeddedAws
from firnline_local.snowflake.streaming.access import ScopedTokens
from firnline_local.snowflake.streaming.channels import Channels
from firnline_local.snowflake.streaming.committer import Committer
from firnline_local.snowflake.streaming.settings import StreamingCounts, StreamingSettings


class StreamingService:
    """Channels over one catalog, and the thread that commits their rows between `start` and `close`."""

    def __init__(
        self,
        catalog: Catalog,
        faults: FaultPlan,
        *,
        settings: StreamingSettings | None = None,
        now: Callable[[], float] = monotonic,
    ) -> None:
        self.catalog = catalog
        self.faults = faults
        self.settings = settings or StreamingSettings()
        self.counts = StreamingCounts()
        self.now = now
        self.tokens = ScopedTokens(catalog.clock)
        self.channels = Channels(catalog, self.settings, self.counts, now)
        self.committer = Committer(
            catalog,
            self.channels,
            settings=self.settings,
            counts=self.counts,
            now=now,
        )

    def start(self) -> None:
        self.committer.start()

    def close(self) -> None:
        self.committer.close()


PREFIX = "/__firnline__/"


def control_routes(service: StreamingService) -> list[Route]:
    return [
        Route(PREFIX + path, _route(service, handle), methods=[method])
        for method, path, handle in (
            ("GET", "faults", show_faults),
            ("POST", "faults", replace_faults),
            ("GET", "settings", show_settings),
            ("POST", "aws", name_aws),
        )
    ]


def show_faults(service: StreamingService, _: Request, __: bytes) -> Any:
    return msgspec.Raw(service.faults.to_json().encode())


def replace_faults(service: StreamingService, request: Request, body: bytes) -> Any:
    service.faults.replace(faults_from_json(body))
    return show_faults(service, request, body)


def show_settings(service: StreamingService, _: Request, __: bytes) -> Any:
    return service.settings


def name_aws(service: StreamingService, _: Request, body: bytes) -> Any:
    given = msgspec.json.decode(body, type=dict[str, str])
    if given.keys() != {"endpoint", "region"}:
        raise ValueError(f"endpoint and region are needed, and there are {', '.join(sorted(given)) or 'neither'}")
    service.catalog.volume_access = EmbeddedAws(endpoint=given["endpoint"], region=given["region"])
    return given


def _route(
    service: StreamingService, handle: Callable[[StreamingService, Request, bytes], Any]
) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        try:
            return _json(await run_in_threadpool(handle, service, request, await request.body()))
        except (InvalidFault, ValueError, msgspec.MsgspecError) as error:
            return _json({"error": str(error)}, status=400)

    return respond


def _json(content: Any, *, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content), status, media_type="application/json")
