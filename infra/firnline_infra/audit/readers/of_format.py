"""The reader of each format: what a record holds, as JSON, by the format's public description and none of the engine's code."""

from collections.abc import Callable

from firnline_infra.audit.readers.avro import avro_rows
from firnline_infra.audit.readers.json_model import Json, Unreadable
from firnline_infra.audit.readers.protobuf import protobuf_rows
from firnline_infra.audit.readers.text_formats import (
    bytes_rows,
    cloudwatch_logs_rows,
    csv_rows,
    json_lines_rows,
    json_rows,
    text_rows,
)
from firnline_ingest.config.format import Format, SchemasOf
from firnline_ingest.formats.avro import AvroFormat
from firnline_ingest.formats.bytes import BytesFormat
from firnline_ingest.formats.cloudwatch_logs import CloudWatchLogsFormat
from firnline_ingest.formats.csv import CsvFormat
from firnline_ingest.formats.json import JsonFormat
from firnline_ingest.formats.json_lines import JsonLinesFormat
from firnline_ingest.formats.protobuf import ProtobufFormat
from firnline_ingest.formats.text import TextFormat


def reader_of(of: Format, schemas: SchemasOf) -> Callable[[bytes], list[Json]]:
    """Returns what reads an unpacked record. It raises Unreadable, and SchemaRegistryError."""

    def read(data: bytes) -> list[Json]:
        if not data:
            raise Unreadable("empty")
        match of:
            case JsonFormat():
                return json_rows(of, data)
            case JsonLinesFormat():
                return json_lines_rows(data)
            case TextFormat():
                return text_rows(of, data)
            case BytesFormat():
                return bytes_rows(of, data)
            case CsvFormat():
                return csv_rows(of, data)
            case CloudWatchLogsFormat():
                return cloudwatch_logs_rows(data)
            case AvroFormat():
                return avro_rows(of, data, schemas)
            case ProtobufFormat():
                return protobuf_rows(of, data, schemas)
        raise AssertionError(f"there is no reader of {of.type}")

    return read
