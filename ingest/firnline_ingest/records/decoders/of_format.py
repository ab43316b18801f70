"""The decoder of each format."""

from firnline_ingest.config.formats import Format, JsonFormat, JsonLinesFormat, TextFormat
from firnline_ingest.records.decoders.decoder import Decoder
from firnline_ingest.records.decoders.json_lines import json_lines_decoder
from firnline_ingest.records.decoders.text import text_decoder
from firnline_ingest.records.json_object import JsonObjectCheck


def decoder_of(of: Format, check: JsonObjectCheck) -> Decoder | None:
    """None for plain JSON, whose rows are the record's own bytes. `check` judges what is to be an object."""
    match of:
        case JsonFormat():
            return None
        case JsonLinesFormat():
            return json_lines_decoder(check)
        case TextFormat():
            return text_decoder(of)


def makes_several_rows(of: Format) -> bool:
    """Whether a record can be several rows: then each has its number."""
    return isinstance(of, JsonLinesFormat)
