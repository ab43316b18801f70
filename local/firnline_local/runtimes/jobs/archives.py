"""spark.archives in the driver's working directory, as services unpack them there; executors fetch and unpack their own."""

import shutil
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from firnline_local.runtimes.jobs.submission import LaunchRefused

TAR_NAMES = (".tar.gz", ".tgz", ".tar")


def unpack(archives: str, folder: Path, s3: Any) -> None:
    """`archives` are URIs in S3 as Spark lists them, with the folder's name after a #. Raises LaunchRefused."""
    from botocore.exceptions import ClientError

    for each in filter(None, (part.strip() for part in archives.split(","))):
        uri, _, name = each.partition("#")
        bucket, _, key = uri.partition("://")[2].partition("/")
        with tempfile.TemporaryDirectory(dir=folder.parent) as scratch:
            file = Path(scratch) / Path(key).name
            try:
                s3.download_file(bucket, key, str(file))
            except ClientError as error:
                raise LaunchRefused(f"{uri} can't be read with the job's role: {error}") from error
            _extract(file, folder / (name or file.name))


def _extract(file: Path, into: Path) -> None:
    into.mkdir(parents=True)
    if file.name.endswith(TAR_NAMES):
        with tarfile.open(file) as archive:
            archive.extractall(into, filter="tar")
    elif file.suffix in (".zip", ".jar"):
        shutil.unpack_archive(file, into, "zip")
    else:
        raise LaunchRefused(f"{file.name} is no archive that Spark unpacks: it may be tar.gz, tgz, tar, zip or jar.")
