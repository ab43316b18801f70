"""`validate` asks the Spark at hand whether it can open the checkpoint: no jars, no rights, no such bucket, all well."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from firnline_local.running import RunningEnvironment
from tests.fakes.connect_proxy import ConnectProxy
from tests.iam.running import enforce_statements
from tests.spark.conftest import HANGS_S, Lane

pytestmark = [pytest.mark.spark, pytest.mark.timeout(HANGS_S)]

ASK = """
import json, sys
from pathlib import Path
from firnline_ingest.config.load import load_config
from firnline_ingest.spark.checkpoint import check_checkpoint
from firnline_ingest.errors import FirnlineError
config = load_config(Path(sys.argv[1]))
for checkpoint in sys.argv[2:]:
    spark = config.spark.model_copy(update={"checkpoint": checkpoint})
    try:
        said = [None, check_checkpoint(config.model_copy(update={"spark": spark}))]
    except FirnlineError as error:
        said = [error.id, str(error)]
    print("SAID", json.dumps(said))
"""
QUERY = """
import sys
from pathlib import Path
from firnline_ingest.config.load import load_config
from firnline_ingest.proxy import use_proxy
from firnline_ingest.spark.spark_session import new_session
config = load_config(Path(sys.argv[1]))
use_proxy(config)
spark = new_session(config)
rate = spark.readStream.format("rate").load().writeStream.format("noop").option("checkpointLocation", config.spark.checkpoint)
rate.trigger(availableNow=True).start().awaitTermination()
print("SHOWN", [value for _, value in spark.sparkContext.getConf().getAll() if "p@ss" in value])
"""
KEY_ID, BUCKET, NOWHERE = "AKIACHECKPOINT", "checkpoints-of-a-test", "no-such-bucket"
MAY_LOOK = [
    {"Effect": "Allow", "Action": [action], "Resource": [f"arn:aws:s3:::{bucket}{part}"]}
    for bucket in (BUCKET, NOWHERE)
    for action, part in (("s3:ListBucket", ""), ("s3:GetObject", "/checkpoint/*"))
]


def answers(
    environment: RunningEnvironment, folder: Path, conf: Mapping[str, str], checkpoints: Sequence[str]
) -> list[tuple[str | None, str]]:
    """Answers of one JVM."""
    spark: dict[str, Any] = {"checkpoint": checkpoints[0], "master": "local[1]", "conf": dict(conf)}
    config = folder / "engine.json"
    config.write_text(json.dumps({**environment.engine_config(), "spark": spark}))
    variables = {**environment.variables, "AWS_ACCESS_KEY_ID": KEY_ID, "SPARK_LOCAL_IP": "127.0.0.1"}
    asked = subprocess.run(
        [sys.executable, "-c", ASK, str(config), *checkpoints],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=True,
        timeout=HANGS_S,
    )
    said = [json.loads(line[5:]) for line in asked.stdout.splitlines() if line.startswith("SAID ")]
    return [(error_id, text) for error_id, text in said]


def test_a_spark_without_jars_opens_neither_and_says_which_to_give_it(
    local_environment: RunningEnvironment, tmp_path: Path
) -> None:
    s3, s3a, other = answers(local_environment, tmp_path, {}, ["s3://b/c/", "s3a://bucket/c/", "gopher://bucket/c/"])
    assert [s3[0], s3a[0], other[0]] == ["FL-5404", "FL-5404", "FL-5404"]
    assert 'No FileSystem for scheme "s3"' in s3[1]
    assert "EMR's own" in s3[1]
    assert "S3AFileSystem not found" in s3a[1]
    assert "EMR" not in s3a[1]
    assert all("python -m firnline_infra.s3a --hadoop 3." in said for said in (s3[1], s3a[1]))


def test_with_them_the_place_itself_is_looked_at_as_the_engine(
    local_environment: RunningEnvironment, tmp_path: Path, s3a_jars: Path
) -> None:
    s3 = local_environment.client("s3")
    s3.create_bucket(Bucket=BUCKET)
    s3.put_object(Bucket=BUCKET, Key="checkpoint/begun/metadata", Body=b"{}")
    principal = f"arn:aws:iam::{local_environment.endpoints.aws_account}:user/checkpoint"
    enforce_statements(local_environment, KEY_ID, principal=principal, statements=MAY_LOOK)
    settings = {
        "endpoint": local_environment.endpoints.of_service("s3"),
        "endpoint.region": local_environment.endpoints.region,
        "path.style.access": "true",
        "aws.credentials.provider": "software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider",
    }
    conf = {f"spark.hadoop.fs.s3a.{name}": value for name, value in settings.items()}
    conf["spark.driver.extraClassPath"] = f"{s3a_jars}/*"
    places = [f"s3a://{BUCKET}/checkpoint/{name}/" for name in ("begun", "new")]
    begun, new, refused, nowhere = answers(
        local_environment, tmp_path, conf, [*places, f"s3a://{BUCKET}/other/", f"s3a://{NOWHERE}/checkpoint/a/"]
    )
    assert begun == (None, f"{places[0]}, which is there")
    assert new == (None, f"{places[1]}, not begun")
    assert refused[0] == nowhere[0] == "FL-5405"
    assert "Status Code: 403" in refused[1]
    assert "Status Code: 404" in nowhere[1]


@pytest.mark.slow
def test_a_query_keeps_its_checkpoint_in_s3_behind_a_proxy_that_wants_a_login(
    local_environment: RunningEnvironment, tmp_path: Path, s3a_jars: Path
) -> None:
    """A plain endpoint: the proxy sees each request. With TLS it is the same client of Apache's, by CONNECT."""
    bucket, host = "checkpoints-behind-a-proxy", "s3.proxied.example"
    local_environment.client("s3").create_bucket(Bucket=bucket)
    settings = {"endpoint": f"http://{host}", "endpoint.region": "us-east-1", "path.style.access": "true"}
    keys = {"access.key": "a", "secret.key": "b"}
    conf = {f"spark.hadoop.fs.s3a.{name}": value for name, value in (settings | keys).items()}
    conf["spark.driver.extraClassPath"] = f"{s3a_jars}/*"
    port = urlsplit(local_environment.endpoints.of_service("s3")).port or 0
    with ConnectProxy({host: port}, login="engine:p@ss/w:rd", host_header="127.0.0.1") as proxy:
        login = {"username_env": "PROXY_NAME", "password_env": "PROXY_WORD"}
        document = local_environment.engine_config() | {"proxy": {"url": proxy.url, "login": login}}
        document["spark"] = {"checkpoint": f"s3a://{bucket}/checkpoint/", "master": "local[1]", "conf": conf}
        config = tmp_path / "engine.json"
        config.write_text(json.dumps(document))
        ran = subprocess.run(
            [sys.executable, "-c", QUERY, str(config)],
            env={
                **os.environ,
                "PROXY_NAME": "engine",
                "PROXY_WORD": "p@ss/w:rd",
                "SPARK_LOCAL_IP": "127.0.0.1",
            },
            capture_output=True,
            text=True,
            check=False,
            timeout=HANGS_S,
        )
        asked = set(proxy.asked)
    assert ran.returncode == 0, ran.stderr[-4000:]
    assert "SHOWN []" in ran.stdout
    assert {(method, host) for method in ("PUT", "GET", "HEAD")} <= asked
    listed = local_environment.client("s3").list_objects_v2(Bucket=bucket)["Contents"]
    assert {"checkpoint/offsets/0", "checkpoint/commits/0"} <= {each["Key"] for each in listed}


def test_a_drain_needs_no_file_system_of_the_cluster(new_lane: Callable[..., Lane]) -> None:
    """From where a person deploys: the checkpoint is the cluster's, and this Spark has no jars for it."""
    lane = new_lane(spark={"checkpoint": f"s3://{BUCKET}/checkpoint/of-the-cluster/"})
    lane.put({"n": 1})
    asked = subprocess.run(
        [sys.executable, "-m", "firnline_ingest", "drain", "--config", str(lane.config_file)],
        env={**os.environ, **lane.environment.variables, "SPARK_LOCAL_IP": "127.0.0.1"},
        capture_output=True,
        text=True,
        check=False,
        timeout=HANGS_S,
    )
    assert asked.returncode == 0, asked.stderr[-5000:]
    assert lane.rows() == [(0,)]  # it takes in nothing new
