"""A job's logs in S3, where the service writes them: each worker's stdout and stderr, compressed, with the job's own rights.

(EMR Serverless user guide, "Storing logs": SPARK_DRIVER/stderr.gz, SPARK_EXECUTOR/1/stdout.gz and so on below the run's folder.)
Here every file is written anew as it grows; the service rotates those of a stream.
"""

import gzip
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

DRIVER, EXECUTOR = "SPARK_DRIVER", "SPARK_EXECUTOR"
EVERY_S = 10.0


class LogSink:
    """Writes while the attempt runs, and once more at `close`."""

    def __init__(self, place: str, logs: Path, executors: Path, s3: Callable[[], Any]) -> None:
        """`place` is s3://bucket/folder, `executors` the folder that Spark's workers make a folder per executor in.

        Raises the client's error where the job may not write there.
        """
        self._bucket, _, self._folder = place.removeprefix("s3://").partition("/")
        self._logs = logs
        self._executors = executors
        self._s3 = s3
        self._sizes: dict[str, int] = {}
        self._is_over = threading.Event()
        self._put(f"{DRIVER}/stderr", b"")
        self._thread = threading.Thread(target=self._write_on, name="logs", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._is_over.set()
        self._thread.join()
        self._write()

    def _write_on(self) -> None:
        while not self._is_over.wait(EVERY_S):
            try:
                self._write()
            except Exception as error:
                print(f"logs of {self._folder}: {error}", flush=True)

    def _write(self) -> None:
        for name, file in worker_logs(self._logs, self._executors):
            content = file.read_bytes() if file.exists() else b""
            if content and self._sizes.get(name) != len(content):
                self._put(name, content)
                self._sizes[name] = len(content)

    def _put(self, name: str, content: bytes) -> None:
        key = f"{self._folder.strip('/')}/{name}.gz".lstrip("/")
        self._s3().put_object(Bucket=self._bucket, Key=key, Body=gzip.compress(content, 1))


def worker_logs(logs: Path, executors: Path) -> Iterator[tuple[str, Path]]:
    """What the service calls each file, and where it is here."""
    for stream in ("stdout", "stderr"):
        yield f"{DRIVER}/{stream}", logs / stream
        for file in executors.glob(f"app-*/*/{stream}"):
            yield f"{EXECUTOR}/{file.parent.name}/{stream}", file
