"""Snowflake for Spark's own writers: `format("snowpipe")` of write and writeStream, by the official Snowpipe Streaming SDK."""

from firnline_ingest.datasource.snowpipe.source import SnowpipeDataSource

__all__ = ["SnowpipeDataSource"]
