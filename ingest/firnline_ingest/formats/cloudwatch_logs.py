"""cloudwatch_logs: the envelopes of a subscription filter; a row for each log event, with where it came from.

Format: CloudWatch Logs user guide, "Log group-level subscription filters".
"""

from collections.abc import Callable, Iterator
from typing import Literal

from firnline_ingest.config.format import Check, Decoder, Format, SchemasOf
from firnline_ingest.formats.packing import Compression, unpacker
from firnline_ingest.records.rejection import LeftOut, Omitted, malformed

CONTROL, DATA = "CONTROL_MESSAGE", "DATA_MESSAGE"


class CloudWatchLogsFormat(Format):
    """A record is what a subscription filter of CloudWatch Logs puts: gzip, and an envelope of log events. Each event becomes a
    row with the envelope's owner, logGroup, logStream, subscriptionFilters and whatever else it has, as policyLevel; messages
    that only test the way are skipped and counted.
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

        envelope_in, unpack = _envelopes(), unpacker(Compression.GZIP)
        assert unpack is not None

        def decode(data: bytes) -> Iterator[bytes]:
            content = unpack(data)
            try:
                message_type, head, events = envelope_in(content)
            except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
                raise malformed(f"it is not an envelope of CloudWatch Logs: {error}.") from error
            if message_type == CONTROL:
                raise Omitted(LeftOut.CONTROL_MESSAGE)
            if message_type != DATA:
                raise malformed(f"its messageType is {message_type[:60]!r}.")
            if not events:
                raise malformed("it has no log event.")
            for event in events:
                yield check(splice(head, event))

        return decode


def _envelopes() -> "Callable[[bytes], tuple[str, bytes, list[bytes]]]":
    """Returns a reader of envelopes: its messageType, its other fields as an object without the last brace, and its
    events as JSON.

    Fields of the user guide are read by their types; with any other one, everything is as it was sent.
    """
    import msgspec

    class LogEvent(msgspec.Struct, rename="camel"):
        id: str
        timestamp: int
        message: str
        extracted_fields: dict[str, str | None] | msgspec.UnsetType = msgspec.UNSET

    class Source(msgspec.Struct, rename="camel"):
        owner: str | None = None
        log_group: str | None = None
        log_stream: str | None = None
        subscription_filters: list[str] = []

    class KnownSource(Source, rename="camel"):
        policy_level: str | msgspec.UnsetType = msgspec.UNSET

    class Envelope(Source, kw_only=True, rename="camel"):
        message_type: str
        log_events: list[LogEvent] = msgspec.field(default_factory=list)

    class KnownEvent(LogEvent, rename="camel", forbid_unknown_fields=True): ...

    class KnownEnvelope(KnownSource, kw_only=True, rename="camel", forbid_unknown_fields=True):
        message_type: str
        log_events: list[KnownEvent] = msgspec.field(default_factory=list)

    encode, fields = msgspec.json.Encoder().encode, KnownSource.__struct_fields__
    known_in, any_in = msgspec.json.Decoder(KnownEnvelope).decode, msgspec.json.Decoder(Envelope).decode
    raw_in, raws_in = (
        msgspec.json.Decoder(dict[str, msgspec.Raw]).decode,
        msgspec.json.Decoder(list[msgspec.Raw]).decode,
    )

    def envelope_in(content: bytes) -> tuple[str, bytes, list[bytes]]:
        try:
            known = known_in(content)
        except msgspec.ValidationError:
            message_type, whole = any_in(content).message_type, raw_in(content)
            events = raws_in(whole.pop("logEvents", b"[]"))
            del whole["messageType"]
            return message_type, encode(raw_in(encode(Source())) | whole)[:-1], list(map(bytes, events))
        source = KnownSource(*(getattr(known, name) for name in fields))
        return known.message_type, encode(source)[:-1], list(map(encode, known.log_events))

    return envelope_in
