"""Plans of pipelines' queries on real Spark: what is narrow, and what is refused, with the words that name the place."""

import json
import os
import subprocess
from pathlib import Path

import pytest

from tests.spark.conftest import HANGS_S, SPARK_PYTHON

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S)]

LOOKS = """
import datetime, json, random, sys, types
from pyspark.sql import SparkSession, functions as F
from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.spark.query_rounds import StreamQuery

spark = SparkSession.builder.master("local[1]").config("spark.ui.enabled", "false").getOrCreate()
spark.range(3).createGlobalTempView("other")
own = types.ModuleType("own")
sys.modules["own"] = own
plus = F.udf(lambda number: number + 1, "long")
PIPELINE = {"stream": "orders", "database": "DB", "schema": "RAW"}
for words, more, _ in json.loads(sys.argv[1]):
    query = {"schema": "id BIGINT, price DOUBLE, at TIMESTAMP, items ARRAY<INT>", "sql": words}
    if words.startswith("lambda"):
        own.made = eval(words)
        query = {"schema": query["schema"], "function": "own:made", "version": "1"}
    try:
        StreamQuery.of(spark, PipelineConfig.model_validate({**PIPELINE, "query": query, **more}, strict=None))
        said = ""
    except FirnlineError as error:
        said = f"{error.id} {error.what}"
    print("SAID", json.dumps([words, said]), flush=True)
for schema in json.loads(sys.argv[2]):
    query = {"schema": schema, "sql": "SELECT * FROM rows"}
    try:
        StreamQuery.of(spark, PipelineConfig.model_validate({**PIPELINE, "query": query}, strict=None))
        said = ""
    except FirnlineError as error:
        said = f"{error.id} {error}"
    print("SAID", json.dumps([schema, said]), flush=True)
"""
SEVERAL: dict[str, object] = {"format": {"type": "json", "several_objects": True}}
TAKEN: list[tuple[str, dict[str, object]]] = [
    ("SELECT * FROM rows", {}),
    ("SELECT _position, id, price * 2 AS twice FROM rows r WHERE price > 1 AND at < timestamp'2026-01-01'", {}),
    ("WITH dear AS (SELECT * FROM rows WHERE price > 9) SELECT _position, upper(hex(id)) AS id FROM dear", {}),
    ("SELECT _position, e FROM rows LATERAL VIEW explode(items) t AS e", SEVERAL),
    ("SELECT _position, explode(items) AS e FROM rows", SEVERAL),
    ("lambda rows: rows.where('id > 1').withColumn('id', plus('id'))", {}),
    ("WITH a AS (SELECT * FROM rows), b AS (SELECT * FROM a WHERE id > 1) SELECT * FROM b", {}),
    ("FROM rows |> WHERE id > 1 |> EXTEND id + 1 AS next", {}),
    ("SELECT * FROM rows WHERE at > '2026-01-01' AND at < date'2027-01-01'", {}),
    (
        "SELECT *, CAST(array(date'2026-01-01') AS ARRAY<TIMESTAMP>) AS days, CAST(array('1') AS ARRAY<INT>) AS n FROM rows",
        {},
    ),
    ("SELECT * FROM rows -- and today's 'now' is a text", {}),
    (
        "SELECT *, '12:30' AS opens, to_timestamp('12:30', 'HH:mm') AS at_one_day FROM rows WHERE at > '2026-01-01 12:30'",
        {},
    ),
]
REFUSED: list[tuple[str, dict[str, object], str]] = [
    ("SELECT id AS _position, id FROM rows", {}, "makes _position itself"),
    ("SELECT _position + 0 AS _position, id FROM rows", {}, "makes _position itself"),
    ("lambda rows: rows.select('id')", {}, "drops _position"),
    ("SELECT _position FROM rows", {}, "no column but _position"),
    ("SELECT *, id AS ID FROM rows", {}, "two columns"),
    ("SELECT *, 1 AS kinesismetadata FROM rows", {}, "metadata column"),
    ("SELECT _position, sum(price) AS price FROM rows GROUP BY _position", {}, "Aggregate: it needs several"),
    ("SELECT DISTINCT * FROM rows", {}, "it needs several"),
    ("SELECT a.* FROM rows a JOIN rows b ON a.id = b.id", {}, "Join: it needs other rows"),
    ("SELECT r.* FROM rows r JOIN global_temp.other o ON r.id = o.id", {}, "it reads something else"),
    ("SELECT * FROM rows UNION ALL SELECT * FROM rows", {}, "Union"),
    ("SELECT * FROM rows ORDER BY id", {}, "rows leave their order"),
    ("SELECT * FROM rows LIMIT 3", {}, "may be there once"),
    ("SELECT *, row_number() OVER (ORDER BY id) AS n FROM rows", {}, "Window"),
    ("SELECT * FROM rows WHERE id IN (SELECT id FROM global_temp.other)", {}, "a subquery"),
    ("SELECT *, rand() AS r FROM rows", {}, "another value each time"),
    ("SELECT * FROM rows WHERE at > current_timestamp()", {}, "another time"),
    ("SELECT *, now() AS seen FROM rows", {}, "another time"),
    ("SELECT * FROM rows WHERE at > current_date()", {}, "another time"),
    ("SELECT *, explode(items) AS e FROM rows", {}, "the pipeline's format makes one"),
    ("SELECT * FROM rows WHERE 1 = 0", {}, "never true"),
    ("SELECT *, nope FROM rows", {}, "nope"),
    ("SELECT * FRM rows", {}, "PARSE_SYNTAX_ERROR"),
    ("lambda rows: rows.repartition(3)", {}, "rows leave their shard"),
    ("lambda rows: rows.where('id > 1').coalesce(1)", {}, "rows leave their shard"),
    (
        "lambda rows: rows.withColumn('u', F.udf(lambda: 1, 'int').asNondeterministic()())",
        {},
        "another value each time",
    ),
    ("lambda rows: rows.sparkSession.range(3).withColumnRenamed('id', '_position')", {}, "it reads something else"),
    ("lambda rows: 3", {}, "not a DataFrame"),
    ("SELECT * FROM rows WHERE _position % 2 = 0", {}, "another number"),
    ("SELECT *, _position AS place FROM rows", {}, "another number"),
    ("SELECT _position, to_json(struct(*)) AS all FROM rows", {}, "another number"),
    ("WITH a AS (SELECT * FROM rows) SELECT *, 1 + _position AS place FROM a", {}, "another number"),
    ("SELECT _position, explode(array(_position)) AS e FROM rows", SEVERAL, "another number"),
    ("SELECT * FROM rows WHERE at > 'yesterday'", {}, "another time"),
    ("SELECT *, to_date('today') AS day FROM rows", {}, "another time"),
    ("SELECT * FROM rows WHERE at > '12:30'", {}, "another time"),
    ("SELECT *, CAST(concat('T', '9:00') AS TIMESTAMP) AS opens FROM rows", {}, "another time"),
    ("lambda rows: rows.withColumn('opens', F.lit(' 7:30:00').cast('timestamp'))", {}, "another time"),
    ("SELECT *, CAST(concat('n', 'ow') AS TIMESTAMP) AS seen FROM rows", {}, "another time"),
    ("SELECT *, named_struct('a', '12:30')::struct<a:timestamp> AS e FROM rows", {}, "another time"),
    ("SELECT *, CAST(array('now', '2026-01-01') AS ARRAY<DATE>) AS days FROM rows", {}, "another time"),
    ("""SELECT *, from_json('{"t": "12:30"}', 't TIMESTAMP') AS opens FROM rows""", {}, "another time"),
    ("SELECT *, from_csv('12:30', 't TIMESTAMP').t AS opens FROM rows", {}, "another time"),
    ("SELECT * FROM rows WHERE at > (timestamp('now'))", {}, "another time"),
    ("lambda rows: rows.withColumn('seen', F.lit('now').cast('timestamp'))", {}, "another time"),
    ("lambda rows: rows.withColumn('seen', F.lit(datetime.datetime.now()))", {}, "something else before"),
    ("lambda rows: rows.withColumn('seen', F.expr(\"timestamp'now'\"))", {}, "something else before"),
    ("lambda rows: rows.where(F.lit(random.random()) > F.col('price'))", {}, "something else before"),
    ("lambda rows: rows.localCheckpoint()", {}, "not the pipeline's rows"),
    ("lambda rows: rows.cache()", {}, "it is cached"),
    ("lambda rows: rows.where(F.lit(rows.count() >= 0))", {}, "runs a job of its own"),
    ("lambda rows: 1 / 0", {}, "its function raised ZeroDivisionError: division by zero"),
    ("lambda rows: sys.exit(3)", {}, "its function raised SystemExit"),
    ("lambda rows: open('/no such file')", {}, "its function raised FileNotFoundError"),
    ("INSERT OVERWRITE DIRECTORY 'INTO' USING json SELECT * FROM rows", {}, "a command"),
    ("CREATE TABLE made USING json AS SELECT * FROM rows", {}, "a command"),
    ("WITH a AS (SELECT * FROM rows) INSERT INTO made SELECT * FROM a", {}, "TABLE_OR_VIEW_NOT_FOUND"),
    ("BEGIN CREATE TABLE made (id INT) USING json; SELECT * FROM rows; END", {}, "a script"),
    ("EXECUTE IMMEDIATE 'SELECT * FROM rows'", {}, "a script"),
    ("SET spark.sql.ansi.enabled = false /* * */", {}, "a command"),
]
SCHEMAS = ("INT", "ARRAY<INT>", "id", "id INT,", "id VARIANT", "id INT NOT NULL", "id INT, ID INT")


def test_a_narrow_query_is_taken_and_each_reason_against_another_is_named(tmp_path: Path) -> None:
    out = tmp_path / "made by looking"
    refused = [(words.replace("INTO'", f"{out}'"), more, why) for words, more, why in REFUSED]
    cases = [*((words, more, "") for words, more in TAKEN), *refused]
    found = subprocess.run(
        [SPARK_PYTHON, "-c", LOOKS, json.dumps(cases), json.dumps(SCHEMAS)],
        cwd=tmp_path,
        env={**os.environ, "PYSPARK_PYTHON": SPARK_PYTHON},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert found.returncode == 0, found.stderr[-3000:]
    said = dict(json.loads(line[5:]) for line in found.stdout.splitlines() if line.startswith("SAID "))
    assert [words for words, _ in TAKEN if said[words]] == [], said
    for words, _, why in cases[len(TAKEN) :]:
        assert said[words].startswith("FL-1213"), (words, said[words])
        assert why in said[words], (words, said[words])
    assert not out.exists()
    assert [path.name for path in tmp_path.rglob("made*")] == []
    for schema in SCHEMAS:
        assert said[schema].startswith(("FL-1213", "FL-1001")), (schema, said[schema])
