"""The query's offset: an epoch, and where each shard stands. It plans, and a person can read it.

    {"v": 1, "e": 7, "streams": {"<stream>@<created ms>": {"<shard id>": "p:<token>" | "t:<ms>" | "h" | "end"}}}

The epoch rises with every plan, so that Spark always has a next batch. Positions are a last resort: the ledger and
Snowflake know better (docs/design/ledger.md, section 1).
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Self

VERSION = 1


@dataclass(frozen=True, slots=True)
class SourceOffset:
    """Starts by incarnation of a stream and shard id, spelt as in kinesis/start.py."""

    epoch: int = 0
    streams: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Self:
        """Raises ValueError for a checkpoint that another version wrote."""
        if document.get("v") != VERSION:
            raise ValueError(
                f"the checkpoint's offsets have version {document.get('v')!r}, this engine reads {VERSION}"
            )
        return cls(document["e"], document["streams"])

    def as_document(self) -> dict[str, Any]:
        return {
            "v": VERSION,
            "e": self.epoch,
            "streams": {stream: dict(shards) for stream, shards in self.streams.items()},
        }
