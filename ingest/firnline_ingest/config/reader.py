"""Readers of a stream: polling, whose throughput all readers of a shard share, and fan-out, with its own."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section
from firnline_ingest.config.form import name_form

CONSUMER = name_form(1, 128, example="firnline")


class Registration(StrEnum):
    """Says who registers the consumer that fan-out reads by."""

    NONE = "none"
    """Not the engine: it is there already, mostly made by infrastructure."""
    EAGER = "eager"
    """The engine, at its start: without the consumer it reads nothing at all."""
    LAZY = "lazy"
    """The engine, when it plans the stream: other pipelines go on without the consumer."""


class FanOut(Section):
    """A registered consumer, which is paid by the hour and shard, and by what it reads."""

    registration: Registration = Field(default=Registration.NONE, strict=False)
    """Who registers it. What the engine registered it deregisters at the end of a bounded run, or with `firnline deregister`."""
    consumer_arn: str | None = Field(default=None, pattern=r"^arn:\S+$")
    """With `registration: none`: a consumer of the pipeline's stream. No two applications can share one."""
    consumer: Annotated[str, CONSUMER] | None = None
    """With eager or lazy: the consumer's name; the application's by default."""

    @model_validator(mode="after")
    def _who_registers_it_names_it(self) -> Self:
        is_there = self.registration is Registration.NONE
        if is_there != (self.consumer_arn is not None):
            raise ValueError("consumer_arn is given with registration: none, and only then")
        if is_there and self.consumer is not None:
            raise ValueError("consumer is the name of one that the engine registers: say registration: lazy, or eager")
        return self


class FanOutReader(Section):
    """Subscriptions that the service pushes records over (SubscribeToShard)."""

    fan_out: FanOut
    """By which consumer."""


Reader = Literal["polling"] | FanOutReader


def registered_by_engine(reader: Reader, application: str) -> str | None:
    """The name of the consumer that the engine registers for itself; None where it registers none."""
    if reader == "polling" or reader.fan_out.registration is Registration.NONE:
        return None
    return reader.fan_out.consumer or application
