"""A DataFrame whose plan was looked at: what is written from it says so to the sink, by an option.

What is made of it (`where`, `select`) is another DataFrame, whose plan nobody has looked at: it does not have the option.
"""

from typing import Self

from pyspark.sql import DataFrame, DataFrameWriter
from pyspark.sql.classic.dataframe import DataFrame as ClassicFrame
from pyspark.sql.streaming.readwriter import DataStreamWriter

from firnline_ingest.datasource.options import REPLAYABLE


class CheckedFrame(ClassicFrame):
    """The same DataFrame otherwise."""

    @classmethod
    def of(cls, frame: DataFrame) -> Self:
        made = cls(frame._jdf, frame.sparkSession)
        made.is_cached = frame.is_cached
        return made

    @property
    def write(self) -> DataFrameWriter:
        return super().write.option(REPLAYABLE, "true")

    @property
    def writeStream(self) -> DataStreamWriter:  # noqa: N802 (Spark's name)
        return super().writeStream.option(REPLAYABLE, "true")
