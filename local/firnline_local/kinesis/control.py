"""What a test or a demo does to the server beside Kinesis: faults, the clock, limits, loading, looking.

GET  /__firnline__/faults     the plan, with how often each fault was matched and hit
POST /__firnline__/faults     replaces it: a list of faults
POST /__firnline__/clock      moves it ahead: {"hours": 25}, also "minutes" and "seconds"
POST /__firnline__/limits     {"read": false, "write": true}
POST /__firnline__/liberties  {"late_end": true}: fields of kinesis/liberties.py; those that are not named stay
POST /__firnline__/omit       {"stream": "orders", "shard": "shardId-000000000000", "listings": 1}
POST /__firnline__/load       newline-delimited JSON into ?stream=, with the field ?key= as the partition key
GET  /__firnline__/streams    streams and shards, with what they hold
"""

from dataclasses import asdict
from typing import Any
from urllib.parse import parse_qs, urlsplit

import msgspec

from firnline_local.clock import ManualClock, SystemClock
from firnline_local.faults import InvalidFault, faults_from_json
from firnline_local.kinesis.errors import FakeKinesisError
from firnline_local.kinesis.fake import FakeKinesis
from firnline_local.kinesis.http import HttpRequest
from firnline_local.kinesis.liberties import Liberties
from firnline_local.kinesis.shard import Shard
from firnline_local.kinesis.wire import Reply

CONTROL_PREFIX = "/__firnline__/"


class ClockMove(msgspec.Struct, forbid_unknown_fields=True):
    hours: float = 0
    minutes: float = 0
    seconds: float = 0


class Limits(msgspec.Struct, forbid_unknown_fields=True):
    read: bool | None = None
    write: bool | None = None


class Omission(msgspec.Struct, forbid_unknown_fields=True):
    """A shard that the next listings leave out."""

    stream: str
    shard: str
    listings: int = 1


def control(kinesis: FakeKinesis, request: HttpRequest) -> Reply:
    path = urlsplit(request.target).path.removeprefix(CONTROL_PREFIX)
    try:
        route = ROUTES.get((request.method, path))
        if route is None:
            known = ", ".join(f"{method} {CONTROL_PREFIX}{name}" for method, name in ROUTES)
            return _json({"error": f"there is no {request.method} {request.target}; there are {known}"}, status=404)
        return _json(route(kinesis, request))
    except (InvalidFault, FakeKinesisError, ValueError, msgspec.MsgspecError) as error:
        return _json({"error": str(error)}, status=400)


def show_faults(kinesis: FakeKinesis, _: HttpRequest) -> Any:
    return msgspec.Raw(kinesis.faults.to_json().encode())


def replace_faults(kinesis: FakeKinesis, request: HttpRequest) -> Any:
    kinesis.faults.replace(faults_from_json(request.body))
    return show_faults(kinesis, request)


def move_clock(kinesis: FakeKinesis, request: HttpRequest) -> Any:
    move = msgspec.json.decode(request.body, type=ClockMove)
    clock = kinesis.clock
    if not isinstance(clock, ManualClock | SystemClock):
        raise ValueError(f"the clock of this server can't be moved: {clock!r}")
    clock.advance(hours=move.hours, minutes=move.minutes, seconds=move.seconds)
    return {"now": clock()}


def set_limits(kinesis: FakeKinesis, request: HttpRequest) -> Any:
    limits = msgspec.json.decode(request.body, type=Limits)
    account = kinesis.account
    account.read_limits = account.read_limits if limits.read is None else limits.read
    account.write_limits = account.write_limits if limits.write is None else limits.write
    return {"read": account.read_limits, "write": account.write_limits}


def take_liberties(kinesis: FakeKinesis, request: HttpRequest) -> Any:
    """Raises ValueError for a liberty that is not known."""
    asked = msgspec.json.decode(request.body, type=dict[str, Any])
    with kinesis.account.lock:
        taken = asdict(kinesis.liberties)
        if unknown := asked.keys() - taken.keys():
            raise ValueError(f"{', '.join(sorted(unknown))}: there are the liberties {', '.join(taken)}")
        kinesis.account.liberties = msgspec.convert(taken | asked, Liberties)
        return kinesis.liberties


def omit(kinesis: FakeKinesis, request: HttpRequest) -> Any:
    omission = msgspec.json.decode(request.body, type=Omission)
    kinesis.stream(omission.stream).shard(omission.shard).leave_out(omission.listings)
    return omission


def load(kinesis: FakeKinesis, request: HttpRequest) -> Any:
    query = _query(request, {"stream", "key"})
    return {"records": kinesis.stream(query.get("stream", "")).load(request.body, key=query.get("key"))}


def show_streams(kinesis: FakeKinesis, _: HttpRequest) -> Any:
    with kinesis.account.lock:
        return [
            {"name": stream.name, "arn": stream.arn, "shards": [_shown(s) for s in stream.found.shards.values()]}
            for stream in kinesis.streams
        ]


def _query(request: HttpRequest, known: set[str]) -> dict[str, str]:
    """Raises ValueError for a parameter that is not known."""
    target = urlsplit(request.target)
    query = {name: values[-1] for name, values in parse_qs(target.query).items()}
    if unknown := query.keys() - known:
        takes = " and ".join(f"?{name}=" for name in sorted(known, reverse=True))
        raise ValueError(f"{target.path.rpartition('/')[2]} takes {takes}, not {', '.join(sorted(unknown))}")
    return query


def _shown(shard: Shard) -> dict[str, Any]:
    return {
        "id": shard.id,
        "parents": shard.parent_ids,
        "is_open": shard.is_open,
        "records": shard.log.next - shard.log.first,
        "bytes": shard.log.size_bytes,
        "records_ever": shard.log.next - 1,
        "last_sequence_number": str(shard.last_number),
    }


def _json(content: Any, *, status: int = 200) -> Reply:
    return Reply(status, msgspec.json.encode(content), content_type="application/json")


ROUTES = {
    ("GET", "faults"): show_faults,
    ("POST", "faults"): replace_faults,
    ("POST", "clock"): move_clock,
    ("POST", "limits"): set_limits,
    ("POST", "liberties"): take_liberties,
    ("POST", "omit"): omit,
    ("POST", "load"): load,
    ("GET", "streams"): show_streams,
}
