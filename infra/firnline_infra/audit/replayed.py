"""Which dead letters were replayed: the journal beside them says so, whether the replay is over or half-done.

It is read after the rows, when the first letter is met that has one: a row that a replay sent is younger than its batch.
"""

from collections.abc import Callable, Mapping
from functools import cache
from typing import TYPE_CHECKING

from firnline_infra.audit.comparison import ReplayedInto, never
from firnline_infra.audit.routed import OWN
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import open_objects
from firnline_ingest.dead_letters.journal import Journal, RecordPlace
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from firnline_ingest.kinesis.lineage import Lineage


def replayed_of(config: EngineConfig, lineage: "Lineage", marks: Mapping[str, str]) -> Callable[[str], ReplayedInto]:
    """By shard id. `marks`: what rows say of their table, by its route."""
    if config.dead_letters.stream is not None:
        return lambda _: never

    def of_shard(shard_id: str) -> ReplayedInto:
        shard = ShardKey(lineage.stream, lineage.stream_created_ms, shard_id)

        @cache
        def journal() -> Journal:
            return Journal(open_objects(config), config.application, shard)

        @cache
        def replayed() -> dict[RecordPlace, int]:
            return journal().replayed().batch_of

        @cache
        def table_of(batch: int) -> str:
            """Of a batch, as rows say it; the pipeline's own is under no route."""
            return marks.get(journal().batch(batch).header.target.table, marks[OWN])

        def into(sequence_number: int, sub_sequence_number: int) -> str | None:
            batch = replayed().get((sequence_number, sub_sequence_number))
            return None if batch is None else table_of(batch)

        return into

    return of_shard
