"""format("snowpipe") on real Spark: a query that is killed, restarted, copied or confused with another adds each row once."""

import json
import os
import subprocess
from collections import Counter
from pathlib import Path

import pytest

from firnline_local.running import RunningEnvironment
from tests.spark.conftest import HANGS_S, SPARK_PYTHON

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S), pytest.mark.slow]

PROGRAM = '''
import json, os, shutil, sys
from pathlib import Path
from pyspark.sql import SparkSession
from firnline_ingest.datasource import SnowpipeDataSource, register

folder, options = Path(sys.argv[1]), json.loads(sys.argv[2])
spark = SparkSession.builder.master("local[2,4]").config("spark.ui.enabled", "false").getOrCreate()
register(spark)

class Dying(SnowpipeDataSource):
    """Once dies as the file `death` says: behind so many rows of a task, or when the batch is added and not committed."""

    @classmethod
    def name(cls):
        return "dying"

    def streamWriter(self, schema, overwrite):
        writer, write = super().streamWriter(schema, overwrite), None
        death = folder / "death"
        original = writer.write

        def dying(rows):
            for row in rows:
                yield row
                if row.id == 3 and death.exists() and death.read_text() == "task":
                    death.unlink()
                    os._exit(9)

        def commit(messages, batch):
            if death.exists() and death.read_text() == "commit":
                death.unlink()
                raise RuntimeError("killed before the commit")

        writer.write = lambda rows: original(dying(rows))
        writer.commit = commit
        return writer

spark.dataSource.register(Dying)

def put(name, numbers):
    (folder / "in").mkdir(exist_ok=True)
    (folder / "in" / f"{name}.json").write_text("".join(json.dumps({"id": n, "note": "x" * 300_000}) + "\\n" for n in numbers))

def run(name, form="snowpipe", checkpoint=None, column="note", **more):
    files = spark.readStream.schema("id BIGINT, note STRING").option("maxFilesPerTrigger", "1").json(str(folder / "in"))
    given = {"unchecked": "true", **options, **more}
    writer = files.selectExpr("id", f"{column} AS note").writeStream.format(form).options(**given)
    writer = writer.option("checkpointLocation", str(folder / (checkpoint or name))).queryName(name)
    try:
        writer.trigger(availableNow=True).start().awaitTermination()
        return ""
    except Exception as error:
        return str(error)

def scenario():
    put("a", range(5)), put("b", range(5, 8))
    (folder / "death").write_text("task")
    yield "a worker dies inside a task", run("one", "dying")
    put("c", range(8, 12))
    (folder / "death").write_text("commit")
    yield "the batch is added and not committed", run("one", "dying")
    shutil.copytree(folder / "one", folder / "older")
    yield "it is restarted", run("one")
    put("d", range(12, 14))
    yield "a restart with nothing in between", run("one")
    yield "an older checkpoint", run("one", checkpoint="older")
    yield "a new checkpoint under the old name", run("one", checkpoint="new")
    yield "another name", run("two", table=options["table"] + "_TWO")
    (folder / "death").write_text("commit")
    yield "random values, added and not committed", run("three", "dying", column="uuid()", table=options["table"] + "_THREE")
    yield "random values again", run("three", column="uuid()", table=options["table"] + "_THREE")
    frame = spark.range(7).selectExpr("id", "'batch' AS note")
    frame.write.format("snowpipe").options(**options, name="batch").mode("append").save()
    yield "a batch", ""
    yield "a plan that nobody has looked at", run("four", unchecked="false", table=options["table"] + "_FOUR")
    large = {"column": "IF(id % 5 = 1, repeat(note, 20), note)", "table": options["table"] + "_FOUR"}
    yield "a row that is too large", run("four", **large)
    kept = {**large, "deadLetters": str(folder / "letters")}
    (folder / "death").write_text("commit")
    yield "dead letters, kept and not committed", run("four", "dying", **kept)
    (folder / "death").write_text("task")
    yield "dead letters, whose worker dies", run("four", "dying", **kept)
    yield "dead letters, and nothing in between", run("four", **kept)
    shown = spark.read.option("recursiveFileLookup", "true").json(str(folder / "letters" / "spark~four@0"))
    shown = shown.selectExpr("CAST(sequenceNumber AS INT) AS batch", "row", "reason", "CAST(unbase64(data) AS STRING) AS data")
    shown = shown.selectExpr("batch", "row", "reason", "get_json_object(data, '$.id') AS id").collect()
    yield "letters", sorted([int(row.id), row.reason, row.row] for row in shown)

print("SAID", json.dumps(list(scenario())))
'''


@pytest.fixture
def options(local_environment: RunningEnvironment, tmp_path: Path) -> dict[str, str]:
    document = local_environment.engine_config()
    snowflake = document["snowflake"]
    names = {name: snowflake[name] for name in ("account", "user", "role", "url")}
    where = {name: document["pipelines"][0][name] for name in ("database", "schema")}
    return {
        **names,
        **where,
        "table": "FRAMES",
        "caFile": str(snowflake["ca_file"]),
        "privateKeyFile": str(snowflake["private_key"]["file"]),
    }


def test_each_row_is_added_once_whatever_happens_to_the_query(
    local_environment: RunningEnvironment, options: dict[str, str], tmp_path: Path
) -> None:
    role = local_environment.logins["ingest"].role
    tables = [f"FIRNLINE.RAW.{options['table']}{suffix}" for suffix in ("", "_TWO", "_THREE", "_FOUR")]
    for table in tables:
        local_environment.query(f"CREATE TABLE {table} (ID NUMBER, NOTE VARCHAR) ERROR_LOGGING = TRUE", login="admin")
        local_environment.query(f"GRANT INSERT ON TABLE {table} TO ROLE {role}", login="admin")
    done = subprocess.run(
        [SPARK_PYTHON, "-c", PROGRAM, str(tmp_path), json.dumps(options)],
        env={**os.environ, "SPARK_LOCAL_IP": "127.0.0.1", "PYSPARK_PYTHON": SPARK_PYTHON},
        capture_output=True,
        text=True,
        timeout=HANGS_S,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-4000:]
    said = dict(json.loads(done.stdout.partition("SAID ")[2].splitlines()[0]))
    assert (
        said["a worker dies inside a task"]
        == said["it is restarted"]
        == said["a restart with nothing in between"]
        == ""
    )
    assert "killed before the commit" in said["the batch is added and not committed"]
    assert "FL-2513" in said["an older checkpoint"] or "FL-2512" in said["an older checkpoint"]
    assert "FL-2511" in said["a new checkpoint under the old name"]
    assert said["another name"] == ""
    assert "killed before the commit" in said["random values, added and not committed"]
    assert "FL-2512" in said["random values again"]

    assert "FL-2521" in said["a plan that nobody has looked at"]
    assert "FL-2514" in said["a row that is too large"]
    assert "killed before the commit" in said["dead letters, kept and not committed"]
    assert said["dead letters, whose worker dies"] == said["dead letters, and nothing in between"] == ""
    assert [letter[:2] for letter in said["letters"]] == [[number, "too-large"] for number in (1, 6, 11)]

    def ids(table: str, where: str) -> Counter[int]:
        _, rows = local_environment.query(f"SELECT ID FROM {table} WHERE {where}", login="admin")
        return Counter(int(row[0]) for row in rows)

    assert ids(tables[0], "NOTE <> 'batch'") == Counter(range(14))
    assert ids(tables[0], "NOTE = 'batch'") == Counter(range(7))
    assert ids(tables[1], "TRUE") == Counter(range(14))
    assert ids(tables[3], "TRUE") == Counter(number for number in range(14) if number % 5 != 1)
