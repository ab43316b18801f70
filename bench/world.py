"""Everything around the engine, on loopback: the canned Kinesis and Snowflake, both by TLS, moto for the ledger, a key, a folder.

All of it lives in one temporary folder and in child processes that end with this one.
"""

import json
import os
import ssl
import tempfile
import urllib.request
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

from bench.kinesis.pushing import Pushed
from bench.kinesis.service import CONSUMER_ARN, COUNTS, PUSHED
from bench.payload import SIZE_BYTES
from bench.subject import Subject
from firnline_ingest.native import SWITCH
from firnline_local.process import ChildProcess

STREAM = "orders"
START_TIMEOUT_S = 60.0
ANSWER_TIMEOUT_S = 60.0
"""The canned servers answer as long as full shards leave them no time, too."""
CREDENTIALS = {
    "AWS_ACCESS_KEY_ID": "bench",
    "AWS_SECRET_ACCESS_KEY": "bench",
    "AWS_EC2_METADATA_DISABLED": "true",
    "AWS_CONFIG_FILE": os.devnull,
}
"""Which nobody checks."""
NOTES = "FIRNLINE_BENCH_NOTES"
"""Names the file that noting_daemon.py writes."""


@dataclass(frozen=True, kw_only=True)
class Shards:
    """Shards that the canned Kinesis serves."""

    count: int
    records_per_s: float
    """Of one shard."""
    is_trickle: bool
    hot: int = 0
    """How many of them, the first ones, are as full as a reader likes although the others trickle."""
    record_bytes: int = SIZE_BYTES

    @property
    def options(self) -> list[str]:
        return [
            f"--shards={self.count}",
            f"--records-per-s={self.records_per_s}",
            "--trickle" if self.is_trickle else "--full",
            f"--hot={self.hot}",
            f"--record-bytes={self.record_bytes}",
        ]


