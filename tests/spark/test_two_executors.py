"""format("kinesis") into format("snowpipe") on two executors: each is killed at each effect, and so is the driver; each row is
there once."""

import json
import os
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.spark.conftest import HANGS_S, SPARK_PYTHON, Lane

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S), pytest.mark.slow]

RECORDS = 40
"""Of each phase; ten more come while an executor is killed, so that a batch which is read again could have more than it had."""
PROGRAM = '''
import json, os, signal, sys
from pathlib import Path
from pyspark.sql import SparkSession
from firnline_ingest.datasource import KinesisDataSource, SnowpipeDataSource, replayable

folder, source, sink, phases = Path(sys.argv[1]), *map(json.loads, sys.argv[2:5])
kills = folder / "kills"

def above(name):
    """The nearest Java process above this one whose command says this."""
    pid = os.getppid()
    while pid > 1:
        words = Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\\0", b" ").decode()
        if name in words:
            return pid
        pid = int(Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[1])
    raise RuntimeError(f"no {name} is above this process")

def put(first, count):
    import boto3
    client = boto3.client("kinesis", region_name=source["region"], endpoint_url=source["endpoint"])
    data = [json.dumps({"id": n, "note": "x" * 30_000}).encode() for n in range(first, first + count)]
    records = [{"Data": each, "PartitionKey": str(n)} for n, each in enumerate(data)]
    assert client.put_records(StreamName=source["stream"], Records=records)["FailedRecordCount"] == 0

def effect(name):
    """Kills, where this phase is about that effect; once, whichever of the tasks comes first."""
    for victim, process in (("executor", "CoarseGrainedExecutorBackend"), ("driver", "SparkSubmit")):
        file = kills / f"{victim}-{name}"
        try:
            more = int(file.read_text())
            file.rename(file.with_suffix(".done"))
        except FileNotFoundError:
            continue
        put(more, 10)
        os.kill(above(process), signal.SIGKILL)

class Source(KinesisDataSource):
    @classmethod
    def name(cls):
        return "dying-kinesis"

    def streamReader(self, schema):
        reader = super().streamReader(schema)
        original = reader.read

        def read(partition):
            effect("planned")
            for batch in original(partition):
                yield batch
                effect("read")
            effect("ended")

        reader.read = read
        return reader

class Sink(SnowpipeDataSource):
    @classmethod
    def name(cls):
        return "dying-snowpipe"

    def streamWriter(self, schema, overwrite):
        writer = super().streamWriter(schema, overwrite)
        original, commit = writer.write, writer.commit

        def some(rows):
            for number, row in enumerate(rows):
                if number == 18:
                    effect("appended")
                yield row

        def write(rows):
            message = original(some(rows))
            effect("added")
            return message

        def last(messages, batch):
            effect("committing")
            commit(messages, batch)
            effect("committed")

        writer.write, writer.commit = write, last
        return writer

builder = SparkSession.builder.master("local-cluster[2,1,1024]").config("spark.ui.enabled", "false")
spark = builder.config("spark.sql.execution.arrow.maxRecordsPerBatch", "4").getOrCreate()
for each in (Source, Sink):
    spark.dataSource.register(each)
declared = spark.readStream.format("dying-kinesis").schema("id BIGINT, note STRING, shard STRING")
orders = declared.options(**source, format="json").option("metadata.shard", "shard_id").load()

def run():
    rows = orders.selectExpr("id", "upper(note) AS note", "shard").where("id % 7 <> 3")
    writer = replayable(rows, sources=["dying-kinesis"]).writeStream.format("dying-snowpipe")
    writer = writer.options(**sink).option("checkpointLocation", str(folder / "checkpoint")).queryName("two")
    writer.trigger(availableNow=True).start().awaitTermination()

run()  # the batch that a driver died in, if there is one
kills.mkdir(exist_ok=True)
for number, phase in phases:
    put(number, 40)
    (kills / phase).write_text(str(number + 40))
    run()
    assert (kills / phase).with_suffix(".done").exists(), f"nothing came to {phase}"
    print("DONE", phase, flush=True)
run()
print("EXECUTORS", spark.sparkContext._jsc.sc().getExecutorMemoryStatus().size() - 1, flush=True)
'''
EXECUTORS = [f"executor-{effect}" for effect in ("planned", "read", "ended", "appended", "added")]
DRIVERS = [f"driver-{effect}" for effect in ("appended", "committing", "committed")]


def test_each_record_is_a_row_once_wherever_an_executor_or_the_driver_is_killed(
    new_lane: Callable[..., Lane], tmp_path: Path
) -> None:
    lane = new_lane(", ID NUMBER, NOTE VARCHAR, SHARD VARCHAR")
    document = lane.environment.engine_config()
    login = {name: document["snowflake"][name] for name in ("account", "user", "role", "url")}
    place = dict(zip(("database", "schema", "table"), lane.table.split("."), strict=True))
    key = {name: str(document["snowflake"][name]) for name in ("ca_file",)}
    sink = login | place | {"caFile": key["ca_file"], "privateKeyFile": document["snowflake"]["private_key"]["file"]}
    source = {"stream": lane.name, "region": document["aws"]["region"], "metadataPath": str(tmp_path / "metadata")}
    source["endpoint"] = lane.environment.variables["AWS_ENDPOINT_URL_KINESIS"]
    numbered = [(100 * number, phase) for number, phase in enumerate([*EXECUTORS, *DRIVERS])]

    def run(phases: list[tuple[int, str]]) -> tuple[int, str]:
        done = subprocess.run(
            [SPARK_PYTHON, "-c", PROGRAM, str(tmp_path), *map(json.dumps, (source, sink, phases))],
            env={
                **os.environ,
                **lane.environment.variables,
                "SPARK_LOCAL_IP": "127.0.0.1",
                "PYSPARK_PYTHON": SPARK_PYTHON,
            },
            capture_output=True,
            text=True,
            timeout=HANGS_S,
            check=False,
        )
        cause = done.stderr.rpartition("Traceback (most recent call last)")[2]  # behind it Spark says much of its end
        return done.returncode, f"{done.stdout}\n{cause[:4000]}"

    first = len(EXECUTORS) + 1
    for begin, end in [(0, first), *((each, each + 1) for each in range(first, len(numbered)))]:
        code, said = run(numbered[begin:end])
        assert code != 0, said
        assert [phase for _, phase in numbered[begin : end - 1]] == [
            line.removeprefix("DONE ") for line in said.splitlines() if line.startswith("DONE")
        ], said
        assert (tmp_path / "kills" / f"{numbered[end - 1][1]}.done").exists(), said
    code, said = run([])
    assert code == 0, said
    assert "EXECUTORS 2" in said
    put = [number + each for number, _ in numbered for each in range(RECORDS + 10)]
    rows = [(int(row[0]), row[1]) for row in lane.rows("ID, SHARD")]
    assert Counter(row[0] for row in rows) == Counter(number for number in put if number % 7 != 3)
    assert len({row[1] for row in rows}) == 2
