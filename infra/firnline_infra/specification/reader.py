"""How a pipeline reads its stream; a consumer for fan-out is one of the stream's own, which the environment makes."""

from typing import Annotated, Literal

from firnline_ingest.config.document import Section
from firnline_ingest.config.form import name_form


class FanOut(Section):
    """A throughput of its own: paid by the hour and shard, and by what is read."""

    consumer: Annotated[str, name_form(1, 128, example="firnline")]
    """One of `streams[].consumers`, that nothing else reads by."""


class FanOutReader(Section):
    """Records are pushed over subscriptions."""

    fan_out: FanOut
    """The consumer that records are pushed to."""


Reader = Literal["polling"] | FanOutReader