class World:
    """Up while the `with` block lasts."""

    def __init__(self, shards: Shards, *, snowflake: Sequence[str] = ()) -> None:
        """`snowflake`: options of the canned Snowflake."""
        self._shards = shards
        self._snowflake_options = snowflake
        self._stack = ExitStack()

    def __enter__(self) -> Self:
        with ExitStack() as stack:
            self.folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="firnline-bench-")))
            self._start(stack)
            self._stack = stack.pop_all()
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def _start(self, stack: ExitStack) -> None:
        from firnline_local.keys import make_key_pair
        from firnline_local.snowflake.tls import make_certificates

        self.key_file = make_key_pair(self.folder, "engine").private_key_file
        certificates = make_certificates(self.folder)
        self.ca_file = certificates.ca_file
        tls = [f"--certificate={certificates.cert_file}", f"--key={certificates.key_file}"]
        options = {
            "bench.kinesis": [*self._shards.options, *tls],
            "bench.snowflake": [*tls, *self._snowflake_options],
            "firnline_local.aws": [],
        }
        children = {name: self._spawn(stack, name, arguments) for name, arguments in options.items()}
        ready = {name: child.wait_until_ready(timeout_s=START_TIMEOUT_S) for name, child in children.items()}
        self.kinesis: str = ready["bench.kinesis"]["endpoint"]
        self.first_arrival_s = float(ready["bench.kinesis"]["first_arrival_s"])
        self.snowflake: str = ready["bench.snowflake"]["endpoint"]
        self.aws: str = ready["firnline_local.aws"]["endpoint"]

    def _spawn(self, stack: ExitStack, name: str, arguments: list[str]) -> ChildProcess:
        log_file = self.folder / f"{name}.log"
        child = ChildProcess.start(name, arguments, name=name, log_file=log_file)
        stack.callback(child.stop)
        return child

    def engine(
        self,
        *,
        epoch_s: float,
        notes: Path | None = None,
        by_fan_out: bool = False,
        is_native: bool = True,
        tasks: int = 2,
        query: Mapping[str, str] | None = None,
    ) -> Subject:
        """The ordinary command over these servers. Its worker writes down each append in `notes`, where there is one."""
        reader = {"fan_out": {"consumer_arn": CONSUMER_ARN}} if by_fan_out else "polling"
        conf = {"spark.python.daemon.module": "bench.noting_daemon"} if notes else {}
        document = {
            "version": 1,
            "application": "bench",
            "aws": {
                "region": "us-east-1",
                "endpoints": {"kinesis": self.kinesis, "dynamodb": self.aws},
                "ca_file": str(self.ca_file),
            },
            "ledger": {"table": "bench-ledger", "create": True},
            "snowflake": {
                "account": "BENCH",
                "user": "BENCH",
                "role": "BENCH",
                "private_key": {"file": str(self.key_file)},
                "url": self.snowflake,
                "ca_file": str(self.ca_file),
            },
            "pipelines": [
                {
                    "stream": STREAM,
                    "database": "DB",
                    "schema": "RAW",
                    "reader": reader,
                    **({"query": query} if query else {}),
                }
            ],
            "dead_letters": {"folder": str(self.folder / "dead-letters")},
            "spark": {"checkpoint": str(self.folder / "checkpoint"), "master": f"local[{tasks}]", "conf": conf},
            "epoch": {"seconds": epoch_s},
        }
        file = self.folder / "engine.json"
        file.write_text(json.dumps(document, indent=2))
        settings = ({NOTES: str(notes)} if notes else {}) | ({} if is_native else {SWITCH: "off"})
        return self._subject("firnline_local.demo.engine", "run", "--config", str(file), **settings)

    def bare_spark(self) -> Subject:
        return self._subject("bench.bare_spark")

    def obvious_loop(self) -> Subject:
        return self._subject(
            "bench.obvious",
            f"--kinesis={self.kinesis}",
            f"--snowflake={self.snowflake}",
            f"--ca-file={self.ca_file}",
            f"--key-file={self.key_file}",
            f"--stream={STREAM}",
        )

    def plain_snowflake(self) -> str:
        """The URL of a second canned Snowflake, by plain HTTP, for clients that trust their own roots alone."""
        child = self._spawn(self._stack, "bench.snowflake", ["--plain"])
        endpoint: str = child.wait_until_ready(timeout_s=START_TIMEOUT_S)["endpoint"]
        return endpoint

    def program(self, command: list[str], *, name: str, **environment: str) -> Subject:
        """Another program over these servers."""
        return Subject.of(
            command, name=name, log_file=self.folder / f"{name}.log", environment={**os.environ, **environment}
        )

    def _subject(self, module: str, *arguments: str, **environment: str) -> Subject:
        """With nothing of the user's own AWS settings."""
        inherited = {name: value for name, value in os.environ.items() if not name.startswith("AWS_")}
        log_file = self.folder / f"{module.rpartition('.')[2]}.log"
        return Subject(module, arguments, log_file=log_file, environment=inherited | CREDENTIALS | environment)

    def read(self) -> dict[str, int]:
        """Returns what the canned Kinesis was asked: reads, refused, records."""
        return self._counts(self.kinesis)

    def pushed(self) -> list[Pushed]:
        """Returns what left the canned Kinesis over subscriptions, in its order."""
        return [Pushed(*each) for each in self._asked(self.kinesis + PUSHED)]

    def written(self, sink: str = "") -> dict[str, int]:
        """Returns what the canned Snowflake was given: opens, requests, rows, bytes. `sink`: the URL of another one."""
        return self._counts(sink or self.snowflake)

    def _counts(self, endpoint: str) -> dict[str, int]:
        counts: dict[str, int] = self._asked(endpoint + COUNTS)
        return counts

    def _asked(self, url: str) -> Any:
        context = ssl.create_default_context(cafile=str(self.ca_file)) if url.startswith("https") else None
        with urllib.request.urlopen(url, timeout=ANSWER_TIMEOUT_S, context=context) as answer:  # noqa: S310 - ours
            return json.load(answer)
