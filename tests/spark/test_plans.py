"""replayable(frame) on real Spark: what is taken and what is refused, with the words that name the place."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.spark.conftest import HANGS_S, SPARK_PYTHON

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S)]

FRAMES = """
import json, sys
from pyspark.sql import DataFrame, SparkSession, Window, functions as F
from pyspark.sql.datasource import DataSource
from pyspark.sql.udf import UserDefinedFunction
from pyspark.util import PythonEvalType
from firnline_ingest.datasource import register, replayable
from firnline_ingest.datasource.snowpipe.errors import PlanNotReplayable

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
register(spark)
columns = "id BIGINT, price DOUBLE, note STRING, items ARRAY<INT>"
options = {"stream": "orders", "region": "us-east-1", "metadataPath": sys.argv[1], "format": "json"}
k = spark.readStream.format("kinesis").schema(columns).options(**options).load()
k.createOrReplaceTempView("k")
files = spark.readStream.schema("id BIGINT, note STRING").json(sys.argv[1])
rate = spark.readStream.format("rate").load()
spark.conf.set("spark.sql.files.minPartitionNum", "4")
if spark.version >= "4.1":
    spark.conf.set("spark.sql.adaptive.streaming.stateless.enabled", "false")
static = spark.read.schema("id BIGINT, name STRING").json(sys.argv[1])
batch = spark.range(3).selectExpr("id", "id * 1.5D AS price", "'a' AS note")
plus = F.udf(lambda number: number + 1, "long")

def within(frame):
    return frame.sortWithinPartitions(*frame.columns)

def grouped(what, by="note"):
    return within(k.groupBy(by).agg(F.expr(what)))

def mapped(frame, how):  # as mapInArrow and mapInPandas do it, which ask for pandas first
    kind = {"mapInArrow": PythonEvalType.SQL_MAP_ARROW_ITER_UDF, "mapInPandas": PythonEvalType.SQL_MAP_PANDAS_ITER_UDF}[how]
    function = UserDefinedFunction(lambda batches: batches, frame.schema, evalType=kind)
    return DataFrame(getattr(frame._jdf, how)(function(*frame.columns)._jc, False, None), spark)

print("SPARK", spark.version, flush=True)
CASES = json.loads(sys.argv[2])
for words, _ in CASES:
    try:
        unset, _, frame = words.rpartition(" ~ ")
        before = spark.conf.get(unset, None) if unset else None
        if unset:
            spark.conf.unset(unset)
        replayable(eval(frame), sources=["rate"])
        said = ""
    except PlanNotReplayable as error:
        said = "; ".join(error.problems)
    except Exception as error:
        said = f"{type(error).__name__}: {error}"
    if before is not None:
        spark.conf.set(unset, before)
    print("SAID", json.dumps([words, said]), flush=True)

class Probe(DataSource):
    @classmethod
    def name(cls):
        return "probe"

    def writer(self, schema, overwrite):
        raise ValueError("MARKED" if self.options.get("replayable") == "true" else "BARE")

    streamWriter = writer

spark.dataSource.register(Probe)
checked, folder = replayable(batch), sys.argv[1]
streamed = replayable(rate.select("value"), sources=["rate"])
frames = {"checked": checked, "cached": checked.cache(), "changed": checked.where("id > 1"), "streamed": streamed}
for name, frame in {**frames, "union": streamed.union(streamed), "unseen": rate}.items():
    try:
        if frame.isStreaming:
            writer = frame.writeStream.format("probe").option("checkpointLocation", f"{folder}/{name}")
            writer.trigger(availableNow=True).start().awaitTermination()
        else:
            frame.write.format("probe").mode("append").save()
    except Exception as error:
        print("MARK", name, "MARKED" in str(error), "BARE" in str(error), flush=True)
