"""The dead letters of one incarnation of a stream, as outcomes, by shard."""

from collections import defaultdict
from collections.abc import Mapping, Sequence

from firnline_infra.audit.comparison import position_of
from firnline_infra.audit.content.check import LetterContent, digest_of
from firnline_infra.audit.outcome import Outcome, Place
from firnline_ingest.deadletter import DeadLetter, DeadLetterStore


def letters_by_shard(store: DeadLetterStore, stream: str, created_ms: int) -> Mapping[str, Sequence[Outcome]]:
    """In the order of positions. Raises DeadLetterError."""
    shards: dict[str, list[Outcome]] = defaultdict(list)
    for letter in store.list():
        if (letter.stream, letter.stream_created_ms) == (stream, created_ms):
            shards[letter.shard_id].append(_outcome(letter))
    return {shard_id: sorted(outcomes, key=position_of) for shard_id, outcomes in shards.items()}


def _outcome(letter: DeadLetter) -> Outcome:
    arrival = letter.approximate_arrival
    return Outcome(
        int(letter.sequence_number),
        letter.sub_sequence_number,
        Place.DEAD_LETTERS,
        None if arrival is None else round(arrival.timestamp() * 1000),
        LetterContent(digest_of(letter.data), letter.reason),
    )
