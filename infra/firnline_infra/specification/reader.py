"""Readers of a pipeline's stream; a consumer for fan-out is made by the environment, by the engine, or by somebody else."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_ingest.config.document import Section
from firnline_ingest.config.reader import CONSUMER, Registration


class FanOut(Section):
    """A throughput of its own: paid by the hour and shard, and by what is read."""

    registration: Registration = Field(default=Registration.NONE, strict=False)
    """Who registers the consumer. `none`: the environment, or another owner. `eager` and `lazy`: the engine, which so needs the
    rights to; at its start, or with the stream's first plan."""
    consumer: Annotated[str, CONSUMER] | None = None
    """With `none`: one of `streams[].consumers`, that nothing else reads by. With eager and lazy: what it is to be called; the
    application's name by default."""
    consumer_arn: str | None = Field(default=None, pattern=r"^arn:\S+$")
    """With `none`, in place of `consumer`: one of the stream that another owner registered, for this pipeline alone."""

    def registered_as(self, application: str) -> str | None:
        """The name of the consumer that the engine registers; None where it registers none."""
        return None if self.registration is Registration.NONE else self.consumer or application

    def consumer_name(self, application: str) -> str:
        """The consumer's name in Kinesis and CloudWatch: in an ARN, what is between consumer/ and the time of its creation."""
        if self.consumer_arn is not None:
            return self.consumer_arn.rpartition("/")[2].partition(":")[0]
        return self.consumer or application

    @model_validator(mode="after")
    def _one_of_them_says_which(self) -> Self:
        if self.registration is not Registration.NONE and self.consumer_arn is not None:
            raise ValueError("consumer_arn names one that is there: it goes with registration: none")
        if self.registration is Registration.NONE and (self.consumer is None) == (self.consumer_arn is None):
            raise ValueError("give consumer or consumer_arn; or registration: lazy, and the engine registers one")
        return self


class FanOutReader(Section):
    """Records are pushed over subscriptions."""

    fan_out: FanOut
    """The consumer that records are pushed to."""


Reader = Literal["polling"] | FanOutReader
