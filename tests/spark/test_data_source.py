"""format("kinesis") on real Spark: a query that is killed in a batch goes on, and its sink has every record once."""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from firnline_local.kinesis import FakeKinesis, KinesisServer
from tests.contract.datasource.query import put
from tests.spark.conftest import HANGS_S, SPARK_PYTHON

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S), pytest.mark.slow]

PROGRAM = """
import json, os, sys
from pathlib import Path
from pyspark.sql import SparkSession
from firnline_ingest.datasource import KinesisDataSource, drain

endpoint, folder, dies_in = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
spark = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false").getOrCreate()
spark.dataSource.register(KinesisDataSource)
options = {"stream": "orders", "region": "us-east-1", "endpoint": endpoint}

def write(batch, number):
    rows = batch.selectExpr("CAST(data AS STRING) data", "partition_key", "sequence_number").collect()
    (folder / "sink" / f"{number}.json").write_text(json.dumps([list(row) for row in rows]))
    if number == dies_in:
        os._exit(9)

(folder / "sink").mkdir(exist_ok=True)
stream_options = {**options, "metadataPath": str(folder / "metadata"), "maxRecordsPerShard": "50"}
orders = spark.readStream.format("kinesis").options(**stream_options).load()
writer = orders.writeStream.foreachBatch(write).option("checkpointLocation", str(folder / "checkpoint"))
drain(writer)
window = spark.read.format("kinesis").options(**options).load()
declared = spark.read.format("kinesis").schema("n BIGINT, k STRING").options(**options, format="json")
declared.option("metadata.k", "partition_key").load().createOrReplaceTempView("declared")
print("DECLARED", json.dumps(list(spark.sql("SELECT sum(n), count(DISTINCT k) FROM declared").first())))
copies = {"region": "us-east-1", "endpoint": endpoint}
window.select("data", "partition_key").write.format("kinesis").options(stream="copies", **copies).mode("append").save()
live = orders.selectExpr("partition_key", "sequence_number AS number").writeStream.format("kinesis")
live = live.options(stream="streamed", format="json", **copies).option("checkpointLocation", str(folder / "another"))
last = drain(live)
print("LAST", last.isActive, last.lastProgress["sources"][0]["endOffset"])
window.createOrReplaceTempView("window")
row = spark.sql("SELECT count(*), count(DISTINCT sequence_number), count(arrival), max(stream) FROM window").first()
print("WINDOW", json.dumps(list(row)))
"""


def run(server: KinesisServer, folder: Path, *, dies_in: int = -1) -> str:
    done = subprocess.run(
        [SPARK_PYTHON, "-c", PROGRAM, server.endpoint, str(folder), str(dies_in)],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": SPARK_PYTHON},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == (9 if dies_in >= 0 else 0), done.stderr[-4000:]
    return done.stdout


def test_a_query_that_dies_goes_on_and_its_sink_has_every_record_once(tmp_path: Path) -> None:
    with KinesisServer(FakeKinesis()) as server:
        stream = server.kinesis.create_stream("orders", shards=2)
        put(server.kinesis, 0, 150)
        stream.shards[0].split()
        put(server.kinesis, 150, 50)
        run(server, tmp_path, dies_in=1)
        put(server.kinesis, 200, 50)
        copies = [server.kinesis.create_stream(name) for name in ("copies", "streamed")]
        said = run(server, tmp_path)
        put_data, put_json = ([record.data for record in copy.records] for copy in copies)
    assert Counter(json.loads(data)["n"] for data in put_data) == Counter(range(250))
    assert len({json.loads(data)["number"] for data in put_json}) == len(put_json) == 250
    files = sorted((tmp_path / "sink").glob("*.json"), key=lambda file: int(file.stem))
    rows = [row for file in files for row in json.loads(file.read_text())]
    assert Counter(json.loads(row[0])["n"] for row in rows) == Counter(range(250))
    by_key: dict[str, list[int]] = {}
    for _, key, number in rows:
        by_key.setdefault(key, []).append(int(number))
    assert all(numbers == sorted(numbers) for numbers in by_key.values())
    assert "LAST False " in said
    assert f"DECLARED [{sum(range(250))}, 250]" in said
    assert 'WINDOW [250, 250, 250, "orders"]' in said
