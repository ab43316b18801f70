"""Files of events, one a line, gzipped or not."""

import gzip
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

GZIP_MAGIC = b"\x1f\x8b"


def events_of(path: Path) -> Iterator[bytes]:
    """The lines as they are, but for their ends; an empty line is no event."""
    with path.open("rb") as file:
        is_gzipped = file.read(len(GZIP_MAGIC)) == GZIP_MAGIC
        file.seek(0)
        lines = cast("IO[bytes]", gzip.GzipFile(fileobj=file)) if is_gzipped else file
        for line in lines:
            if event := line.rstrip(b"\r\n"):
                yield event
