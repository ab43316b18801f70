"""The lease that another consumer keeps of one shard, whichever table it came from."""

from dataclasses import dataclass
from enum import StrEnum

from firnline_ingest.values import Position


class LeaseState(StrEnum):
    """A checkpoint that is not a place in the shard. The names are the Kinesis Client Library's."""

    SHARD_END = "SHARD_END"
    TRIM_HORIZON = "TRIM_HORIZON"
    LATEST = "LATEST"
    AT_TIMESTAMP = "AT_TIMESTAMP"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Lease:
    shard_id: str
    checkpoint: Position | LeaseState
    """A position: every user record up to it was taken in."""
    children: tuple[str, ...] = ()
    owner: str = ""
    remark: str = ""
    """What a person should know of it."""
    problem: str = ""
    """The reason why its checkpoint can't be taken."""

    @property
    def text(self) -> str:
        """The checkpoint as the consumer that wrote it would say it."""
        if isinstance(self.checkpoint, LeaseState):
            return self.checkpoint.value
        sub = self.checkpoint.sub_sequence_number
        return f"{self.checkpoint.sequence_number}{f' / {sub}' if sub else ''}"


@dataclass(frozen=True, slots=True)
class Leases:
    """The leases of one stream."""

    of: dict[str, Lease]
    left_out: int = 0
    """Leases of other streams, or of an earlier stream of the same name."""
    problems: tuple[str, ...] = ()
