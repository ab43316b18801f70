"""Kinesis as a sink: every record acknowledged or a said failure, at least once, in order where that is asked for."""

from firnline_ingest.sink.keys import PartitionKey, by_fields, by_number, fixed, random_keys
from firnline_ingest.sink.kinesis_sink import KinesisSink, SinkReport, put_all
from firnline_ingest.sink.options import SinkOptions

__all__ = [
    "KinesisSink",
    "PartitionKey",
    "SinkOptions",
    "SinkReport",
    "by_fields",
    "by_number",
    "fixed",
    "put_all",
    "random_keys",
]
