"""Brings log files of this machine to S3 while they grow, as the services do."""

import gzip
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

EVERY_S = 10.0


class LogSink:
    """Writes while there is something to write, and once more at `close`. `write` may be called from any thread."""

    def __init__(
        self, place: str, files: Callable[[], Iterable[tuple[str, Path]]], s3: Callable[[], Any], *, begin: str = ""
    ) -> None:
        """`place` is s3://bucket/folder; `files` are names below it with the files that they are copies of. `begin` is a
        name that is written empty at once.

        Raises the client's error where `begin` may not be written.
        """
        self._bucket, _, self._folder = place.partition("://")[2].partition("/")
        self._files = files
        self._s3 = s3
        self._sizes: dict[str, int] = {}
        self._is_over = threading.Event()
        self._writing = threading.Lock()
        if begin:
            self._put(begin, b"")
        self._thread = threading.Thread(target=self._write_on, name="logs", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._is_over.set()
        self._thread.join()
        self.write()

    def write(self) -> None:
        with self._writing:
            for name, file in self._files():
                content = file.read_bytes() if file.exists() else b""
                if content and self._sizes.get(name) != len(content):
                    self._put(name, content)
                    self._sizes[name] = len(content)

    def _write_on(self) -> None:
        while not self._is_over.wait(EVERY_S):
            try:
                self.write()
            except Exception as error:
                print(f"logs of {self._folder}: {error}", flush=True)

    def _put(self, name: str, content: bytes) -> None:
        key = f"{self._folder.strip('/')}/{name}.gz".lstrip("/")
        self._s3().put_object(Bucket=self._bucket, Key=key, Body=gzip.compress(content, 1))
