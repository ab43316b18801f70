"""Places where records go that can't be ingested."""

from typing import Self

from pydantic import Field, model_validator

from firnline_infra.specification.aws import StreamName
from firnline_ingest.config.document import Section


class DeadLetters(Section):
    """The place for records that can't be ingested: the environment's bucket, unless something else is said or there is
    none."""

    folder: str | None = Field(default=None, min_length=1)
    """A folder of the machine that the whole engine runs on; /var/lib/firnline/dead-letters if absent and there is no
    bucket. Refused where workers are several, or come and go."""
    stream: StreamName | None = None
    """One of the streams, which no pipeline reads: for programs that process dead letters as they come. It keeps them as long as
    its retention, and they can't be listed."""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if self.folder is not None and self.stream is not None:
            raise ValueError("give folder or stream, not both")
        return self
