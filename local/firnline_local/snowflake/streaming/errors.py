"""Errors of the streaming service when it does not do as it was asked.

    ApiError                  status, stable code, message: {"code", "message"} on the wire
    ├── NotAuthenticated      401
    ├── DatabaseNotFound      404, also where the role may not use it
    ├── SchemaNotFound        404, the same
    ├── TableNotFound         404, also where the role may not see it: the service tells no difference
    ├── PipeNotFound          404, the same
    ├── ChannelNotFound       404
    ├── ChannelInvalid        409 with the channel's own status code
    ├── UncommittedRows       409
    ├── StaleContinuation     400
    ├── ChannelLimit          400
    ├── Malformed             400
    ├── PayloadTooLarge       413
    ├── TooManyRequests       429
    └── NotModelled           400, ours: what a real account does and this one refuses. Runbook: FL-6050

Codes are those of docs.snowflake.com, `snowpipe-streaming-high-performance-rest-api` and `-error-handling`. A client
decides by status and code: the SDK retries 401, 403, 408, 429 and 5xx, and gives a channel up for every other 4xx.
"""

from http import HTTPStatus
from typing import ClassVar


class ApiError(Exception):
    """An answer other than 200."""

    status: ClassVar[HTTPStatus]
    code: str
    message: str

    def __init__(self, message: str | None = None) -> None:
        self.message = message or self.message
        super().__init__(f"{self.status.value} {self.code}: {self.message}")


class NotAuthenticated(ApiError):
    status = HTTPStatus.UNAUTHORIZED
    message = "JWT token is invalid."

    def __init__(self, message: str | None = None, *, code: str = "390144") -> None:
        self.code = code
        super().__init__(message)


class DatabaseNotFound(ApiError):
    """Reported of an account: Redpanda's `streamingv2/token.go` quotes it for a role without rights there."""

    status = HTTPStatus.NOT_FOUND
    code = "ERR_DATABASE_DOES_NOT_EXIST_OR_NOT_AUTHORIZED"
    message = "The supplied database does not exist or is not authorized."


class SchemaNotFound(ApiError):
    """Named beside the database's in Snowflake's own client (snowflake-ingest-java, StreamingIngestResponseCode)."""

    status = HTTPStatus.NOT_FOUND
    code = "ERR_SCHEMA_DOES_NOT_EXIST_OR_NOT_AUTHORIZED"
    message = "The supplied schema does not exist or is not authorized."


class TableNotFound(ApiError):
    status = HTTPStatus.NOT_FOUND
    code = "ERR_TABLE_DOES_NOT_EXIST_NOT_AUTHORIZED"
    message = "The supplied table does not exist or is not authorized."


class PipeNotFound(ApiError):
    status = HTTPStatus.NOT_FOUND
    code = "ERR_PIPE_DOES_NOT_EXIST_OR_NOT_AUTHORIZED"
    message = "The supplied pipe does not exist or is not authorized."


class ChannelNotFound(ApiError):
    status = HTTPStatus.NOT_FOUND
    code = "ERR_CHANNEL_DOES_NOT_EXIST_OR_IS_NOT_AUTHORIZED"
    message = "The supplied channel does not exist or is not authorized."


class ChannelInvalid(ApiError):
    status = HTTPStatus.CONFLICT

    def __init__(self, status_code: str) -> None:
        self.code = status_code
        super().__init__("The channel is invalid. Please reopen the channel.")


class UncommittedRows(ApiError):
    status = HTTPStatus.CONFLICT
    code = "ERR_CHANNEL_HAS_UNCOMMITTED_DATA"
    message = "The channel has uncommitted data."


class StaleContinuation(ApiError):
    status = HTTPStatus.BAD_REQUEST
    code = "STALE_CONTINUATION_TOKEN_SEQUENCER"
    message = "Channel sequencer in the continuation token is stale. Please reopen the channel."


class ChannelLimit(ApiError):
    status = HTTPStatus.BAD_REQUEST
    code = "ERR_CHANNEL_LIMIT_EXCEEDED_FOR_PIPE"
    message = "The pipe has as many channels as it can have."


class Malformed(ApiError):
    status = HTTPStatus.BAD_REQUEST
    code = "ERR_MALFORMED_REQUEST"
    message = "The request is malformed."


class PayloadTooLarge(ApiError):
    status = HTTPStatus.REQUEST_ENTITY_TOO_LARGE
    code = "ERR_PAYLOAD_TOO_LARGE"
    message = "The payload is larger than 4 MB."


class TooManyRequests(ApiError):
    status = HTTPStatus.TOO_MANY_REQUESTS
    code = "ERR_TOO_MANY_REQUESTS"
    message = "The channel takes no more requests for now."


class NotModelled(ApiError):
    """A 4xx, because the SDK would repeat a 501 for ever. Runbook: FL-6050."""

    id: ClassVar[str] = "FL-6050"
    status = HTTPStatus.BAD_REQUEST
    code = "FL-6050"
