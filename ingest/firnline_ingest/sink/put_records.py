"""One PutRecords, with what the service answers sorted into refused for now and refused for good."""

import re
from collections.abc import Callable, Sequence
from contextlib import suppress
from itertools import islice
from typing import TYPE_CHECKING, Any

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ProxyConnectionError,
)

from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.errors import StreamCredentialsMissing, StreamForbidden, StreamMissing
from firnline_ingest.sink.errors import PutForbidden, RequestRefused, SinkStreamMissing
from firnline_ingest.sink.waiting import Entry

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

INVALID = {"InvalidArgumentException", "ValidationException", "SerializationException"}
MOST_NAMES = 1_000
STREAM_NAME = re.compile(r"[a-zA-Z0-9_.-]{1,128}")
NEVER_SENT = (
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    ParamValidationError,
    ProxyConnectionError,
)
SERVER_ERROR = 500


class Unanswered(str):
    """The cause of a record that may be in the stream: its request got no answer, or one of a service that failed."""

    __slots__ = ()


def is_refusal(error: BaseException | None) -> bool:
    """Returns whether no record of a request that ended so is in the stream."""
    if isinstance(error, ClientError):
        return error.response.get("ResponseMetadata", {}).get("HTTPStatusCode", SERVER_ERROR) < SERVER_ERROR
    return isinstance(error, NEVER_SENT)


def put_records(client: "KinesisClient", stream: str, entries: Sequence[Entry]) -> list[str | None]:
    """For each record None, or why it is not in; Unanswered where it may be.

    Raises SinkStreamMissing, PutForbidden, RequestRefused, or StreamKeyUnusable (kinesis/errors.py).
    """
    try:
        answer = client.put_records(StreamName=stream, Records=[each.fields for each in entries])
        results = answer["Records"]
        if len(results) != len(entries):
            return [Unanswered(f"an answer about {len(results)} records")] * len(entries)
    except ClientError as error:
        if STREAM_NAME.fullmatch(stream) is None:
            raise SinkStreamMissing(stream, _names(client.list_streams)) from error
        if error.response["Error"]["Code"] in INVALID:
            raise RequestRefused(stream, largest=_largest(entries), cause=_words(error)) from error
        return [_passing(client, stream, error)] * len(entries)
    except (BotoCoreError, KeyError) as error:
        return [_passing(client, stream, error)] * len(entries)
    return [
        f"{each['ErrorCode']} {each.get('ErrorMessage', '')}" if each.get("ErrorCode") else None for each in results
    ]


def _passing(client: "KinesisClient", stream: str, error: Exception) -> str:
    """Describes an error that a later request may not meet. Raises the others."""
    explained = kinesis_error(error, operation="PutRecords", stream=stream)
    if isinstance(explained, StreamMissing):
        known = _names(client.list_streams)
        if known is None or stream not in known:
            raise SinkStreamMissing(stream, known) from error
        return f"{error}"  # ACTIVE for less than a second: kdgregory/log4j-aws-appenders #204
    if isinstance(explained, StreamForbidden) and not isinstance(explained, StreamCredentialsMissing):
        raise PutForbidden(stream, str(error)) from error
    if not getattr(explained, "is_retryable", isinstance(error, KeyError)):
        raise explained from error
    return f"{error}" if is_refusal(error) else Unanswered(error)


def _names(list_streams: Callable[..., Any]) -> list[str] | None:
    """The first streams there are; None where we may not know."""
    names: list[str] = []
    with suppress(BotoCoreError, ClientError):
        page = list_streams()
        names += islice(page["StreamNames"], MOST_NAMES)
        return names
    return None


def _words(error: ClientError) -> str:
    told = error.response["Error"]
    return f"{told['Code']}: {told.get('Message', '')}"


def _largest(entries: Sequence[Entry]) -> int:
    return max(each.size for each in entries)
