"""The rows that Snowflake rejected, as outcomes: the row as it was sent is in the error table, its metadata in front.

What the table would not take may be damaged itself, so the metadata is also found where the rest is no JSON or is cut off.
"""

import base64
import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from firnline_infra.audit.comparison import position_of
from firnline_infra.audit.horizon import arrival_ms
from firnline_infra.audit.outcome import Outcome, Place
from firnline_ingest.identifiers import stored_name

PAYLOAD = "$1"  # docs.snowflake.com: error_data holds the payload under this key
BINARY = "binary-base64"


@dataclass
class ErrorRows:
    """Of one stream, by shard and in the order of positions."""

    by_shard: dict[str, list[Outcome]] = field(default_factory=dict)
    without_position: int = 0


def read_error_rows(
    rows: Iterable[tuple[object, object]], *, stream: str, metadata_column: str, names_stream: bool
) -> ErrorRows:
    """`rows`: error_data and error_metadata as the connector gives them, JSON text. `names_stream`: rows say theirs."""
    column = stored_name(metadata_column)
    found = ErrorRows()
    for error_data, error_metadata in rows:
        metadata = _metadata(_payload(error_data, error_metadata), column)
        if metadata is None:
            found.without_position += 1
        elif not names_stream or metadata.get("stream") == stream:
            _add(found, metadata)
    for outcomes in found.by_shard.values():
        outcomes.sort(key=position_of)
    return found


def _add(found: ErrorRows, metadata: dict[str, Any]) -> None:
    number, shard_id = str(metadata.get("sequenceNumber")), metadata.get("shardId")
    if not number.isdecimal() or not isinstance(shard_id, str):
        found.without_position += 1
        return
    arrival = metadata.get("approximateArrival")
    outcome = Outcome(
        int(number),
        int(metadata.get("subSequenceNumber") or 0),
        Place.ERROR_TABLE,
        arrival_ms(arrival if isinstance(arrival, str) else None),
    )
    found.by_shard.setdefault(shard_id, []).append(outcome)


def _payload(error_data: object, error_metadata: object) -> object:
    """The row as it was sent: text, or the object that Snowflake made of it."""
    payload = _json(error_data).get(PAYLOAD)
    details = _json(error_metadata).get("details")
    if isinstance(details, dict) and details.get("error_data_content_type") == BINARY and isinstance(payload, str):
        return base64.b64decode(payload + "===").decode(errors="replace")
    return payload


def _metadata(payload: object, column: str) -> dict[str, Any] | None:
    if isinstance(payload, dict):
        found = next((value for key, value in payload.items() if key.upper() == column.upper()), None)
    elif isinstance(payload, str):
        found = _leading_member(payload, column)
    else:
        return None
    return found if isinstance(found, dict) else None


def _leading_member(text: str, column: str) -> object:
    """The engine writes the metadata first; whatever follows need not be JSON."""
    start = "{" + json.dumps(column, ensure_ascii=False) + ":"
    if not text.startswith(start):
        return None
    try:
        value, _ = json.JSONDecoder().raw_decode(text, len(start))
    except (ValueError, RecursionError):
        return None
    return value


def _json(text: object) -> dict[str, Any]:
    value = json.loads(text) if isinstance(text, str) else text
    return value if isinstance(value, dict) else {}
