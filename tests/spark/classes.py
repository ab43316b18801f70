"""An archive of the classes that Spark loads (CDS): with it a JVM starts in half of its CPU time, and tests start some thirty.

`scripts/test` makes it beside the packages; tests/conftest.py hands it on. A JVM that it does not fit (another Java, other jars)
reads the jars, as it does where there is none: what the tests see is the same.
"""

import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
OPTIONS = "SPARK_SUBMIT_OPTS"
QUIET = "-Xlog:disable -Xlog:all=error:stderr"  # else a JVM names each class that it leaves out, and why it takes no archive
GIVE_UP_S = 300


def use_archive() -> None:
    if ARCHIVE.exists():
        os.environ.setdefault(OPTIONS, f"-XX:SharedArchiveFile={ARCHIVE} {QUIET}")


def make_archive() -> None:
    """Of a query like the engine's: rows of a Python data source, in local mode. Leaves no file where the JVM makes none."""
    from pyspark.sql import SparkSession
    from pyspark.sql.datasource import DataSource, DataSourceStreamReader, InputPartition

    from firnline_ingest.spark.spark_session import LOCAL_SETTINGS, SETTINGS

    class NoRows(DataSource):
        @classmethod
        def name(cls) -> str:
            return "no_rows"

        def schema(self) -> str:
            return "row STRING"

        def streamReader(self, schema: object) -> DataSourceStreamReader:
            return Reader()

    class Reader(DataSourceStreamReader):
        def initialOffset(self) -> dict[str, int]:
            return {"at": 0}

        def latestOffset(self) -> dict[str, int]:
            return {"at": 1}

        def partitions(self, start: object, end: object) -> list[InputPartition]:
            return [InputPartition(0)]

        def read(self, partition: object) -> Iterator[tuple[str]]:
            return iter(())

        def commit(self, end: object) -> None:
            """Keeps nothing."""

    with tempfile.TemporaryDirectory(dir=ARCHIVE.parent) as folder:
        made = Path(folder) / ARCHIVE.name
        os.environ |= {
            OPTIONS: f"-XX:ArchiveClassesAtExit={made} {QUIET}",
            "SPARK_LOCAL_IP": "127.0.0.1",
            "PYSPARK_PYTHON": sys.executable,
        }
        builder = SparkSession.builder.config(map={**SETTINGS, **LOCAL_SETTINGS, "spark.master": "local[1]"})
        session = builder.getOrCreate()
        jvm = session.sparkContext._gateway.proc
        session.dataSource.register(NoRows)
        writer = session.readStream.format("no_rows").load().writeStream.format("noop")
        query = writer.option("checkpointLocation", f"{folder}/checkpoint").start()
        while query.lastProgress is None:
            query.awaitTermination(0.1)
        query.stop()
        session.stop()
        jvm.stdin.close()
        jvm.wait(GIVE_UP_S)
        if made.exists():
            made.replace(ARCHIVE)


if __name__ == "__main__":
    make_archive()
