"""How far one shard of a stream may be ahead of the others, by the time at which records arrived."""

from pydantic import Field

from firnline_ingest.config.document import Section


class Abreast(Section):
    """Shards kept together, for whoever reads a table in the order of arrival while a backlog is taken in."""

    ahead_seconds: int = Field(ge=60, le=7 * 86_400)
    """No shard takes in a record that arrived so much later than what the slowest shard has come to. Where that is, is looked at
    for each epoch: so a backlog is taken in by at most so much an epoch."""
    left_out_after_seconds: int | None = Field(default=None, ge=60, le=7 * 86_400)
    """A shard that has not come further for so long (it has stopped, or nobody reads it) holds the others back no more. Without a
    number it does for as long as it takes. A shard without records is no such shard: it comes further with the service's time."""
