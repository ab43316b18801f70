"""cloudwatch_logs: the envelopes of a subscription filter; a row for each log event, with where it came from.

Format: CloudWatch Logs user guide, "Log group-level subscription filters".
"""

from collections.abc import Iterator
from typing import Any, Literal

from firnline_ingest.config.format import Check, Decoder, Format, SchemasOf
from firnline_ingest.formats.packing import Compression, unpacker
from firnline_ingest.records.rejection import LeftOut, Omitted, malformed

CONTROL, DATA = "CONTROL_MESSAGE", "DATA_MESSAGE"


class CloudWatchLogsFormat(Format):
    """A record is what a subscription filter of CloudWatch Logs puts: gzip, and an envelope of log events. Each event becomes a
    row with the envelope's owner, logGroup, logStream and subscriptionFilters; messages that only test the way are skipped and
    counted.
    """

    order = 60

    type: Literal["cloudwatch_logs"]
    """Log events of a subscription filter."""

    @property
    def makes_several_rows(self) -> bool:
        return True

    def decoder(self, check: Check, max_row_bytes: int, schemas: SchemasOf) -> Decoder:
        import msgspec

        from firnline_ingest.records.metadata import splice

        encode, envelope_in, unpack = msgspec.json.Encoder().encode, _envelopes(), unpacker(Compression.GZIP)
        assert unpack is not None

        def decode(data: bytes) -> Iterator[bytes]:
            content = unpack(data)
            try:
                envelope = envelope_in(content)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise malformed(f"it is no envelope of CloudWatch Logs: {error}.") from error
            if envelope.message_type == CONTROL:
                raise Omitted(LeftOut.CONTROL_MESSAGE)
            if envelope.message_type != DATA:
                raise malformed(f"its messageType is {envelope.message_type[:60]!r}.")
            if not envelope.log_events:
                raise malformed("it has no log event.")
            source = {
                "owner": envelope.owner,
                "logGroup": envelope.log_group,
                "logStream": envelope.log_stream,
                "subscriptionFilters": envelope.subscription_filters,
            }
            head = encode(source)[:-1]
            for event in envelope.log_events:
                yield check(splice(head, encode(event)))

        return decode


def _envelopes() -> Any:
    """What reads an envelope. Fields that it does not name are none of a row's."""
    import msgspec

    class LogEvent(msgspec.Struct, rename="camel"):
        id: str
        timestamp: int
        message: str
        extracted_fields: dict[str, str | None] | msgspec.UnsetType = msgspec.UNSET

    class Envelope(msgspec.Struct, rename="camel"):
        message_type: str
        owner: str | None = None
        log_group: str | None = None
        log_stream: str | None = None
        subscription_filters: list[str] = []
        log_events: list[LogEvent] = []

    return msgspec.json.Decoder(Envelope).decode
