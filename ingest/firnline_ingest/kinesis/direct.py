"""GetRecords without what botocore does again for each call: a read of an empty shard is mostly that.

The first read is botocore's, and a further one of the same form is made with what that decided (aws/signed_calls.py), and taken
apart by the client's own parser. Another form of the request goes botocore's way, and so does every one of a client whose
retries are botocore's.
"""

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import msgspec

from firnline_ingest.aws.request_parts import PARTS
from firnline_ingest.aws.signed_calls import SignedCalls, is_plain
from firnline_ingest.kinesis.cbor import CBOR, CborPages, in_cbor

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

OPERATION, EVENT = "GetRecords", "kinesis.GetRecords"
FORM = frozenset({"ShardIterator", "Limit"})

_encode = msgspec.json.Encoder().encode


class DirectReads:
    """The method get_records of one client. Thread-safe."""

    def __init__(
        self, client: "KinesisClient", pages: CborPages, parser: Any, *, stream_arn: str | None, connections: int
    ) -> None:
        self._client: Any = client
        self._by_botocore: Callable[..., Any] = client.get_records
        self._pages = pages
        self._parser = parser
        self._also = {} if stream_arn is None else {"StreamARN": stream_arn}
        self._shape = self._client.meta.service_model.operation_model(OPERATION).output_shape
        self._calls = SignedCalls(client, EVENT, connections=connections)
        self.direct = 0
        """How many reads did not go botocore's way."""

    def register(self) -> None:
        """From now on the client reads so."""
        if is_plain(self._client) and _attempts(self._client) == 1:
            self._calls.register()
            self._client.get_records = self.get_records
            self._close_client = self._client.close
            self._client.close = self._close

    def _close(self) -> None:
        self._calls.close()
        self._close_client()

    def get_records(self, **request: Any) -> Any:
        """Answers as the client's own method. Raises as it does."""
        if not self._calls.is_ready or request.keys() != FORM:
            return self._by_botocore(**request)
        self.direct += 1
        return self._read(request)

    def _read(self, request: dict[str, Any]) -> Any:
        fields = request | self._also
        is_cbor = self._pages.is_asked_for
        body = in_cbor(fields) if is_cbor else _encode(fields)
        asked = self._calls.signed(body, CBOR if is_cbor else "application/x-amz-json-1.1")
        try:
            response = self._calls.sent(asked)
        except Exception as error:
            self._client.meta.events.emit(f"after-call-error.{EVENT}", exception=error, context={PARTS: fields})
            raise
        parsed = self._parser.parse(response, self._shape)
        status = response["status_code"]
        if status < 300:
            return parsed
        if is_cbor and self._pages.is_refused(status, parsed):
            return self._by_botocore(**request)
        raise self._calls.refusal(status, parsed, fields)


def _attempts(client: Any) -> int | None:
    attempts: int | None = (client.meta.config.retries or {}).get("total_max_attempts")
    return attempts
