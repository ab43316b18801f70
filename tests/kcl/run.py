"""Runs the Kinesis Client Library's own consumer on the scene, stops it, and records the tables that it leaves.

`python -m tests.kcl.run VERSION`, which scripts/kcl runs, writes golden/kcl-VERSION*.json: every item of every table, and each
user record that the consumer took in.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from unittest.mock import patch
from urllib.request import Request, urlopen

import boto3
from moto.dynamodb import models
from moto.dynamodb.comparisons import get_expected
from moto.server import ThreadedMotoServer

from firnline_local.kinesis import FakeKinesis, KinesisServer
from tests.kcl.jars import jars_of
from tests.kcl.scene import MOST_OF_A_SHARD, make

HERE = Path(__file__).parent
GOLDEN = HERE / "golden"
PATIENCE_S = 90.0
NO_CBOR = ("-Daws.cborEnabled=false", "-Dcom.amazonaws.sdk.disableCbor=true")
"""To the SDK of KCL 2 and 3, and to that of KCL 1: the embedded Kinesis speaks JSON only."""


def of_one(version: str) -> bool:
    """Returns whether it is the library's first generation, which has other names and knows one stream only."""
    return version.startswith("1.")


@contextmanager
def tables() -> Iterator[str]:
    """A DynamoDB that is empty, by its endpoint."""
    os.environ.setdefault("AWS_ACCESS_KEY_ID", "key")
    os.environ.setdefault("AWS_SECRET_ACCESS_KEY", "secret")
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    try:
        endpoint = "http://{}:{}".format(*server.get_host_and_port())
        urlopen(Request(f"{endpoint}/moto-api/reset", method="POST")).close()
        with patch.object(models, "get_expected", lambda expected: get_expected(told_as_a_list(expected))):
            yield endpoint
    finally:
        server.stop()


def told_as_a_list(expected: dict[str, Any]) -> dict[str, Any]:
    """Conditions as KCL 1 sends them, with an operator and one value: of such moto drops the operator."""
    return {
        name: {"ComparisonOperator": each["ComparisonOperator"], "AttributeValueList": [each["Value"]]}
        if {"Value", "ComparisonOperator"} <= each.keys()
        else each
        for name, each in expected.items()
    }


class Consumer:
    """The library's consumer, in a JVM of its own."""

    def __init__(self, version: str, jars: Path, arguments: list[str]) -> None:
        classes = Path(tempfile.mkdtemp(prefix="kcl-"))
        path, name = f"{jars}/*", "ConsumerOfOne" if of_one(version) else "Consumer"
        subprocess.run(["javac", "-nowarn", "-cp", path, "-d", classes, HERE / f"{name}.java"], check=True)
        self._out = classes / "out"
        with self._out.open("wb") as out:
            self._process = subprocess.Popen(
                ["java", "-Xmx512m", *NO_CBOR, "-cp", f"{classes}:{path}", name, *arguments],
                stdin=subprocess.PIPE,
                stdout=out,
                stderr=subprocess.STDOUT,
            )

    @property
    def lines(self) -> list[str]:
        return self._out.read_text().splitlines()

    @property
    def taken(self) -> list[list[str]]:
        """Shard, sequence number, sub-sequence number and data of each user record."""
        return [line.split(" ")[1:] for line in self.lines if line.startswith("record ")]

    def until(self, done: Callable[[], bool]) -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not done():
            if self._process.poll() is not None or time.monotonic() > deadline:
                self._process.kill()
                raise SystemExit("the consumer does not get on:\n" + "\n".join(self.lines[-60:]))
            time.sleep(0.5)

    def stop(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait(120)

    def close(self) -> None:
        """At once, whatever it is about."""
        self._process.kill()
        self._process.communicate()


def items_of(endpoint: str) -> dict[str, list[dict[str, Any]]]:
    """Every item of every table, as DynamoDB writes it."""
    client = boto3.client("dynamodb", region_name="us-east-1", endpoint_url=endpoint)
    names = client.list_tables()["TableNames"]
    return {
        name: sorted(client.scan(TableName=name)["Items"], key=lambda item: json.dumps(item, default=str))
        for name in names
    }


def record(version: str, jars: Path, kinesis: FakeKinesis, streams: str) -> dict[str, Any]:
    with KinesisServer(kinesis) as server, tables() as dynamodb:
        consumer = Consumer(
            version, jars, ["orders-app", streams, server.endpoint, dynamodb, str(MOST_OF_A_SHARD), "TRIM_HORIZON"]
        )

        def shards() -> set[str]:
            counts: dict[str, int] = {}
            for shard, *_ in consumer.taken:
                counts[shard] = counts.get(shard, 0) + 1
            return {shard for shard, count in counts.items() if count >= MOST_OF_A_SHARD}

        consumer.until(lambda: len(shards()) == 3)
        running = items_of(dynamodb)
        time.sleep(4)
        later = items_of(dynamodb)
        consumer.stop()
        return {
            "library": version,
            "streams": streams,
            "taken": consumer.taken,
            "tables": items_of(dynamodb),
            "while_running": [running, later],
        }


def main() -> None:
    version, jars = sys.argv[1], jars_of(sys.argv[1])
    GOLDEN.mkdir(exist_ok=True)
    kinesis, _ = make()
    created = int(
        kinesis.client()
        .describe_stream_summary(StreamName="orders")["StreamDescriptionSummary"]["StreamCreationTimestamp"]
        .timestamp()
    )
    scenes = {"single": "orders", "multi": f"123456789012:orders:{created}"}
    if of_one(version):
        del scenes["multi"]
    for name, streams in scenes.items():
        found = record(version, jars, make()[0], streams)
        (GOLDEN / f"kcl-{version}-{name}.json").write_text(json.dumps(found, indent=1, default=list) + "\n")
        print(version, name, {table: len(items) for table, items in found["tables"].items()})


if __name__ == "__main__":
    main()
