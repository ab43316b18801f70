"""Dead letters of the last day by stream and reason, with a few samples. Reads so many and no more."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice

from firnline_infra.status.model import LetterReason, LetterStatus
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import Choice, DeadLetter, open_reader
from firnline_ingest.errors import DeadLetterError
from firnline_ingest.logs import redacted

MOST_LETTERS, SAMPLES, LONGEST_SAMPLE = 500, 3, 120
LAST = timedelta(days=1)


def letters_of(config: EngineConfig) -> LetterStatus:
    """Raises DeadLetterError where the place can't be asked; a damaged dead letter is passed over."""
    place = config.dead_letters
    choice = Choice(since=datetime.now(UTC) - LAST)
    found = list(islice(open_reader(config).list(choice, _pass_over), MOST_LETTERS + 1))
    by_reason: dict[tuple[str, str], list[DeadLetter]] = defaultdict(list)
    for letter in found[:MOST_LETTERS]:
        by_reason[letter.stream, letter.reason].append(letter)
    reasons = [_reason(*name, letters) for name, letters in by_reason.items()]
    return LetterStatus(
        where=str(place.folder or place.s3 or place.stream),
        reasons=tuple(sorted(reasons, key=lambda each: -each.count)),
        is_complete=len(found) <= MOST_LETTERS,
    )


def _pass_over(_: DeadLetterError) -> None:
    """`firnline dead-letters list` reports them."""


def _reason(stream: str, reason: str, letters: Sequence[DeadLetter]) -> LetterReason:
    arrivals = [letter.approximate_arrival for letter in letters if letter.approximate_arrival]
    samples = [
        {"key": str(letter.key), "detail": redacted(letter.detail), "text": _beginning(letter.data)}
        for letter in letters[-SAMPLES:]
    ]
    last = max(arrivals).isoformat(timespec="seconds") if arrivals else ""
    return LetterReason(stream=stream, reason=reason, count=len(letters), last_arrived=last, samples=samples)


def _beginning(data: bytes) -> str:
    text = redacted(data[:LONGEST_SAMPLE].decode(errors="backslashreplace"))
    return text + ("…" if len(data) > LONGEST_SAMPLE else "")
