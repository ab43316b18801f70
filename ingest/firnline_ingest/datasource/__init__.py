"""Kinesis and Snowflake for Spark's own readers and writers.

`format("kinesis")` of read, readStream, write and writeStream, `format("snowpipe")` of write and writeStream; `register(spark)`
makes both known to a session, `replayable(frame)` looks at a plan, and `drain(writer)` reads what had arrived. They need nothing
else of Firnline's: no ledger, no engine. docs/spark.md has the options.
"""

from pyspark.sql import SparkSession

from firnline_ingest.datasource.draining import drain
from firnline_ingest.datasource.plan import replayable
from firnline_ingest.datasource.snowpipe import SnowpipeDataSource
from firnline_ingest.datasource.source import KinesisDataSource

__all__ = ["KinesisDataSource", "SnowpipeDataSource", "drain", "register", "replayable"]


def register(spark: SparkSession) -> None:
    """Makes `format("kinesis")` and `format("snowpipe")` known to the session."""
    for source in (KinesisDataSource, SnowpipeDataSource):
        spark.dataSource.register(source)
