"""Pages asked for in CBOR, which is a third of the cost to decode where firnline-native is there.

The AWS SDKs for Java speak so with Kinesis, and no page of AWS documents it. So whatever a server makes of it, nothing is
lost: what refuses it, or answers with something that is not a page, is asked in JSON from then on, by this client.
"""

import logging
from collections.abc import Mapping
from struct import pack
from typing import TYPE_CHECKING, Any

import msgspec
from botocore.exceptions import ConnectionClosedError

from firnline_ingest.kinesis.page import Record, RecordPage
from firnline_ingest.native import NativeModule

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

CBOR, JSON = "application/x-amz-cbor-1.1", "application/x-amz-json-1.1"
REFUSALS = frozenset(
    {
        "SerializationException",
        "UnknownOperationException",
        "UnsupportedMediaTypeException",
        "InvalidAction",
        "MissingAction",
    }
)
"""Codes of servers that can't read the request."""
UNSUPPORTED = frozenset({404, 405, 406, 415, 501})
"""Statuses that say the same."""
CBOR_REFUSALS = "CborRefusals"
"""In the ResponseMetadata of a page: how often a server has made nothing of CBOR since the page before."""
IN_JSON = "firnline_request_in_json"
"""Where a request keeps its body, to be sent again."""

log = logging.getLogger(__name__)


class CborPages:
    """Form in which one client asks for pages. Thread-safe: it only ever goes from CBOR to JSON."""

    def __init__(self, module: NativeModule | None) -> None:
        self._module = module
        self._is_proven = False
        self.why_not = "" if module is not None else "firnline-native is not used"
        """Why pages are asked for in JSON."""
        self._uncounted = 0

    @property
    def is_asked_for(self) -> bool:
        return not self.why_not

    def register(self, client: "KinesisClient") -> None:
        events: Any = client.meta.events
        events.register("before-call.kinesis.GetRecords", self._ask)
        events.register("needs-retry.kinesis.GetRecords", self._ask_again)

    def page(self, body: bytes) -> RecordPage:
        """Raises ValueError for a body that is not a page."""
        assert self._module is not None, "a client that never asked for CBOR gets none"
        fields = self._module.decode_page(body, Record)
        records, iterator = fields.pop("Records"), fields.get("NextShardIterator")
        behind_ms = fields.get("MillisBehindLatest")
        if type(iterator) is str and type(behind_ms) is int and fields.get("ChildShards") is None:
            page = RecordPage(records, iterator, behind_ms)
        else:
            page = msgspec.convert({**fields, "Records": []}, RecordPage)
            page.Records = records
        self._is_proven = True
        return page

    def as_json(self, response: Mapping[str, Any]) -> Mapping[str, Any]:
        """Any other answer in CBOR, as botocore reads it; as it is, where it is not CBOR at all."""
        if self._module is None:
            return response
        try:
            body = msgspec.json.encode(self._module.decode_value(response["body"]))
        except (ValueError, TypeError):
            return response
        return {**response, "body": body}

    def refuse(self, why: str) -> None:
        """From now on pages are asked for in JSON."""
        if self.is_asked_for:
            self.why_not = why
            self._uncounted = 1
            log.warning("kinesis.cbor_refused", extra={"cause": why})

    def take_refusals(self) -> int:
        """Returns how often a server has made nothing of CBOR since the last call: 1 at most, once."""
        uncounted, self._uncounted = self._uncounted, 0
        return uncounted

    def _ask(self, params: dict[str, Any], **_: Any) -> None:
        if self.is_asked_for:
            params["headers"]["Content-Type"] = CBOR
            params["context"][IN_JSON] = params["body"]
            params["body"] = in_cbor(msgspec.json.decode(params["body"]))

    def _ask_again(
        self,
        request_dict: dict[str, Any],
        response: tuple[Any, dict[str, Any]] | None,
        caught_exception: Exception | None = None,
        **_: Any,
    ) -> float | None:
        """Returns 0 to send the request once more, in JSON, where its CBOR was refused."""
        if request_dict["headers"].get("Content-Type") != CBOR:
            return None
        if response is None:
            if self._is_proven or not isinstance(caught_exception, ConnectionClosedError):
                return None
            self.refuse(str(caught_exception))
        elif not self.is_refused(response[0].status_code, response[1]):
            return None
        request_dict["headers"]["Content-Type"] = JSON
        request_dict["body"] = request_dict["context"][IN_JSON]
        return 0.0

    def is_refused(self, status: int, parsed: Mapping[str, Any]) -> bool:
        """Returns whether an answer says that the server does not support CBOR; then pages are asked for in JSON from now on.

        A server that fails before its first page may fail because of it.
        """
        error = parsed.get("Error")
        if error is None:
            return False
        code = error.get("Code", "")
        if code in REFUSALS or status in UNSUPPORTED or (status >= 500 and not self._is_proven):
            self.refuse(f"{status} {code}: {error.get('Message', '')}")
            return True
        return False


def in_cbor(fields: Mapping[str, str | int]) -> bytes:
    """A request whose fields are texts and numbers from 0 on."""
    parts = [_head(5, len(fields))]
    for name, value in fields.items():
        parts += [_text(name), _text(value) if isinstance(value, str) else _head(0, value)]
    return b"".join(parts)


def _text(text: str) -> bytes:
    content = text.encode()
    return _head(3, len(content)) + content


def _head(major: int, number: int) -> bytes:
    if number < 24:
        return bytes([major << 5 | number])
    return pack(">BB", major << 5 | 24, number) if number < 256 else pack(">BI", major << 5 | 26, number)
