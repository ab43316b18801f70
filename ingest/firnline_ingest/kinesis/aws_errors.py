"""Answers of Kinesis, read as errors of ours: the one place where its own codes are known."""

from collections.abc import Callable
from typing import Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError
from botocore.parsers import ResponseParserError

from firnline_ingest.aws.codes import (
    DENIED,
    KMS,
    MALFORMED,
    NO_ANSWER,
    NO_CREDENTIALS,
    STALE,
    THROTTLED,
    UNKNOWN_CALLER,
)
from firnline_ingest.aws.trust import said
from firnline_ingest.errors import FirnlineError, KinesisError
from firnline_ingest.kinesis.consumer_errors import SubscriptionTaken
from firnline_ingest.kinesis.errors import (
    IteratorExpired,
    PageUnreadable,
    PositionForeign,
    StreamCallerUnknown,
    StreamCredentialsMissing,
    StreamCredentialsStale,
    StreamForbidden,
    StreamKeyUnusable,
    StreamMissing,
    StreamNotReady,
    StreamRequestMalformed,
    StreamThrottled,
    StreamUnreachable,
)

Result = TypeVar("Result")


class UnreadablePage(BotoCoreError):
    """A good status over a body that is not a page: cut short, or made by something between us and Kinesis."""

    fmt = "Kinesis answered with {size} bytes that are not a page of records: {cause}"


def answered(call: Callable[[], Any], *, operation: str, stream: str, needs: str) -> Any:
    """Returns what `call` answers. Raises the errors of this page; PageUnreadable for a good status without the field `needs`."""
    try:
        answer = call()
    except Exception as error:
        raise kinesis_error(error, operation=operation, stream=stream) from error
    if answer.get(needs) is None:
        raise PageUnreadable(stream, operation, f"it has no {needs}")
    return answer


def understood(read: Callable[[], Result], *, operation: str, stream: str) -> Result:
    """Returns what `read` makes of an answer. Raises PageUnreadable for a good status over something else than the service's."""
    try:
        return read()
    except NO_ANSWER as error:
        raise PageUnreadable(stream, operation, f"{type(error).__name__}: {error}") from error


def kinesis_error(error: Exception, *, operation: str, stream: str) -> Exception:
    """Maps a botocore error to a FirnlineError; returns other errors unchanged."""
    if isinstance(error, FirnlineError):
        return error
    if isinstance(error, NO_CREDENTIALS):
        return StreamCredentialsMissing(stream, operation, str(error))
    if isinstance(error, ClientError):
        return _by_code(error.response["Error"]["Code"], error.response["Error"].get("Message", ""), operation, stream)
    if isinstance(error, (UnreadablePage, *NO_ANSWER)):
        return PageUnreadable(stream, operation, str(error))
    if isinstance(error, BotoCoreError | ResponseParserError):
        return StreamUnreachable(stream, operation, said(error))
    return error


def _by_code(code: str, message: str, operation: str, stream: str) -> KinesisError:
    if code in THROTTLED:
        return StreamThrottled(stream, operation, code)
    if code in UNKNOWN_CALLER:
        return StreamCallerUnknown(stream, operation, f"{code}: {message}")
    if code in DENIED:
        return StreamForbidden(stream, operation, message)
    if code in STALE:
        return StreamCredentialsStale(stream, operation, f"{code}: {message}")
    if code in KMS:
        return StreamKeyUnusable(stream, code, message)
    if code in MALFORMED or (code == INVALID_ARGUMENT and operation not in WITH_POSITION):
        return StreamRequestMalformed(stream, operation, code, message)
    if code in BY_CODE:
        return BY_CODE[code](stream, message, operation)
    return StreamUnreachable(stream, operation, f"{code}: {message}")


INVALID_ARGUMENT = "InvalidArgumentException"
OF_CONSUMERS = {"DeregisterStreamConsumer", "RegisterStreamConsumer", "SubscribeToShard"}
"""Operations in which a consumer is what is in use; in the others it is the stream (Kinesis API reference, ListShards)."""
WITH_POSITION = {"GetRecords", "GetShardIterator", "SubscribeToShard"}
BY_CODE: dict[str, Callable[[str, str, str], KinesisError]] = {
    "ResourceNotFoundException": lambda stream, *_: StreamMissing(stream),
    "ExpiredIteratorException": lambda stream, *_: IteratorExpired(stream),
    INVALID_ARGUMENT: lambda stream, cause, _: PositionForeign(stream, cause),
    "ResourceInUseException": lambda stream, cause, operation: (
        SubscriptionTaken(stream, cause) if operation in OF_CONSUMERS else StreamNotReady(stream, operation, cause)
    ),
}
