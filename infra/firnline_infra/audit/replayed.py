"""Which dead letters were replayed: the journal beside them says so, whether the replay is over or half-done.

It is read after the rows, when the first letter is met that has one: a row that a replay sent is younger than its batch.
"""

from collections.abc import Callable
from functools import cache
from typing import TYPE_CHECKING

from firnline_infra.audit.comparison import IsReplayed, never
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.deadletter import open_objects
from firnline_ingest.replay.journal import Journal, RecordPlace
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from firnline_ingest.kinesis.lineage import Lineage


def replayed_of(config: EngineConfig, lineage: "Lineage") -> Callable[[str], IsReplayed]:
    """By shard id."""
    if config.dead_letters.stream is not None:
        return lambda _: never

    def of_shard(shard_id: str) -> IsReplayed:
        shard = ShardKey(lineage.stream, lineage.stream_created_ms, shard_id)

        @cache
        def replayed() -> dict[RecordPlace, int]:
            return Journal(open_objects(config), config.application, shard).replayed().batch_of

        return lambda sequence_number, sub_sequence_number: (sequence_number, sub_sequence_number) in replayed()

    return of_shard
