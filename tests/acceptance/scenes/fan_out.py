"""Three streams by fan-out, over each kind of registration, on two executors of which one is killed while records flow."""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from tests.acceptance.stage import DATABASE, Stage
from tests.acceptance.sums import Line, SceneFailed, Sums

PART = 500
EXISTING, LAZY, EAGER = "existing", "lazy", "eager"
CLUSTER = {"spark.master": "local-cluster[2,1,900]", "spark.executor.memory": "512m"}


def play(stage: Stage) -> Sequence[Line]:
    existing = _made(stage)
    _let_in(stage, existing)
    stage.sections |= {"epoch": {"shards_per_task": 3}}
    for name in stage.streams:
        stage.numbers(name, 0, PART)
    with stage.engine(conf=CLUSTER) as engine:
        stage.until(lambda: _rows(stage) == [PART] * 3, engine, "the first part of each")
        executors = executors_of(engine.pid)
        if len(executors) != 2:
            raise SceneFailed(f"{len(executors)} executors run, not two")
        os.kill(executors[0], signal.SIGKILL)
        for name in stage.streams:
            stage.numbers(name, PART, PART)
        stage.until(lambda: set(executors_of(engine.pid)) - set(executors), engine, "another executor")
        for name in stage.streams:
            stage.numbers(name, 2 * PART, PART)
        stage.until(lambda: _rows(stage) == [3 * PART] * 3, engine, "all of each")
        stage.stop(engine)
    lines = [Line(name, sums, Sums(records=3 * PART, rows=3 * PART)) for name, sums in stage.audit().items()]
    stage.ingest("deregister")
    _check_consumers(stage, existing)
    return lines


def _rows(stage: Stage) -> list[int]:
    """Returns the rows of each table.

    More than there are records would never be waited for to the end, and is the audit's to tell.
    """
    return [min(stage.count(f"{DATABASE}.{name.upper()}"), 3 * PART) for name in stage.streams]


def _made(stage: Stage) -> str:
    """The ARN of the consumer that is there before the engine is."""
    stage.pipeline(EXISTING, shards=2)
    mine = stage.kinesis.register_stream_consumer(StreamARN=_arn(stage, EXISTING), ConsumerName="mine")["Consumer"]
    made: str = mine["ConsumerARN"]
    stage.streams[EXISTING]["reader"] = {"fan_out": {"consumer_arn": made}}
    for name in (LAZY, EAGER):
        stage.pipeline(name, shards=2, reader={"fan_out": {"registration": name}})
    return made


def _arn(stage: Stage, stream: str) -> str:
    arn: str = stage.kinesis.describe_stream_summary(StreamName=stream)["StreamDescriptionSummary"]["StreamARN"]
    return arn


def _let_in(stage: Stage, existing: str) -> None:
    region, account = stage.environment.endpoints.region, stage.environment.endpoints.aws_account
    streams = [f"arn:aws:kinesis:{region}:{account}:stream/{name}" for name in (LAZY, EAGER)]
    own = tuple(f"{stream}/consumer/{stage.name}:*" for stream in streams)
    stage.access |= {
        "polls": False,
        "consumers": (existing, *own),
        "registering": tuple(streams),
        "registered": own,
    }


def executors_of(session: int) -> list[int]:
    """Spark's executors in a session of processes."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with suppress(OSError):
                is_ours = int((entry / "stat").read_text().rpartition(")")[2].split()[3]) == session
                if is_ours and b"CoarseGrainedExecutorBackend" in (entry / "cmdline").read_bytes():
                    found.append(int(entry.name))
    return sorted(found)


def _check_consumers(stage: Stage, existing: str) -> None:
    """Consumers that the engine registered are gone, and nobody else's."""
    left = [
        consumer["ConsumerARN"]
        for name in stage.streams
        for consumer in stage.kinesis.list_stream_consumers(StreamARN=_arn(stage, name))["Consumers"]
        if consumer["ConsumerStatus"] != "DELETING"
    ]
    if left != [existing]:
        raise SceneFailed(f"consumers that are left: {left}")
