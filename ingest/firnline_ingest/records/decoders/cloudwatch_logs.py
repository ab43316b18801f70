"""The envelopes of a CloudWatch Logs subscription filter: a row for each log event, with where it came from.

Format: CloudWatch Logs user guide, "Log group-level subscription filters".
"""

from collections.abc import Callable, Iterator

import msgspec

from firnline_ingest.config.formats import Compression
from firnline_ingest.records.decoders.decoder import Decoder
from firnline_ingest.records.decoders.unpack import unpacker
from firnline_ingest.records.rejection import LeftOut, Omitted, Rejection, RejectReason, Unusable
from firnline_ingest.records.splice import splice

CONTROL, DATA = "CONTROL_MESSAGE", "DATA_MESSAGE"

_encode = msgspec.json.Encoder().encode


class LogEvent(msgspec.Struct, rename="camel"):
    """One event; fields that this does not name are none of the row's."""

    id: str
    timestamp: int
    message: str
    extracted_fields: dict[str, str | None] | msgspec.UnsetType = msgspec.UNSET


class Envelope(msgspec.Struct, rename="camel"):
    """What a record holds."""

    message_type: str
    owner: str | None = None
    log_group: str | None = None
    log_stream: str | None = None
    subscription_filters: list[str] = []
    log_events: list[LogEvent] = []


_envelope = msgspec.json.Decoder(Envelope).decode


def cloudwatch_logs_decoder(check: Callable[[bytes], bytes]) -> Decoder:
    unpack = unpacker(Compression.GZIP)
    assert unpack is not None

    def decode(data: bytes) -> Iterator[bytes]:
        envelope = _envelope_in(unpack(data))
        if envelope.message_type == CONTROL:
            raise Omitted(LeftOut.CONTROL_MESSAGE)
        if envelope.message_type != DATA:
            raise _malformed(f"its messageType is {envelope.message_type[:60]!r}.")
        if not envelope.log_events:
            raise _malformed("it has no log event.")
        head = _head(envelope)
        for event in envelope.log_events:
            yield check(splice(head, _encode(event)))

    return decode


def _head(envelope: Envelope) -> bytes:
    """An object without its closing brace."""
    source = {
        "owner": envelope.owner,
        "logGroup": envelope.log_group,
        "logStream": envelope.log_stream,
        "subscriptionFilters": envelope.subscription_filters,
    }
    return _encode(source)[:-1]


def _envelope_in(payload: bytes) -> Envelope:
    try:
        return _envelope(payload)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise _malformed(f"it is no envelope of CloudWatch Logs: {error}.") from error


def _malformed(detail: str) -> Unusable:
    return Unusable(Rejection(RejectReason.MALFORMED, detail))
