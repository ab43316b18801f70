"""A Kinesis data stream."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, kw_only=True)
class Stream:
    kind: ClassVar[str] = "stream"

    name: str
    shards: int
    retention_hours: int
    tags: Mapping[str, str]
