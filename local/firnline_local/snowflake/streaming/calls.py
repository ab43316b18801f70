"""The documented calls, from their JSON to their JSON. HTTP is in routes.py, what the calls do in channels.py."""

import base64
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, TypeVar

import msgspec

from firnline_local.decoding import decoder_of
from firnline_local.snowflake.catalog import Pipe
from firnline_local.snowflake.streaming.access import Address, Identity, Operation, pipe_for
from firnline_local.snowflake.streaming.channel import Append, Continuation, Progress, StreamingChannel
from firnline_local.snowflake.streaming.errors import Malformed, NotModelled
from firnline_local.snowflake.streaming.service import StreamingService

STAGE = "firnline-has-no-file-lane"
"""The bucket of the stage, and so the first segment of an upload's path."""
STAGE_LIFETIME = timedelta(days=1)
PARAMETERS = {
    "max_client_lag_seconds": 1,
    "rowset_flush_threshold_kb": 60_000,
    "max_buffered_kb_for_rowset_mode": 60_000,
    "rowset_threshold_lookback_seconds": 10,
    "rowset_threshold_ewma_weight": 50,
    "rowset_threshold_for_rowset_mode": 255,
    "target_file_size_compressed_mb": 16,
    "cpu_throttle_high_watermark_percent": 99,
    "cpu_throttle_low_watermark_percent": 98,
    "mem_throttle_high_watermark_percent": 99,
    "mem_throttle_low_watermark_percent": 98,
}
NO_FILE_LANE = (
    "[FL-6050] The embedded Snowflake takes rows, not files. Append less at a time (the SDK turns to files where more than "
    "about 1 MB of a channel waits to be sent), or raise the SDK property max_buffered_kb_for_rowset_mode."
)
NO_ELASTIC_CHANNEL = "[FL-6050] The embedded Snowflake has no elastic channels. Open a named one."


@dataclass(frozen=True)
class StreamingCall:
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


def open_channel(service: StreamingService, call: StreamingCall) -> dict[str, Any]:
    request = _body(call, OpenRequest, empty=OpenRequest())
    with service.catalog.lock:  # the status is the one of this opening
        channel = service.channels.open(
            call.identity.role,
            call.address,
            offset_token=request.offset_token,
            fail_on_uncommitted_rows=request.fail_on_uncommitted_rows,
        )
        return {
            "next_continuation_token": channel.continuation.token,
            "channel_status": _status(channel, channel.status_code, service),
        }


def append_rows(service: StreamingService, call: StreamingCall) -> dict[str, Any]:
    append = Append(
        request_id=call.query.get("requestId", ""),
        start_token=call.query.get("startOffsetToken"),
        end_token=call.query.get("endOffsetToken", call.query.get("offsetToken")),  # Openflow sends the latter
        rows=call.body,
        accepted_at=service.now(),
    )
    continuation = Continuation.read(call.query.get("continuationToken", ""))
    return {
        "next_continuation_token": service.channels.append(call.identity.role, call.address, continuation, append).token
    }


def channel_statuses(service: StreamingService, call: StreamingCall) -> dict[str, Any]:
    names = _body(call, StatusRequest).channel_names
    with service.catalog.lock:
        found = service.channels.statuses(call.identity.role, call.address, names)
        return {"channel_statuses": {channel.name: _status(channel, code, service) for channel, code in found}}


def drop_channel(service: StreamingService, call: StreamingCall) -> dict[str, Any]:
    request = _body(call, DropRequest, empty=DropRequest())
    dropped = service.channels.drop(
        call.identity.role, call.address, fail_on_uncommitted_rows=request.fail_on_uncommitted_rows
    )
    return {"last_committed_offset_token": dropped.offset_token}


def describe_pipe(service: StreamingService, call: StreamingCall) -> dict[str, Any]:
    with service.catalog.lock:
        pipe = pipe_for(service.catalog, call.identity.role, call.address)
        return pipe_info(pipe, host_and_port=call.host_and_port, now=service.catalog.clock())


def refuse_files(_: StreamingService, __: StreamingCall) -> dict[str, Any]:
    raise NotModelled(NO_FILE_LANE)


def refuse_elastic_channels(_: StreamingService, __: StreamingCall) -> dict[str, Any]:
    raise NotModelled(NO_ELASTIC_CHANNEL)


