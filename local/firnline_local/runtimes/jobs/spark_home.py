"""The Spark that a job runs on: the one that is installed here, laid out as a service has it, with S3A among its jars; which
settings count; and spark.archives in the driver's working directory.

SPARK_HOME is a folder of links. Executors work below it, so each attempt has one of its own, and they fetch and unpack archives
themselves. What was unpacked is kept on this machine by its content, and linked: the next start asks S3 for the
object's tag alone.
"""

import hashlib
import os
import re
import shutil
import sys
import tarfile
import tempfile
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

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
    """Returns the jar's name without the version: two versions of one library in one JVM fail in unreadable ways."""
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
    """Returns what the service sets below everything that a job says: S3A behind every scheme, and addresses on this machine."""
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
    """The properties in the format of java.util.Properties; a value may hold anything but the first of two blanks."""
    return "".join(f"{_escaped(name, ' =:')}={_escaped(value)}\n" for name, value in sorted(conf.items()))


def _escaped(text: str, more: str = "") -> str:
    for mark in ("\\", *more):
        text = text.replace(mark, f"\\{mark}")
    text = text.replace("\n", "\\n").replace("\r", "\\r")
    return f"\\{text}" if text.startswith((" ", "#", "!")) and not more else text


def java_variables() -> dict[str, str]:
    """Returns what of this machine's own environment a JVM needs to be found.

    Python is the one below every virtual environment: what a job imports it brings itself.
    """
    python = Path(sys.base_prefix) / "bin"
    kept = {name: os.environ[name] for name in ("JAVA_HOME", "LANG") if name in os.environ}
    return {
        **kept,
        "PATH": f"{python}{os.pathsep}{os.environ.get('PATH', os.defpath)}",
        "PYSPARK_PYTHON": str(python / "python3"),
    }


OPTIONS = {
    "--archives": "spark.archives",
    "--driver-cores": "spark.driver.cores",
    "--driver-memory": "spark.driver.memory",
    "--executor-cores": "spark.executor.cores",
    "--executor-memory": "spark.executor.memory",
    "--num-executors": "spark.executor.instances",
}
"""spark-submit's own names (spark-submit --help)."""
MIB = {"k": 1 / 1024, "m": 1, "g": 1024, "t": 1024 * 1024}
LEAST_OVERHEAD_MIB = 384


def effective(conf: Mapping[str, str], parameters: Sequence[str]) -> dict[str, str]:
    """Settings with those of the parameters on top, which may be written as `--name value` or `--name=value`."""
    found, rest = dict(conf), iter(parameters)
    for each in rest:
        name, has_value, value = each.partition("=")
        if name in OPTIONS or name in ("--conf", "-c"):
            value = value if has_value else next(rest, "")
            if name in OPTIONS:
                found[OPTIONS[name]] = value
            else:
                setting, _, value = value.partition("=")
                found[setting] = value
    return found


def mebibytes(text: str) -> int:
    """The MiB of a size in Spark's notation for a JVM's memory: 14G, 2048m; MiB without a unit."""
    match = re.fullmatch(r"(\d+)\s*([kmgt]?)b?", text.strip().lower())
    if match is None:
        raise ValueError(f"{text!r} is not a size")
    return int(int(match[1]) * MIB[match[2] or "m"])


def worker(settings: Mapping[str, str]) -> tuple[int, int]:
    """Cores and MiB of one executor's worker, with its overhead."""
    cores = int(settings.get("spark.executor.cores", "1"))
    memory = mebibytes(settings.get("spark.executor.memory", "1g"))
    overhead = settings.get("spark.executor.memoryOverhead")
    factor = float(settings.get("spark.executor.memoryOverheadFactor", "0.1"))
    more = mebibytes(overhead) if overhead else max(LEAST_OVERHEAD_MIB, int(memory * factor))
    return cores, memory + more


def with_prefix(settings: Mapping[str, str], prefix: str) -> dict[str, str]:
    return {name.removeprefix(prefix): value for name, value in settings.items() if name.startswith(prefix)}


TAR_NAMES = (".tar.gz", ".tgz", ".tar")


@dataclass(frozen=True)
class Archives:
    """Thread-safe. `kept` is a folder of this machine, on the file system of the jobs' own."""

    kept: Path
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def unpack(self, archives: str, folder: Path, s3: Any) -> None:
        """`archives` are URIs in S3 as Spark lists them, with the folder's name after a #. Raises LaunchRefused."""
        for each in filter(None, (part.strip() for part in archives.split(","))):
            uri, _, name = each.partition("#")
            source = self._unpacked(uri, s3)
            shutil.copytree(source, folder / (name or Path(uri).name), symlinks=True, copy_function=os.link)

    def _unpacked(self, uri: str, s3: Any) -> Path:
        from botocore.exceptions import ClientError

        bucket, _, key = uri.partition("://")[2].partition("/")
        with self._lock:
            try:
                tag = s3.head_object(Bucket=bucket, Key=key)["ETag"]
                place = self.kept / hashlib.sha256(f"{uri} {tag}".encode()).hexdigest()
                if not place.exists():
                    self._fetch(bucket, key, place, s3)
            except ClientError as error:
                raise LaunchRefused(f"{uri} can't be read with the job's role: {error}") from error
        return place

    def _fetch(self, bucket: str, key: str, place: Path, s3: Any) -> None:
        """The file is there whole, or not at all."""
        self.kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.kept) as scratch:
            file = Path(scratch) / Path(key).name
            s3.download_file(bucket, key, str(file))
            _extract(file, Path(scratch) / "unpacked")
            (Path(scratch) / "unpacked").rename(place)


def _extract(file: Path, into: Path) -> None:
    into.mkdir(parents=True)
    if file.name.endswith(TAR_NAMES):
        with tarfile.open(file) as archive:
            archive.extractall(into, filter="tar")
    elif file.suffix in (".zip", ".jar"):
        shutil.unpack_archive(file, into, "zip")
    else:
        raise LaunchRefused(
            f"{file.name} is not an archive that Spark unpacks: it may be tar.gz, tgz, tar, zip or jar."
        )
