"""Records that became no rows, as outcomes: rejected by Snowflake (its error table), or by the engine (dead letters).

An error row holds the row as it was sent, with its metadata in front. A rejected row may be malformed JSON, so the metadata
is parsed on its own.
"""

import base64
import json
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from firnline_infra.audit.comparison import position_of
from firnline_infra.audit.content_check import digest_of
from firnline_infra.audit.outcome import AuditOutcome, LetterContent, RecordPlace
from firnline_infra.audit.rejections import Rejection
from firnline_infra.audit.window import arrival_ms
from firnline_ingest.config.rows import PARTS, Metadata, MetadataForm, PartName
from firnline_ingest.dead_letters import DeadLetter, DeadLetterStore
from firnline_ingest.identifiers import stored_name

Parts = dict[PartName, Any]
PAYLOAD = "$1"  # docs.snowflake.com: error_data holds the payload under this key
BINARY = "binary-base64"


@dataclass
class ErrorRows:
    """The error rows of one stream, by shard and in the order of positions."""

    by_shard: dict[str, list[AuditOutcome]] = field(default_factory=dict)
    without_position: Counter[str] = field(default_factory=Counter)
    """How many error rows say no position, by the channel that they came through, whoever's that is."""
    by_channel: Counter[str] = field(default_factory=Counter)
    """All of the table's, other streams' too."""


def read_error_rows(rows: Iterable[tuple[object, object]], *, stream: str, metadata: Metadata) -> ErrorRows:
    """`rows`: error_data and error_metadata, as JSON text."""
    found = ErrorRows()
    for error_data, error_metadata in rows:
        about = _json(error_metadata)
        rejection = Rejection.of(about)
        found.by_channel[rejection.channel] += 1
        parts = _parts(_payload(error_data, about), metadata)
        if parts is None:
            found.without_position[rejection.channel] += 1
        elif not metadata.is_on("stream") or parts["stream"] == stream:
            _add(found, parts, rejection)
    for outcomes in found.by_shard.values():
        outcomes.sort(key=position_of)
    return found


def _add(found: ErrorRows, parts: Parts, rejection: Rejection) -> None:
    number, shard_id = str(parts["sequence_number"]), parts["shard_id"]
    if not number.isdecimal() or not isinstance(shard_id, str):
        found.without_position[rejection.channel] += 1
        return
    outcome = AuditOutcome(
        int(number),
        int(parts["sub_sequence_number"] or 0),
        RecordPlace.ERROR_TABLE,
        arrival_ms(parts["approximate_arrival"]),
        rejection,
        row=int(parts["row"] or 0),
    )
    found.by_shard.setdefault(shard_id, []).append(outcome)


def _payload(error_data: object, about: Mapping[str, Any]) -> object:
    """The row as it was sent: text, or the object that Snowflake parsed it into."""
    payload = _json(error_data).get(PAYLOAD)
    details = about.get("details")
    if isinstance(details, dict) and details.get("error_data_content_type") == BINARY and isinstance(payload, str):
        return base64.b64decode(payload + "===").decode(errors="replace")
    return payload


def _parts(payload: object, metadata: Metadata) -> Parts | None:
    """The parts of the metadata; None where the row does not say what it is."""
    found = _leading_members(payload) if isinstance(payload, str) else payload
    if not isinstance(found, dict):
        return None
    if metadata.form is not MetadataForm.COLUMNS:
        found = _by_column(found).get(stored_name(metadata.column).upper())
        return {part: found.get(metadata.name_of(part)) for part in PARTS} if isinstance(found, dict) else None
    members = _by_column(found)
    parts = {part: members.get(metadata.name_of(part).upper()) for part in PARTS}
    return parts if parts["sequence_number"] is not None else None


def _by_column(members: dict[str, Any]) -> dict[str, Any]:
    return {key.upper(): value for key, value in members.items()}


def _leading_members(text: str) -> dict[str, Any]:
    """The engine writes the metadata first; the rest need not be JSON."""
    decode, at, found = json.JSONDecoder().raw_decode, 1, dict[str, Any]()
    try:
        while text[at - 1] in "{,":
            key, at = decode(text, at)
            if text[at] != ":" or not isinstance(key, str):
                break
            found[key], at = decode(text, at + 1)
            at += 1
    except (ValueError, RecursionError, IndexError):
        pass
    return found


def _json(text: object) -> dict[str, Any]:
    value = json.loads(text) if isinstance(text, str) else text
    return value if isinstance(value, dict) else {}


def letters_by_shard(store: DeadLetterStore, stream: str, created_ms: int) -> Mapping[str, Sequence[AuditOutcome]]:
    """The dead letters of one incarnation of a stream, in the order of positions. Raises DeadLetterError."""
    shards: dict[str, list[AuditOutcome]] = defaultdict(list)
    for letter in store.list():
        if (letter.stream, letter.stream_created_ms) == (stream, created_ms):
            shards[letter.shard_id].append(_outcome(letter))
    return {shard_id: sorted(outcomes, key=position_of) for shard_id, outcomes in shards.items()}


def _outcome(letter: DeadLetter) -> AuditOutcome:
    arrival = letter.approximate_arrival
    return AuditOutcome(
        int(letter.sequence_number),
        letter.sub_sequence_number,
        RecordPlace.DEAD_LETTERS,
        None if arrival is None else round(arrival.timestamp() * 1000),
        LetterContent(digest_of(letter.data), letter.reason),
        letter.row,
    )
