"""Preparation of what every start of Spark does anew: tests start some thirty, and half of their CPU time went there.

`scripts/test` runs this file beside the checks. An archive (CDS) has the classes that a JVM loads; tests/conftest.py hands it on,
and a JVM that it does not fit (another Java, other jars) reads the jars. Python workers import pyspark from a zip file, in which
there is nothing but source: compiled modules are put beside it. What the tests see is the same.
"""

import compileall
import os
import re
import sys
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from py_compile import PycInvalidationMode

ARCHIVE = Path(sys.prefix) / "spark-classes.jsa"
OPTIONS = "SPARK_SUBMIT_OPTS"
QUIET = "-Xlog:disable -Xlog:all=error:stderr"  # else a JVM names each class that it leaves out, and why it takes no archive
SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # as the engine starts its own in local mode
GIVE_UP_S = 300
NOT_OF_WORKERS = re.compile(r"/tests/|/pyspark/(ml|mllib|pandas|testing)/")


def use_archive() -> None:
    """Also of a JVM that a test starts by itself: it runs for seconds, of which the second compiler takes a third."""
    archive = f"-XX:SharedArchiveFile={ARCHIVE} {QUIET}" if ARCHIVE.exists() else ""
    os.environ.setdefault(OPTIONS, f"{SMALL} {archive}".strip())


def make_archive() -> None:
    """Archives the classes of a query like the engine's: rows of a Python data source, in local mode.

    Leaves no file where the JVM makes none."""
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


def compile_workers() -> None:
    """The file is replaced, never written to: other environments may have it by a link."""
    import pyspark

    original = Path(pyspark.__file__).parent / "python" / "lib" / "pyspark.zip"
    with tempfile.TemporaryDirectory(dir=original.parent) as folder:
        modules, made = Path(folder) / "modules", Path(folder) / original.name
        with zipfile.ZipFile(original) as source:
            source.extractall(modules)
        mode = PycInvalidationMode.UNCHECKED_HASH
        compileall.compile_dir(
            modules, ddir=str(original), quiet=2, legacy=True, rx=NOT_OF_WORKERS, invalidation_mode=mode
        )
        with zipfile.ZipFile(made, "w") as target:
            for file in sorted(modules.rglob("*")):
                target.write(file, file.relative_to(modules))
        made.replace(original)


if __name__ == "__main__":
    compile_workers()
    make_archive()
