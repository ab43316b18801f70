"""Contents that a pipeline makes of a record's bytes: the format's objects, or the whole content in one column."""

from collections.abc import Callable, Iterator

import msgspec

from firnline_ingest.config.format import Check, DeclaredTypes, Decoder, Format, SchemasOf
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.identifiers import stored_name
from firnline_ingest.records.json_object import CARRIAGE_RETURN, LINE_FEED, minified
from firnline_ingest.records.rejection import Rejection, RejectReason, Unusable, refuse_larger

Wrap = Callable[[bytes], bytes]


def decoder_of(of: Format, check: Check, most: int, schemas: SchemasOf) -> Decoder | None:
    """The format's decoder; None for plain JSON, whose rows are the record's own bytes. `check` judges what has to be an
    object of at most `most` bytes; `schemas` tells how a registry is asked."""
    if of.is_plain:
        return None
    unpack, decode = of.unpacker(), of.decoder(bounded(check, most), most, schemas)

    def unpacked(data: bytes) -> Iterator[bytes]:
        content = unpack(data) if unpack and data else data
        if not content:
            raise Unusable(Rejection(RejectReason.EMPTY, "it has no content."))
        return decode(content)

    return unpacked


def types_of(of: Format, schemas: SchemasOf) -> DeclaredTypes | None:
    """Returns what knows the types that a record's schema declares, of records as they come; None where there is no schema."""
    unpack, types = of.unpacker(), of.declared_types(schemas)
    if unpack is None or types is None:
        return types
    return lambda data: types(unpack(data))


def bounded(check: Check, most: int) -> Check:
    """Looking at keys takes many times an object's size, so none is looked at that is too large for a row."""

    def checked(data: bytes) -> bytes:
        if len(data) > most:
            data = minified(data)
            refuse_larger(data, most)
        return check(data)

    return checked


def without_null(check: Check) -> Check:
    """JSON's null is not content, for pipelines that say what becomes of a record without any."""

    def checked(data: bytes) -> bytes:
        if data.strip() == b"null":
            raise Unusable(Rejection(RejectReason.EMPTY, "it is null."))
        return check(data)

    return checked


def wrap_of(pipeline: PipelineConfig) -> Wrap | None:
    """Returns what puts JSON of any kind, which was checked, into an object of one key, on one line.

    None where keys become columns, and for formats that make such an object themselves.
    """
    if pipeline.content_column is None or pipeline.format.is_one_column:
        return None
    start = b"{" + msgspec.json.encode(stored_name(pipeline.content_column)) + b":"

    def wrap(document: bytes) -> bytes:
        if LINE_FEED in document or CARRIAGE_RETURN in document:
            document = minified(document)
        return b"%b%b}" % (start, document)

    return wrap
