"""Part: CPU of one read of a shard by TLS, as the engine reads and as botocore would, in turns within one process.

The canned Kinesis is a process of its own. It has more shards than are needed, so that its limits of reads refuse nothing:
each read is of the next shard. Records come out typed either way; what differs is who sends, and the form that is asked for.
"""

import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING

from bench.figure import Figure, at_most
from bench.page import only_python
from bench.subject import TimeLimit
from firnline_ingest.native import native
from firnline_local.process import ChildProcess

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

PART = "reads"
SHARDS = 3000
"""As many that are full, and as many that are empty."""
START_TIMEOUT_S = 60.0
READS_A_LAP = {"an empty read": 200, "a page of 68 records, 70 KB": 100, "a page of 1,000 records, 1 MB": 20}
RECORDS = {"an empty read": 0, "a page of 68 records, 70 KB": 68, "a page of 1,000 records, 1 MB": 1000}
TARGETS = {"an empty read": 0.4, "a page of 68 records, 70 KB": 0.6}
BASIS = "botocore, JSON"

Read = Callable[[str, int], None]


@dataclass(frozen=True)
class Costs:
    """CPU of a read in milliseconds: one value a run, by the way it went."""

    what: str
    by_way: dict[str, list[float]]


def measure(*, runs: int, laps: int) -> list[Figure]:
    """Each run takes `laps` laps of every way, one after the other, so that a busy machine slows all."""
    with _canned() as (endpoint, ca_file):
        ways = _ways(endpoint, ca_file)
        return [
            figure
            for what in READS_A_LAP
            for figure in figures(Costs(what, _measured(ways, what, runs=runs, laps=laps)))
        ]


def figures(costs: Costs) -> list[Figure]:
    """Costs by botocore, and the other ways' share of them, each within its run."""
    basis = costs.by_way[BASIS]
    first = Figure(part=PART, name=f"{costs.what}: {BASIS}", unit="CPU ms", values=basis)
    return [first] + [
        Figure(
            part=PART,
            name=way,
            unit="x",
            values=[each / of for each, of in zip(values, basis, strict=True)],
            bar=at_most(TARGETS[costs.what]) if way.startswith("direct") and costs.what in TARGETS else None,
        )
        for way, values in costs.by_way.items()
        if way != BASIS
    ]


def _measured(ways: dict[str, Read], what: str, *, runs: int, laps: int) -> dict[str, list[float]]:
    shards = cycle(range(SHARDS))
    costs: dict[str, list[float]] = {way: [] for way in ways}
    for run in range(runs + 1):  # the first one only warms up
        spent = dict.fromkeys(ways, 0.0)
        for _ in range(laps if run else 1):
            TimeLimit.check()
            for way, read in ways.items():
                spent[way] += _lap(read, what, shards)
        for way, seconds in spent.items():
            if run:
                costs[way].append(seconds * 1000 / laps / READS_A_LAP[what])
    return costs


def _lap(read: Read, what: str, shards: Iterator[int]) -> float:
    records = RECORDS[what]
    began = time.process_time()
    for _ in range(READS_A_LAP[what]):
        shard = next(shards)
        read(f"{shard}:1" if records else f"{SHARDS + shard}:1", records)
    return time.process_time() - began


@contextmanager
def _canned() -> Iterator[tuple[str, Path]]:
    from firnline_local.snowflake.tls import make_certificates

    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="firnline-bench-")))
        certificates = make_certificates(folder)
        options = [f"--shards={2 * SHARDS}", f"--hot={SHARDS}", "--trickle", "--records-per-s=0.000001"]
        tls = [f"--certificate={certificates.cert_file}", f"--key={certificates.key_file}"]
        log_file = folder / "kinesis.log"
        child = ChildProcess.start("bench.kinesis", [*options, *tls], name="bench.kinesis", log_file=log_file)
        stack.callback(child.stop)
        yield child.wait_until_ready(timeout_s=START_TIMEOUT_S)["endpoint"], certificates.ca_file


def _ways(endpoint: str, ca_file: Path) -> dict[str, Read]:
    """Returns a read in each form and by each sender; in CBOR where firnline-native is there."""
    with only_python():
        in_json = _client(endpoint, ca_file)
    ways = {BASIS: _read(in_json, by_botocore=True), "direct, JSON": _read(in_json, by_botocore=False)}
    if native().module is not None:
        in_cbor = _client(endpoint, ca_file)
        ways["botocore, CBOR"] = _read(in_cbor, by_botocore=True)
        ways["direct, CBOR"] = _read(in_cbor, by_botocore=False)
    return ways


def _client(endpoint: str, ca_file: Path) -> "KinesisClient":
    from firnline_ingest.config.model import AwsConfig
    from firnline_ingest.kinesis.client import kinesis_client

    aws = AwsConfig.model_validate({"region": "us-east-1", "endpoints": {"kinesis": endpoint}, "ca_file": str(ca_file)})
    return kinesis_client(aws)


def _read(client: "KinesisClient", *, by_botocore: bool) -> Read:
    """The client's own method is put over botocore's, which its class has."""
    get_records = type(client).get_records.__get__(client) if by_botocore else client.get_records

    def read(iterator: str, records: int) -> None:
        page = get_records(ShardIterator=iterator, Limit=records or 1000)
        assert len(page["Records"]) == records

    return read
