"""Records in files, one a line, gzipped or not; or one a file."""

import gzip
import sys
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from firnline_ingest.sink.errors import LinesUnreadable

GZIP_MAGIC = b"\x1f\x8b"
STDIN = Path("-")


def lines_of(path: Path) -> Iterator[bytes]:
    """The lines as they are, but for their ends; an empty line is not a record. `-` is standard input, which is not unzipped.

    Raises LinesUnreadable for a file that breaks off, when all lines before have been given.
    """
    if path == STDIN:
        yield from _records(sys.stdin.buffer)
        return
    with path.open("rb") as file:
        is_gzipped = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        try:
            yield from _records(cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if is_gzipped else file)
        except (OSError, EOFError, zlib.error) as error:
            raise LinesUnreadable(str(path), str(error)) from error


def whole(path: Path) -> Iterator[bytes]:
    """The file's bytes as one record, as they are; an empty file is not a record. `-` is standard input."""
    if content := sys.stdin.buffer.read() if path == STDIN else path.read_bytes():
        yield content


def _records(lines: IO[bytes]) -> Iterator[bytes]:
    for line in lines:
        if record := line.rstrip(b"\r\n"):
            yield record
