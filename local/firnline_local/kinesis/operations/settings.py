"""Changing how a stream keeps its records: retention, capacity mode, record size, encryption."""

from typing import Annotated

from msgspec import Meta

from firnline_local.kinesis.account import Account
from firnline_local.kinesis.errors import invalid_argument
from firnline_local.kinesis.operations.request import StreamRequest
from firnline_local.kinesis.operations.streams import StreamMode, checked_mode

MIN_HOURS, MAX_HOURS = 24, 8760


class RetentionPeriod(StreamRequest, kw_only=True):
    retention_period_hours: int


class UpdateStreamMode(StreamRequest, kw_only=True):
    stream_mode_details: StreamMode


class UpdateMaxRecordSize(StreamRequest, kw_only=True):
    max_record_size_in_kib: Annotated[int, Meta(ge=1024, le=10240)]


class StreamEncryption(StreamRequest, kw_only=True):
    encryption_type: str
    key_id: Annotated[str, Meta(min_length=1, max_length=2048)]


def increase_retention(account: Account, request: RetentionPeriod) -> None:
    stream = request.stream(account)
    hours = _checked_hours(request)
    if hours < stream.settings.retention_hours:
        raise invalid_argument(f"{hours} hours are fewer than the {stream.settings.retention_hours} of {stream.name}.")
    stream.keep_for(hours, account.now_ms())


def decrease_retention(account: Account, request: RetentionPeriod) -> None:
    """What is older is gone at once."""
    stream = request.stream(account)
    hours = _checked_hours(request)
    if hours > stream.settings.retention_hours:
        raise invalid_argument(f"{hours} hours are more than the {stream.settings.retention_hours} of {stream.name}.")
    stream.keep_for(hours, account.now_ms())


def update_stream_mode(account: Account, request: UpdateStreamMode) -> None:
    request.stream(account).settings.mode = checked_mode(request.stream_mode_details)


def update_max_record_size(account: Account, request: UpdateMaxRecordSize) -> None:
    request.stream(account).settings.max_record_kib = request.max_record_size_in_kib


def start_encryption(account: Account, request: StreamEncryption) -> None:
    """Records the setting; records that are put from then on say that they are encrypted."""
    if request.encryption_type != "KMS":
        raise invalid_argument("EncryptionType has to be KMS.")
    request.stream(account).settings.key_id = request.key_id


def stop_encryption(account: Account, request: StreamEncryption) -> None:
    request.stream(account).settings.key_id = None


def _checked_hours(request: RetentionPeriod) -> int:
    hours = request.retention_period_hours
    if not MIN_HOURS <= hours <= MAX_HOURS:
        raise invalid_argument(f"RetentionPeriodHours {hours} is not between {MIN_HOURS} and {MAX_HOURS}.")
    return hours


OPERATIONS = {
    "DecreaseStreamRetentionPeriod": (RetentionPeriod, decrease_retention),
    "IncreaseStreamRetentionPeriod": (RetentionPeriod, increase_retention),
    "StartStreamEncryption": (StreamEncryption, start_encryption),
    "StopStreamEncryption": (StreamEncryption, stop_encryption),
    "UpdateMaxRecordSize": (UpdateMaxRecordSize, update_max_record_size),
    "UpdateStreamMode": (UpdateStreamMode, update_stream_mode),
}