CALLS: dict[Operation, Callable[[StreamingService, StreamingCall], dict[str, Any]]] = {
    Operation.OPEN: open_channel,
    Operation.APPEND: append_rows,
    Operation.STATUS: channel_statuses,
    Operation.DROP: drop_channel,
    Operation.PIPE_INFO: describe_pipe,
    Operation.FILE_FRAGMENTS: refuse_files,
    Operation.ELASTIC_APPEND: refuse_elastic_channels,
}


Form = TypeVar("Form", bound=msgspec.Struct)


def _body(call: StreamingCall, form: type[Form], empty: Form | None = None) -> Form:
    if not call.body and empty is not None:
        return empty
    try:
        return decoder_of(form).decode(call.body)
    except msgspec.MsgspecError as error:
        raise Malformed(f"The request is malformed: {error}") from error


def _progress(channel: StreamingChannel, service: StreamingService) -> tuple[Progress, Progress]:
    """The progress that the token comes from, and that of the counters, by the settings."""
    settings = service.settings
    shown = channel.progress
    if settings.statuses_gone_back and channel.earlier:
        settings.statuses_gone_back -= 1
        shown = channel.earlier[-1]
    counted = channel.progress_at(service.now() - settings.counter_lag_ms / 1000) if settings.counter_lag_ms else shown
    return shown, min(shown, counted, key=lambda one: one.since)


def _status(channel: StreamingChannel, status_code: str, service: StreamingService) -> dict[str, Any]:
    """The documentation has two names for the count of errors, and the SDK another one for the error's time: all are here."""
    database, schema, pipe = channel.pipe.path
    error = channel.last_error
    shown, counted = _progress(channel, service)
    return {
        "database_name": database,
        "schema_name": schema,
        "pipe_name": pipe,
        "channel_name": channel.name,
        "channel_status_code": status_code,
        "last_committed_offset_token": shown.offset_token,
        "created_on_ms": int(channel.created_on.timestamp() * 1000),
        "rows_inserted": counted.rows_inserted,
        "rows_parsed": counted.rows_parsed,
        "rows_error_count": counted.rows_error_count,
        "rows_errors": counted.rows_error_count,
        "last_error_offset_upper_bound": error and error.offset_upper_bound,
        "last_error_message": error and error.message,
        "last_error_timestamp": error and int(error.at.timestamp() * 1000),
        "last_error_timestamp_ms": error and int(error.at.timestamp() * 1000),
        "snowflake_avg_processing_latency_ms": int(channel.latency_s * 1000),
    }


def pipe_info(pipe: Pipe, *, host_and_port: str, now: datetime) -> dict[str, Any]:
    """The answer to `:pipe-info`, which the SDK asks for before anything else.

    It is undocumented: the fields are those that SDK 1.9.1 and Openflow read. Which lane rows take is the SDK's own
    decision: where up to about 1 MB of a channel waits to be sent it sends rows, for more it uploads a file and names it.
    No parameter of this answer changes that (measured); the client property `max_buffered_kb_for_rowset_mode` does. The
    upload would go to `storage_endpoint`, which is this server, so that it fails at once and says why, instead of trying
    S3 for hours.
    """
    stage = {
        "expiry_time_ms": int((now + STAGE_LIFETIME).timestamp() * 1000),
        "location_type": "S3",
        "location": f"{STAGE}/{pipe.id}/",
        "path": f"{STAGE}/{pipe.id}/",
        "bucket_name": STAGE,
        "path_prefix": f"{pipe.id}/",
        "region": "us-east-1",
        "use_s3_regional_url": False,
        "storage_account": None,
        "storage_endpoint": host_and_port,
        "is_client_side_encrypted": True,
        "creds": {"AWS_KEY_ID": "none", "AWS_SECRET_KEY": "none", "AWS_TOKEN": "none"},
        "parameters": PARAMETERS,
    }
    return {
        "rowset_stage_location": stage,
        "durable_stage_location": stage,
        "encryption_info": {"pipe_key": base64.b64encode(bytes(32)).decode(), "pipe_key_id": 1, "diversifier": "0"},
        "parameter_overrides": {"max_append_request_buffer_duration_ms": 100, "binary_input_format": "BASE64"},
    }
