"""The whole content of a row in one column, where keys become no columns of their own."""

from collections.abc import Callable

import msgspec

from firnline_ingest.config.formats import is_one_column
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.identifiers import stored_name
from firnline_ingest.records.json_object import CARRIAGE_RETURN, LINE_FEED, minified

Wrap = Callable[[bytes], bytes]


def wrap_of(pipeline: PipelineConfig) -> Wrap | None:
    """What puts JSON of any kind, which was checked, into an object of one key, on one line. None where keys become columns, and
    for formats that make such an object themselves.
    """
    if pipeline.content_column is None or is_one_column(pipeline.format):
        return None
    start = b"{" + msgspec.json.encode(stored_name(pipeline.content_column)) + b":"

    def wrap(document: bytes) -> bytes:
        if LINE_FEED in document or CARRIAGE_RETURN in document:
            document = minified(document)
        return b"%b%b}" % (start, document)

    return wrap