"""
TAKEN = [
    "spark.sql.adaptive.streaming.stateless.enabled ~ within(k.select('id').repartition(3))",
    "spark.sql.adaptive.streaming.stateless.enabled ~ within(k.select('id').join(rate, F.expr('id = value')))",
    "k",
    "k.where('id > 3').select('id', 'note')",
    "k.drop('price').withColumnRenamed('id', 'number').na.fill('')",
    "k.selectExpr('id', 'explode(items) AS item')",
    "spark.sql('SELECT id, x FROM k LATERAL VIEW explode(items) t AS x')",
    "spark.sql('WITH t AS (SELECT id FROM k) SELECT * FROM t UNION ALL SELECT * FROM t')",
    "k.selectExpr('current_timestamp() AS at', 'current_date()', 'current_user()', 'version()')",
    "k.selectExpr('parse_json(note) AS v', \"from_json(note, 'a INT') AS j\")",
    "k.select(plus('id'))",
    "k.select('id').union(rate.select('value'))",
    "k.observe('counts', F.count('id')).hint('broadcast')",
    "k.sortWithinPartitions('id')",
    "rate.withWatermark('timestamp', '1 minute')",
    "files",
    "within(k.select('id', 'note').repartition(3))",
    "within(k.select('id', 'note').repartition('id'))",
    "within(k.select('id').distinct())",
    "within(k.select('id').dropDuplicates())",
    "within(k.rollup('note').count())",
    "within(k.select('id', 'note').join(spark.range(5), 'id'))",
    "within(k.select('id').join(rate, F.expr('id = value')))",
    "within(rate.withWatermark('timestamp', '1 minute').groupBy(F.window('timestamp', '1 minute')).count())",
    "grouped('count(id)')",
    "grouped('sum(id)')",
    "grouped('avg(CAST(id AS INT))')",
    "grouped('count_if(id > 3)')",
    "grouped('bool_and(id > 3)')",
    "grouped('approx_count_distinct(id)')",
    "grouped('max(price)')",
    "grouped('sum(CAST(price AS DECIMAL(10, 2)))')",
    "k.selectExpr(\"aes_encrypt(note, '0000111122223333', 'ECB')\")",
    "k.selectExpr(\"aes_encrypt(note, '0000111122223333', 'GCM', 'DEFAULT', unhex('000000000000000000000000'))\")",
    "batch",
    "batch.selectExpr('now() AS at')",
    "static",
    "within(batch.groupBy('note').count())",
    *(
        f"mapped({frame}, '{how}')"
        for how in ("mapInArrow", "mapInPandas")
        for frame in ("k.select('id', 'note')", "within(k.select('id').repartition(2))", "batch")
    ),
    "batch.rdd.map(lambda row: row).toDF()",
    "spark.createDataFrame([(1, 2)], 'a INT, b INT')",
    "within(batch.rdd.repartition(2).toDF())",
    "batch.repartition(2).localCheckpoint()",
]
ADAPTIVE = "spark.sql.adaptive.streaming.stateless.enabled"
REFUSED = [
    ("spark.sql.files.minPartitionNum ~ files", "json: its files are packed for the cores that there are"),
    (f"{ADAPTIVE} ~ within(k.select('id').repartition('id'))", f"set {ADAPTIVE} to false"),
    (f"{ADAPTIVE} ~ within(k.select('id', 'note').join(spark.range(5), 'id'))", f"set {ADAPTIVE} to false"),
    ("k.selectExpr('rand() AS r')", "rand("),
    ("k.selectExpr('rand(42) AS r')", "rand(42): it is another value"),
    ("k.where('rand() > 0.5')", "rand("),
    ("k.selectExpr(\"concat('a', uuid()) AS u\")", "uuid(): it is another value"),
    ("k.select(F.monotonically_increasing_id())", "monotonically_increasing_id()"),
    ("k.selectExpr('shuffle(items) AS s')", "shuffle("),
    ("k.select(plus.asNondeterministic()('id'))", "it is another value"),
    ("k.selectExpr(\"reflect('java.util.UUID', 'randomUUID')\")", "reflect("),
    ("k.selectExpr('now() AS at')", "now(): it is not kept with the batch; current_timestamp() is"),
    ("k.repartition(3)", "Repartition: it leaves the rows of a partition in any order; sortWithinPartitions"),
    ("k.select('id', 'note').repartition(2).sortWithinPartitions('id')", "Repartition: it leaves"),
    ("within(k.select('id').repartitionByRange(3, 'id'))", "where its ranges end is sampled"),
    ("k.coalesce(1)", "coalesce may put other partitions together"),
    ("k.sort('id')", "Sort: where its partitions end is sampled"),
    ("k.limit(3)", "Limit: which rows come first may change"),
    ("k.sample(0.5, seed=3)", "Sample: another run of the program draws other rows"),
    ("k.groupBy('note').count()", "Aggregate: it leaves the rows"),
    ("grouped('sum(price)')", "numbers are rounded as they are added, in any order; cast to DECIMAL"),
    ("grouped('avg(id)')", "numbers are rounded as they are added"),
    ("grouped('max_by(note, id)')", "it is not known to be the same in any order"),
    ("grouped('percentile_approx(price, 0.5) AS p')", "it is not known to be the same in any order"),
    ("within(k.selectExpr('id', 'note COLLATE UTF8_LCASE AS n').groupBy('n').count())", "see COLLATE"),
    ("k.selectExpr(\"aes_encrypt(note, '0000111122223333')\")", "its initialization vector is another one each time"),
    ("grouped('first(id)')", "first("),
    ("grouped('collect_list(id)')", "collect_list("),
    ("within(k.select('id', 'note').dropDuplicates(['id']))", "which of the rows with equal keys stays"),
    ("within(k.select('id', 'note').join(static, 'id'))", "json: whether it changes between two runs is not known"),
    ("k.select('id', 'note').join(spark.range(5), 'id')", "Join: it leaves"),
    (
        "within(spark.sql('SELECT id FROM k WHERE id IN (SELECT id FROM range(3))'))",
        "a subquery: what it finds may change",
    ),
    ("within(k.selectExpr('note COLLATE UTF8_LCASE AS n').repartition(2))", "Repartition: it leaves"),
    ("batch.select(F.row_number().over(Window.orderBy('id')))", "Window: rows that its order does not tell apart"),
    ("batch.select('id').intersect(batch.select('id'))", "Intersect: write it as a join"),
    *(
        (f"mapped({frame}, '{how}')", said.replace("MAP", f"M{how[1:]}"))
        for how in ("mapInArrow", "mapInPandas")
        for frame, said in (
            (
                "k.select('id').repartition(2)",
                "MAP: it gets the rows of Repartition in any order; sortWithinPartitions",
            ),
            ("k.selectExpr('rand() AS r')", "rand(): it is another value"),
            (
                "batch.select('id').rdd.repartition(2).toDF()",
                "MAP: it gets the rows of an RDD that was shuffled in any",
            ),
        )
    ),
    ("within(mapped(k.select('id').repartition(2), 'mapInArrow'))", "MapInArrow: it gets the rows of Repartition"),
    ("batch.rdd.repartition(2).toDF()", "an RDD that was shuffled: it leaves the rows of a partition in any order"),
    ("batch.repartition(2).rdd.map(lambda row: row).toDF()", "an RDD that was shuffled: it leaves"),
    ("batch.rdd.sortBy(lambda row: row[0], numPartitions=2).toDF()", "an RDD that was shuffled: it leaves"),
    ("spark.readStream.format('socket').options(host='127.0.0.1', port=1).load()", "socket: whether a batch of it can"),
]


def test_a_plan_is_taken_or_refused_with_the_place_that_is_to_blame(tmp_path: Path) -> None:
    cases = [(words, "") for words in TAKEN] + REFUSED
    done = subprocess.run(
        [SPARK_PYTHON, "-c", FRAMES, str(tmp_path), json.dumps(cases)],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": SPARK_PYTHON},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    version = next(line.split()[1] for line in done.stdout.splitlines() if line.startswith("SPARK "))
    said = dict(json.loads(line.removeprefix("SAID ")) for line in done.stdout.splitlines() if line.startswith("SAID "))
    assert [(words, said[words]) for words in TAKEN if said[words]] == []
    refused = [
        (words, "" if ADAPTIVE in words and version < "4.1" else why) for words, why in REFUSED
    ]  # 4.0 has it not
    assert [(words, said[words]) for words, why in refused if (why not in said[words] if why else said[words])] == []
    marks = {line.split()[1]: line.split()[2:] for line in done.stdout.splitlines() if line.startswith("MARK ")}
    assert marks == {name: ["True", "False"] for name in ("checked", "cached", "streamed")} | {
        name: ["False", "True"] for name in ("changed", "union", "unseen")
    }
