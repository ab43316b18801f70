"""What a test or a demo does to the Snowflake server beside Snowflake.

GET  /__firnline__/faults      the plan, with how often each fault was matched and hit
POST /__firnline__/faults      replaces it: a list of faults
GET  /__firnline__/settings    commit lag, held commits, limits
POST /__firnline__/settings    changes any of them: {"commit_lag_ms": 50, "hold_commits": true}
GET  /__firnline__/stats       what the service did, and where each channel is
POST /__firnline__/aws         {"endpoint": …, "region": …}: where external volumes are verified from now on
GET  /__firnline__/commits     ?db=&schema=&table=, after= an entry: what was committed to a table, in order
"""

from collections.abc import Callable
from typing import Any

import msgspec
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from firnline_local.faults import InvalidFault, faults_from_json
from firnline_local.snowflake.embedded_aws import EmbeddedAws
from firnline_local.snowflake.streaming.channels.channel import StreamingChannel
from firnline_local.snowflake.streaming.face import StreamingFace

PREFIX = "/__firnline__/"
MAX_COMMITS = 10_000
"""In one answer."""


class NotFound(Exception):
    """A control request about something that isn't there."""


def control_routes(face: StreamingFace) -> list[Route]:
    return [
        Route(PREFIX + path, _route(face, handle), methods=[method])
        for method, path, handle in (
            ("GET", "faults", show_faults),
            ("POST", "faults", replace_faults),
            ("GET", "settings", show_settings),
            ("POST", "settings", change_settings),
            ("GET", "stats", show_stats),
            ("GET", "commits", show_commits),
            ("POST", "aws", name_aws),
        )
    ]


def show_faults(face: StreamingFace, _: Request, __: bytes) -> Any:
    return msgspec.Raw(face.faults.to_json().encode())


def replace_faults(face: StreamingFace, request: Request, body: bytes) -> Any:
    face.faults.replace(faults_from_json(body))
    return show_faults(face, request, body)


def show_settings(face: StreamingFace, _: Request, __: bytes) -> Any:
    return face.settings


def change_settings(face: StreamingFace, _: Request, body: bytes) -> Any:
    with face.catalog.lock:
        face.settings.change(body)
    face.committer.wake()
    return face.settings


def show_stats(face: StreamingFace, _: Request, __: bytes) -> Any:
    with face.catalog.lock:
        channels = [c for c in face.catalog.channels.values() if isinstance(c, StreamingChannel)]
        return msgspec.to_builtins(face.counts) | {
            "uncommitted_bytes": face.channels.uncommitted_bytes,
            "channels": [_shown(channel) for channel in channels],
        }


def name_aws(face: StreamingFace, _: Request, body: bytes) -> Any:
    given = msgspec.json.decode(body, type=dict[str, str])
    if given.keys() != {"endpoint", "region"}:
        raise ValueError(f"endpoint and region are needed, and there are {', '.join(sorted(given)) or 'neither'}")
    face.catalog.volume_access = EmbeddedAws(endpoint=given["endpoint"], region=given["region"])
    return given


def show_commits(face: StreamingFace, request: Request, _: bytes) -> Any:
    query = request.query_params
    with face.catalog.lock:
        table = face.catalog.resolve_table(query.get("db", ""), query.get("schema", ""), query.get("table", ""))
        if table is None:
            raise NotFound(f"there is no table {query.get('db')}.{query.get('schema')}.{query.get('table')}")
        commits = face.log.of(table.id, after=int(query.get("after", -1)))
    return {"table_id": table.id, "commits": commits[:MAX_COMMITS], "is_complete": len(commits) <= MAX_COMMITS}


def _shown(channel: StreamingChannel) -> dict[str, Any]:
    return {
        "name": channel.name,
        "pipe": channel.pipe.full_name,
        "status_code": channel.status_code,
        "client_sequencer": channel.client_sequencer,
        "row_sequencer": channel.row_sequencer,
        "offset_token": channel.offset_token,
        "uncommitted_requests": len(channel.pending),
        "uncommitted_bytes": channel.pending_bytes,
    }


def _route(face: StreamingFace, handle: Callable[[StreamingFace, Request, bytes], Any]) -> Callable[[Request], Any]:
    async def respond(request: Request) -> Response:
        try:
            return _json(await run_in_threadpool(handle, face, request, await request.body()))
        except NotFound as error:
            return _json({"error": str(error)}, status=404)
        except (InvalidFault, ValueError, msgspec.MsgspecError) as error:
            return _json({"error": str(error)}, status=400)

    return respond


def _json(content: Any, *, status: int = 200) -> Response:
    return Response(msgspec.json.encode(content), status, media_type="application/json")
