"""spark.archives in the driver's working directory, as services unpack them there; executors fetch and unpack their own.

What was unpacked is kept on this machine by its content, and linked: the next start asks S3 for the object's tag alone.
"""

import hashlib
import os
import shutil
import tarfile
import tempfile
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firnline_local.runtimes.jobs.submission import LaunchRefused

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
        """It is there whole, or not at all."""
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
        raise LaunchRefused(f"{file.name} is no archive that Spark unpacks: it may be tar.gz, tgz, tar, zip or jar.")
