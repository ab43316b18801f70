"""The documented calls, from their JSON to their JSON. HTTP is in routes.py, what the calls do in channels/operations.py."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec

from firnline_local.snowflake.streaming.access.privileges import pipe_for
from firnline_local.snowflake.streaming.access.tokens import Identity
from firnline_local.snowflake.streaming.channels.channel import Append, StreamingChannel
from firnline_local.snowflake.streaming.channels.continuation import Continuation
from firnline_local.snowflake.streaming.face import StreamingFace
from firnline_local.snowflake.streaming.http.address import Address, Operation
from firnline_local.snowflake.streaming.http.pipe_info import pipe_info
from firnline_local.snowflake.streaming.refusals import Malformed, NotModelled

NO_FILE_LANE = (
    "[FL-6050] The embedded Snowflake takes rows, not files. Append less at a time (the SDK turns to files where more than "
    "about 1 MB of a channel waits to be sent), or raise the SDK property max_buffered_kb_for_rowset_mode."
)
NO_ELASTIC_CHANNEL = "[FL-6050] The embedded Snowflake has no elastic channels. Open a named one."


@dataclass(frozen=True)
class Call:
    """One authenticated request; `body` is not compressed any more."""

    identity: Identity
    address: Address
    query: Mapping[str, str]
    body: bytes
    host_and_port: str
    """Of this server, as the client knows it."""


class OpenRequest(msgspec.Struct):
    offset_token: str | None = None
    fail_on_uncommitted_rows: bool = False


class DropRequest(msgspec.Struct):
    fail_on_uncommitted_rows: bool = False


class StatusRequest(msgspec.Struct):
    channel_names: list[str]


def open_channel(face: StreamingFace, call: Call) -> dict[str, Any]:
    request = _body(call, OpenRequest, empty=OpenRequest())
    with face.catalog.lock:  # the status is the one of this opening
        channel = face.channels.open(
            call.identity.role,
            call.address,
            offset_token=request.offset_token,
            fail_on_uncommitted_rows=request.fail_on_uncommitted_rows,
        )
        return {
            "next_continuation_token": channel.continuation.token,
            "channel_status": _status(channel, channel.status_code),
        }


def append_rows(face: StreamingFace, call: Call) -> dict[str, Any]:
    append = Append(
        request_id=call.query.get("requestId", ""),
        start_token=call.query.get("startOffsetToken"),
        end_token=call.query.get("endOffsetToken", call.query.get("offsetToken")),  # Openflow sends the latter
        rows=call.body,
        accepted_at=face.now(),
    )
    continuation = Continuation.read(call.query.get("continuationToken", ""))
    return {
        "next_continuation_token": face.channels.append(call.identity.role, call.address, continuation, append).token
    }


def channel_statuses(face: StreamingFace, call: Call) -> dict[str, Any]:
    names = _body(call, StatusRequest).channel_names
    with face.catalog.lock:
        found = face.channels.statuses(call.identity.role, call.address, names)
        return {"channel_statuses": {channel.name: _status(channel, code) for channel, code in found}}


def drop_channel(face: StreamingFace, call: Call) -> dict[str, Any]:
    request = _body(call, DropRequest, empty=DropRequest())
    dropped = face.channels.drop(
        call.identity.role, call.address, fail_on_uncommitted_rows=request.fail_on_uncommitted_rows
    )
    return {"last_committed_offset_token": dropped.offset_token}


def describe_pipe(face: StreamingFace, call: Call) -> dict[str, Any]:
    with face.catalog.lock:
        pipe = pipe_for(face.catalog, call.identity.role, call.address)
        return pipe_info(pipe, host_and_port=call.host_and_port, now=face.catalog.clock())


def refuse_files(_: StreamingFace, __: Call) -> dict[str, Any]:
    raise NotModelled(NO_FILE_LANE)


def refuse_elastic_channels(_: StreamingFace, __: Call) -> dict[str, Any]:
    raise NotModelled(NO_ELASTIC_CHANNEL)


CALLS: dict[Operation, Callable[[StreamingFace, Call], dict[str, Any]]] = {
    Operation.OPEN: open_channel,
    Operation.APPEND: append_rows,
    Operation.STATUS: channel_statuses,
    Operation.DROP: drop_channel,
    Operation.PIPE_INFO: describe_pipe,
    Operation.FILE_FRAGMENTS: refuse_files,
    Operation.ELASTIC_APPEND: refuse_elastic_channels,
}


Form = TypeVar("Form", bound=msgspec.Struct)


def _body(call: Call, form: type[Form], empty: Form | None = None) -> Form:
    if not call.body and empty is not None:
        return empty
    try:
        return msgspec.json.decode(call.body, type=form)
    except msgspec.MsgspecError as error:
        raise Malformed(f"The request is malformed: {error}") from error


def _status(channel: StreamingChannel, status_code: str) -> dict[str, Any]:
    """The documentation has two names for the count of errors, and the SDK another one for the error's time: all are here."""
    database, schema, pipe = channel.pipe.path
    error = channel.last_error
    return {
        "database_name": database,
        "schema_name": schema,
        "pipe_name": pipe,
        "channel_name": channel.name,
        "channel_status_code": status_code,
        "last_committed_offset_token": channel.offset_token,
        "created_on_ms": int(channel.created_on.timestamp() * 1000),
        "rows_inserted": channel.rows_inserted,
        "rows_parsed": channel.rows_parsed,
        "rows_error_count": channel.rows_error_count,
        "rows_errors": channel.rows_error_count,
        "last_error_offset_upper_bound": error and error.offset_upper_bound,
        "last_error_message": error and error.message,
        "last_error_timestamp": error and int(error.at.timestamp() * 1000),
        "last_error_timestamp_ms": error and int(error.at.timestamp() * 1000),
        "snowflake_avg_processing_latency_ms": int(channel.latency_s * 1000),
    }
