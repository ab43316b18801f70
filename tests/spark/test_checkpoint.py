"""`validate` asks the Spark at hand whether it can open the checkpoint: no jars, no rights, no such bucket, all well."""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

from firnline_local.running import RunningEnvironment
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
