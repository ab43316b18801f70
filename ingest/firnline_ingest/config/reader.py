"""How a pipeline reads its stream: by polling, whose throughput all readers of a shard share, or by fan-out, with its own."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from firnline_ingest.config.document import Section


class Registration(StrEnum):
    """Who registers the consumer that fan-out reads by."""

    NONE = "NONE"
    """Nobody here: it is there already, mostly made by infrastructure."""


class FanOut(Section):
    """A registered consumer, which is paid by the hour and shard, and by what it reads."""

    consumer_arn: str = Field(pattern=r"^arn:\S+$")
    """A consumer of the pipeline's stream. No two applications can share one."""
    registration: Registration = Field(default=Registration.NONE, strict=False)
    """NONE: the consumer is there already."""


class FanOutReader(Section):
    """Subscriptions that the service pushes records over (SubscribeToShard)."""

    fan_out: FanOut
    """By which consumer."""


Reader = Literal["polling"] | FanOutReader
