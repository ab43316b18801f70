"""The decoder of each format."""

from collections.abc import Iterator

from firnline_ingest.config.formats import (
    AvroFormat,
    BytesFormat,
    CloudWatchLogsFormat,
    Compression,
    CsvFormat,
    Format,
    JsonFormat,
    JsonLinesFormat,
    TextFormat,
)
from firnline_ingest.records.decoders.avro import avro_decoder
from firnline_ingest.records.decoders.cloudwatch_logs import cloudwatch_logs_decoder
from firnline_ingest.records.decoders.content import bytes_decoder, refuse_larger, text_decoder
from firnline_ingest.records.decoders.csv_lines import csv_decoder
from firnline_ingest.records.decoders.decoder import Decoder
from firnline_ingest.records.decoders.json_lines import Check, json_lines_decoder
from firnline_ingest.records.decoders.unpack import Unpack, unpacker
from firnline_ingest.records.json_object import minified
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable


def decoder_of(of: Format, check: Check, most: int) -> Decoder | None:
    """None for plain JSON, whose rows are the record's own bytes. `check` judges what is to be an object of at most so many
    bytes.
    """
    unpack = None if isinstance(of, CloudWatchLogsFormat) else unpacker(of.compression)
    if isinstance(of, JsonFormat) and unpack is None:
        return None
    return _of_content(_content_decoder(of, bounded(check, most), most), unpack)


def is_plain(of: Format) -> bool:
    """Whether a record is its row."""
    return isinstance(of, JsonFormat) and of.compression is Compression.NONE


def _content_decoder(of: Format, check: Check, most: int) -> Decoder:
    match of:
        case JsonFormat():
            return _one(check)
        case JsonLinesFormat():
            return json_lines_decoder(check)
        case TextFormat():
            return text_decoder(of, most)
        case BytesFormat():
            return bytes_decoder(of, most)
        case CsvFormat():
            return csv_decoder(of, check)
        case CloudWatchLogsFormat():
            return cloudwatch_logs_decoder(check)
        case AvroFormat():
            return avro_decoder(of, check)


def bounded(check: Check, most: int) -> Check:
    """Looking at keys takes many times an object's size, so none is looked at that is too large for a row."""

    def checked(data: bytes) -> bytes:
        if len(data) > most:
            data = minified(data)
            refuse_larger(data, most)
        return check(data)

    return checked


def _one(check: Check) -> Decoder:
    def decode(data: bytes) -> Iterator[bytes]:
        yield check(data)

    return decode


def _of_content(decode: Decoder, unpack: Unpack | None) -> Decoder:
    """Unpacked, and with content."""

    def unpacked(data: bytes) -> Iterator[bytes]:
        content = unpack(data) if unpack and data else data
        if not content:
            raise Unusable(Rejection(RejectReason.EMPTY, "it has no content."))
        return decode(content)

    return unpacked
