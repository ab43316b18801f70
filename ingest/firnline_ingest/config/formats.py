"""What the bytes of a record are: one small model a format, told apart by `type`."""

from typing import Annotated, Literal

from pydantic import Field

from firnline_ingest.config.document import Section

CONTENT = "RECORD_CONTENT"


class JsonFormat(Section):
    """A record is one JSON object; its first-level keys become columns."""

    type: Literal["json"] = "json"
    """One JSON object."""


class JsonLinesFormat(Section):
    """A record is JSON objects, one a line, as Firehose and many log shippers put them; each becomes a row."""

    type: Literal["json_lines"]
    """JSON objects, one a line."""


class TextFormat(Section):
    """A record is text in UTF-8, kept as it is in one column."""

    type: Literal["text"]
    """Text in UTF-8."""
    column: str = CONTENT
    """The VARCHAR column that takes it."""


Format = Annotated[JsonFormat | JsonLinesFormat | TextFormat, Field(discriminator="type")]
