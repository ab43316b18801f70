"""Kinesis for Spark's own readers and writers: `format("kinesis")` of read, readStream, write and writeStream.

`spark.dataSource.register(KinesisDataSource)` makes the format known to a session. It needs nothing else of Firnline's: no
ledger, no Snowflake, no engine. docs/spark.md has the options.
"""

from firnline_ingest.datasource.source import KinesisDataSource

__all__ = ["KinesisDataSource"]
