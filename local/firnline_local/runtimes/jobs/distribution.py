"""The Spark that jobs run on: the one that is installed here, laid out as a service has it, with S3A among its jars.

SPARK_HOME is a folder of links. Executors work below it, so each attempt has one of its own.
"""

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from firnline_ingest.errors import FirnlineError
from firnline_local.runtimes.jobs.submission import LaunchRefused

OTHER_SPARK = "FIRNLINE_LOCAL_SPARK"
"""An environment variable that names the SPARK_HOME of another version."""
LINKED = ("bin", "sbin", "python")
SMALL = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # three JVMs share a machine here
SCHEMES = ("s3", "s3a", "s3n")


@dataclass(frozen=True, slots=True)
class Spark:
    """`home` holds bin and jars; `more` are jars that go with them."""

    home: Path
    more: tuple[Path, ...] = ()

    def lay_out(self, folder: Path) -> None:
        """Makes a SPARK_HOME of the folder, which must not be there yet."""
        jars = folder / "jars"
        jars.mkdir(parents=True)
        (folder / "conf").mkdir()
        for name in LINKED:
            (folder / name).symlink_to(self.home / name)
        own = list((self.home / "jars").iterdir())
        there = {artefact_of(jar) for jar in own}
        for jar in (*own, *(jar for jar in self.more if artefact_of(jar) not in there)):
            (jars / jar.name).symlink_to(jar)


def artefact_of(jar: Path) -> str:
    """Its name without the version: two versions of one library in one JVM fail in ways that nobody can read."""
    return re.split(r"-\d", jar.name, maxsplit=1)[0]


def installed_spark() -> Spark:
    """pyspark's own, of this Python, or the one that FIRNLINE_LOCAL_SPARK names, with the jars of S3A for its Hadoop.

    Raises LaunchRefused where there is no Spark, or its jars can't be had.
    """
    import importlib.util

    from firnline_infra.s3a import hadoop_of, provide

    found = importlib.util.find_spec("pyspark")
    home = os.environ.get(OTHER_SPARK) or (found.origin and str(Path(found.origin).parent) if found else None)
    hadoop = hadoop_of(Path(home) / "jars") if home else None
    if home is None or hadoop is None:
        raise LaunchRefused(f"There is no Spark to run the job on: {home or 'pyspark is not installed here'}.")
    try:
        folder = provide(hadoop)
    except FirnlineError as error:
        raise LaunchRefused(str(error)) from error
    return Spark(Path(home), tuple(sorted(folder.glob("*.jar"))))


def service_defaults(aws_endpoint: str, region: str) -> dict[str, str]:
    """What the service sets below everything that a job says: S3A behind every scheme, and addresses on this machine."""
    schemes = {f"spark.hadoop.fs.{scheme}.impl": "org.apache.hadoop.fs.s3a.S3AFileSystem" for scheme in SCHEMES}
    return {
        **schemes,
        "spark.hadoop.fs.s3a.endpoint": aws_endpoint,
        "spark.hadoop.fs.s3a.endpoint.region": region,
        "spark.hadoop.fs.s3a.path.style.access": "true",
        "spark.ui.enabled": "false",
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.defaultJavaOptions": SMALL,
        "spark.executor.defaultJavaOptions": SMALL,
    }


def properties_file(conf: Mapping[str, str]) -> str:
    """As java.util.Properties reads it; a value may hold anything but the first of two blanks."""
    return "".join(f"{_escaped(name, ' =:')}={_escaped(value)}\n" for name, value in sorted(conf.items()))


def _escaped(text: str, more: str = "") -> str:
    for mark in ("\\", *more):
        text = text.replace(mark, f"\\{mark}")
    text = text.replace("\n", "\\n").replace("\r", "\\r")
    return f"\\{text}" if text.startswith((" ", "#", "!")) and not more else text


def java_variables() -> dict[str, str]:
    """What of this machine's own environment a JVM needs to be found. Python is the one below every virtual environment: what
    a job imports it brings itself.
    """
    python = Path(sys.base_prefix) / "bin"
    kept = {name: os.environ[name] for name in ("JAVA_HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "PATH": f"{python}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PYSPARK_PYTHON": str(python / "python3"),
    }
