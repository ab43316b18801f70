"""Whether a payload is JSON of any kind, for pipelines whose transforms make objects of it."""

import msgspec

from firnline_ingest.nesting import MAX_DEPTH, is_too_deep
from firnline_ingest.records.json_object import fault_of
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

SHALLOW = 2 * MAX_DEPTH  # of so few bytes nothing is too deep
_raw = msgspec.json.Decoder(msgspec.Raw).decode


def check_any_json(payload: bytes) -> bytes:
    """The payload as it is. Raises Unusable."""
    try:
        _raw(payload)
        if not payload.isascii():
            payload.decode()  # msgspec skips texts, and what it skips may be any bytes
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise Unusable(fault_of(payload, error)) from error
    if len(payload) > SHALLOW and is_too_deep(payload):
        raise Unusable(Rejection(RejectReason.TOO_DEEP, f"it is nested deeper than {MAX_DEPTH} levels."))
    return payload
