"""The decoder of each format."""

from collections.abc import Iterator

from firnline_ingest.config.formats import (
    AvroFormat,
    AvroFraming,
    BytesFormat,
    CloudWatchLogsFormat,
    Compression,
    CsvFormat,
    Format,
    JsonFormat,
    JsonFraming,
    JsonLinesFormat,
    TextFormat,
)
from firnline_ingest.records.decoders.avro import Objects, avro_decoder, avro_objects
from firnline_ingest.records.decoders.cloudwatch_logs import cloudwatch_logs_decoder
from firnline_ingest.records.decoders.content import bytes_decoder, refuse_larger, text_decoder
from firnline_ingest.records.decoders.csv_lines import csv_decoder
from firnline_ingest.records.decoders.decoder import Decoder
from firnline_ingest.records.decoders.framing import Unframe, confluent, glue
from firnline_ingest.records.decoders.json_lines import Check, json_lines_decoder
from firnline_ingest.records.decoders.registered import SchemasOf, no_registry, registered_objects
from firnline_ingest.records.decoders.unpack import Unpack, unpacker
from firnline_ingest.records.json_object import minified
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable

FRAMES: dict[str, Unframe] = {"confluent": confluent, "glue": glue}


def decoder_of(of: Format, check: Check, most: int, schemas: SchemasOf = no_registry) -> Decoder | None:
    """None for plain JSON, whose rows are the record's own bytes. `check` judges what is to be an object of at most so many
    bytes; `schemas` tells how a registry is asked.
    """
    unpack = None if isinstance(of, CloudWatchLogsFormat) else unpacker(of.compression)
    if is_plain(of):
        return None
    return _of_content(_content_decoder(of, bounded(check, most), most, schemas), unpack)


def is_plain(of: Format) -> bool:
    """Whether a record is its row."""
    return isinstance(of, JsonFormat) and of.compression is Compression.NONE and of.framing is JsonFraming.NONE


def _content_decoder(of: Format, check: Check, most: int, schemas: SchemasOf) -> Decoder:
    match of:
        case JsonFormat():
            return _one(check, FRAMES.get(of.framing))
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
            return avro_decoder(_objects_of(of, schemas), check)


def bounded(check: Check, most: int) -> Check:
    """Looking at keys takes many times an object's size, so none is looked at that is too large for a row."""

    def checked(data: bytes) -> bytes:
        if len(data) > most:
            data = minified(data)
            refuse_larger(data, most)
        return check(data)

    return checked


def _objects_of(of: AvroFormat, schemas: SchemasOf) -> Objects:
    if of.framing in (AvroFraming.CONFLUENT, AvroFraming.GLUE):
        return registered_objects(FRAMES[of.framing], schemas(of))
    return avro_objects(of)


def _one(check: Check, unframe: Unframe | None) -> Decoder:
    def decode(data: bytes) -> Iterator[bytes]:
        yield check(unframe(data)[1] if unframe else data)

    return decode


def _of_content(decode: Decoder, unpack: Unpack | None) -> Decoder:
    """Unpacked, and with content."""

    def unpacked(data: bytes) -> Iterator[bytes]:
        content = unpack(data) if unpack and data else data
        if not content:
            raise Unusable(Rejection(RejectReason.EMPTY, "it has no content."))
        return decode(content)

    return unpacked
