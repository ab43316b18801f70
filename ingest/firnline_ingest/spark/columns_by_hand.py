"""Distinguishes columns that a person added from those that evolution added: no record of the engine's had such a key.

A row can be in the table before the receipt that tells of its keys is written, so a column is given some looks at its table
before it is said to be a person's.
"""

import logging
from collections.abc import Callable, Collection, Iterable
from dataclasses import dataclass, field

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.identifiers import stored_name
from firnline_ingest.values import TargetTable

LOOKS = 3  # at the table, with an epoch's receipts between each two
NEXT_STEP = (
    "nothing, if it was meant: no record that this engine has read had such a key, so somebody added it (query history: ALTER "
    "TABLE), or something else writes into the table: a replay, another engine. It is NULL until a record has the key."
)

log = logging.getLogger(__name__)


@dataclass(slots=True)
class ColumnsByHand:
    """Remembers new columns of which no shard has reported yet where they are from."""

    makes: Callable[[str], Collection[str]] = lambda _: ()
    """The columns that the engine itself fills of each row, whatever its keys are, by stream."""
    _waiting: dict[TargetTable, dict[str, int]] = field(default_factory=dict)
    """How many looks have seen them."""

    def waiting(self, target: TargetTable) -> set[str]:
        return set(self._waiting.get(target, ()))

    def unexplained(self, target: TargetTable, columns: Collection[str], streams: Iterable[str]) -> set[str]:
        """The columns whose key no shard has reported and that the engine did not add; the log names each of them in the
        end."""
        own = {name for stream in streams for name in self.makes(stream)}
        seen = self._waiting.get(target, {})
        looks = {name: seen.get(name, 0) + 1 for name in columns if name not in own}
        if told := sorted(name for name, count in looks.items() if count >= LOOKS):
            extra = {"table": str(target), "change": "added", "columns": told, "next_step": NEXT_STEP}
            log.warning("schema.changed", extra=extra)
        self._waiting[target] = {name: count for name, count in looks.items() if count < LOOKS}
        return set(looks)


def columns_made(config: EngineConfig) -> Callable[[str], Collection[str]]:
    """The columns of the metadata, and those that a format or `content_column` names."""

    def made(stream: str) -> Collection[str]:
        pipeline = config.pipeline_of(stream)
        content = [stored_name(pipeline.content_column)] if pipeline.content_column else []
        are_numbered = pipeline.format.makes_several_rows
        return [
            *pipeline.metadata.columns(are_numbered=are_numbered),
            *pipeline.format.keys_made(pipeline.content_column),
            *content,
        ]

    return made
