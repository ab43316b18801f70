"""GetItem and PutItem without what botocore does again for each call: a process with 32 shards writes six rows a second.

A call is made once with what botocore has decided of the first one (aws/signed_calls.py). A refusal that no repetition changes is
the answer. Whatever else is no success, also no answer, is botocore's to find out: it makes the call again, with its retries and
its errors. A write that was made twice is known, as one that botocore repeats is: its condition ends with its own success, or it
is the whole item whatever was there.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import msgspec
from botocore.client import BaseClient

from firnline_ingest.aws.codes import STALE
from firnline_ingest.aws.signed_calls import SignedCalls, is_plain

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

METHODS = {"get_item": "GetItem", "put_item": "PutItem"}
CONTENT_TYPE = "application/x-amz-json-1.0"
OK, REFUSED = 200, 400
FINAL = frozenset({"ConditionalCheckFailedException", *STALE})

_encode = msgspec.json.Encoder().encode
"""Bytes become base64, as DynamoDB has them in JSON."""
_decode = msgspec.json.Decoder().decode
"""Raises for another server's page, of which botocore's parser makes an answer without members."""


class DirectCall:
    """One operation of a client. Thread-safe."""

    def __init__(self, client: Any, method: str) -> None:
        operation = METHODS[method]
        self._by_botocore: Callable[..., Any] = getattr(client, method)
        self._calls = SignedCalls(client, f"dynamodb.{operation}", connections=client.meta.config.max_pool_connections)
        self._parser = client._response_parser
        self._shape = client.meta.service_model.operation_model(operation).output_shape
        self._calls.register()
        self.direct = 0
        """How many calls botocore was not needed for."""

    def __call__(self, **request: Any) -> Any:
        """Answers as the client's own method. Raises as it does."""
        if self._calls.is_ready:
            status, parsed = self._answer(request)
            if status == OK:
                self.direct += 1
                return parsed
            if status == REFUSED and parsed.get("Error", {}).get("Code") in FINAL:
                raise self._calls.refusal(status, parsed, request)
        return self._by_botocore(**request)

    def _answer(self, request: Mapping[str, Any]) -> tuple[int, dict[str, Any]]:
        """Returns the status and the answer as botocore reads it; no status for what is no answer of DynamoDB's."""
        with suppress(Exception):  # whatever it is, it is found out again
            answer = self._calls.sent(self._calls.signed(_encode(request), CONTENT_TYPE))
            if isinstance(_decode(answer["body"]), dict):
                return answer["status_code"], self._parser.parse(answer, self._shape)
        return 0, {}


def direct_calls(client: "DynamoDBClient") -> Mapping[str, DirectCall]:
    """Returns the calls that need botocore for the first one only, by the names of the client's methods; none where this client,
    or this botocore, is not as they need it.
    """
    if not isinstance(client, BaseClient) or not hasattr(client, "_response_parser") or not is_plain(client):
        return {}
    return {method: DirectCall(client, method) for method in METHODS}
