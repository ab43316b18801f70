"""Cost of planning an epoch of many streams: the embedded Kinesis with the service's limits, the ledger in moto; and of one
stream with very many shards, from the ledger's items to the rows of the plan.

The planner runs in this process, as it does in the source's own; the servers' CPU does not count.
"""

import json
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path

from bench.errors import BenchFailed
from bench.figure import Figure, at_most
from bench.kinesis.shard import FIRST_SEQUENCE_NUMBER
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import Lineage, ListedShard
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.item import from_item, to_item
from firnline_ingest.ledger.item_table import deserialized, serialized
from firnline_ingest.ledger.plan import plan_shards, planned_starts
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.ledger.row import ChannelEntry, Proven, ShardRow
from firnline_ingest.spark.planner import ShardPlanner, SourceOffset
from firnline_ingest.values import Fence, Position, ShardKey, TargetTable
from firnline_local.process import ChildProcess

PART = "planning"
STREAMS, SHARDS = 50, 10
MOST_S, MOST_CPU_S = 3.0, 1.0
LATER = 3
MANY_SHARDS = 10_000
CREATED_MS = 1_767_225_600_000
START_TIMEOUT_S = 60.0


@dataclass(frozen=True)
class Plan:
    wall_s: float
    cpu_s: float


@dataclass(frozen=True)
class Run:
    first: Plan
    """With the making of clients."""
    later: Sequence[Plan]
    many_cpu_s: float = 0.0
    """Of a later plan of MANY_SHARDS, without the calls that bring items and lineage."""


def measure(*, streams: int = STREAMS) -> Run:
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="firnline-bench-")))
        endpoints = {}
        modules = {"kinesis": ("firnline_local.kinesis", "--creating-s=0"), "dynamodb": ("firnline_local.aws",)}
        for service, (module, *options) in modules.items():
            child = ChildProcess.start(module, options, name=service, log_file=folder / f"{service}.log")
            stack.callback(child.stop)
            endpoints[service] = str(child.wait_until_ready(timeout_s=START_TIMEOUT_S)["endpoint"])
        config = _config(folder, endpoints, streams)
        offset = _populate(config)
        time.sleep(1.0)  # so that the setting of the scene is not in the same second
        return replace(_run(config, offset), many_cpu_s=plan_of_many(MANY_SHARDS))


def plan_of_many(shards: int) -> float:
    """Returns the CPU of planning one stream whose shards were all read before: their items become rows, offsets and starts."""
    ids = [f"shardId-{number:012d}" for number in range(shards)]
    position = Position(FIRST_SEQUENCE_NUMBER)
    row = ShardRow(key=ShardKey("many", CREATED_MS, ""), start=TrimHorizon(), fence=Fence(1, "bench"))
    entry = ChannelEntry(
        TargetTable("DB", "RAW", "ORDERS", "2026-01-01T00:00:00Z", "ORDERS-STREAMING"), proven=Proven(position, 1, 0)
    )
    read = replace(row, read_through=position, sent_through=position, channels={"orders~1": entry})
    items = [serialized(to_item(replace(read, key=replace(row.key, shard_id=shard)))) for shard in ids]
    lineage = Lineage("many", CREATED_MS, 24, {shard: ListedShard(shard) for shard in ids})
    began_s = time.process_time()
    rows = {row.key.shard_id: row for row in (from_item(deserialized(item)) for item in items)}
    plan = plan_shards(lineage, rows, dict.fromkeys(ids, "h"), TrimHorizon())
    starts = list(planned_starts(lineage, rows, plan.offsets))
    cpu_s = time.process_time() - began_s
    if len(starts) != shards:
        raise BenchFailed(f"A plan of {shards:,} shards had {len(starts):,} starts.")
    return cpu_s


def _run(config: EngineConfig, offset: SourceOffset) -> Run:
    planner, plans = None, list[Plan]()
    for _ in range(1 + LATER):
        began_s, began_cpu_s = time.monotonic(), time.process_time()
        planner = planner or ShardPlanner.of(config)
        offset = planner.next_offset(offset)
        rows = list(planner.rows(offset))
        plans.append(Plan(time.monotonic() - began_s, time.process_time() - began_cpu_s))
        if len(rows) != len(config.pipelines) * SHARDS or any(row.problem for row in rows):
            raise BenchFailed(f"A plan had {len(rows)} rows: {[row for row in rows if row.problem][:3]}.")
        time.sleep(1.0)
    return Run(plans[0], plans[1:])


def figures(runs: Sequence[Run]) -> Iterator[Figure]:
    shape = f"{STREAMS} streams, {STREAMS * SHARDS} shards"
    later = [plan for run in runs for plan in run.later]
    for what, plans in ((f"first plan of {shape}", [run.first for run in runs]), ("a later plan", later)):
        walls, cpus = [plan.wall_s for plan in plans], [plan.cpu_s for plan in plans]
        yield Figure(part=PART, name=f"{what}, time", unit="s", values=walls, bar=at_most(MOST_S))
        yield Figure(part=PART, name=f"{what}, CPU", unit="s", values=cpus, bar=at_most(MOST_CPU_S))
    many = [run.many_cpu_s for run in runs]
    yield Figure(
        part=PART, name=f"one stream of {MANY_SHARDS:,} shards, CPU", unit="s", values=many, bar=at_most(MOST_CPU_S)
    )


def _populate(config: EngineConfig) -> SourceOffset:
    """Streams whose shards all have a row; the offset of an epoch before."""
    client, ledger = kinesis_client(config.aws, attempts=5), open_ledger(config)
    streams = {}
    for pipeline in config.pipelines:
        client.create_stream(StreamName=pipeline.stream, ShardCount=SHARDS)
        summary = client.describe_stream_summary(StreamName=pipeline.stream)["StreamDescriptionSummary"]
        created_ms = int(summary["StreamCreationTimestamp"].timestamp() * 1000)
        shards = [shard["ShardId"] for shard in client.list_shards(StreamName=pipeline.stream)["Shards"]]
        for shard in shards:
            ledger.take(ShardKey(pipeline.stream, created_ms, shard), Fence(), "bench", TrimHorizon())
        streams[f"{pipeline.stream}@{created_ms}"] = dict.fromkeys(shards, "h")
    return SourceOffset(1, streams)


def _config(folder: Path, endpoints: dict[str, str], streams: int) -> EngineConfig:
    document = {
        "version": 1,
        "application": "bench",
        "aws": {"region": "us-east-1", "endpoints": endpoints},
        "ledger": {"table": "bench-ledger", "create": True},
        "snowflake": {"account": "BENCH", "user": "BENCH", "role": "BENCH", "private_key": {"env": "NONE"}},
        "pipelines": [{"stream": f"s{n}", "database": "DB", "schema": "RAW"} for n in range(streams)],
        "dead_letters": {"folder": str(folder / "dead-letters")},
        "spark": {"checkpoint": str(folder / "checkpoint")},
    }
    return EngineConfig.model_validate_json(json.dumps(document))
