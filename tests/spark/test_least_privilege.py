"""The engine on real Spark and real S3A, with an access key that may do exactly what the blueprint's policy of the engine says.

It begins with an empty bucket, ends, and is started again, by spark-submit and out of the bucket. What Spark calls in S3 is what
was seen here, and compared with what is declared.
"""

import json
import sys
import tarfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import boto3
import pyspark
import pytest
from botocore.exceptions import ClientError

from firnline_infra import artefact as built
from firnline_infra.blueprint.bucket_layout import ARTEFACT_FOLDER, CONFIGURATION_FOLDER, s3_url, spark_url
from firnline_infra.blueprint.engine_config import engine_inputs
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.spark_s3 import spark_s3_settings
from firnline_infra.environment import Environment
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_infra.specification.names import Names
from firnline_ingest.ledger.dynamodb import KEY_SCHEMA
from firnline_local.aws.policy import Statement, is_allowed
from firnline_local.demo.engine_process import EngineProcess
from firnline_local.running import RunningEnvironment
from tests.iam.call_log import LoggedCall
from tests.iam.callers import UNGUARDED
from tests.iam.running import calls_of, enforce
from tests.spark.conftest import HANGS_S, Lane

pytestmark = [pytest.mark.slow, pytest.mark.spark, pytest.mark.timeout(HANGS_S)]

KEY_ID, TABLE = "AKIALEASTPRIVILEGE", "least-privilege"
OF_THE_BUCKET = {"ListCheckpoint", "KeepCheckpoint", "ReadJobFiles", "KeepDeadLetters", "UseBucketKey"}
SPEC = """
version: 1
name: least
aws:
  region: us-east-1
  account: "000000000000"
  key: {{origin: adopt, arn: "{key}"}}
  runtime: {{trust: static-keys}}
snowflake: {{account: FIRNLINE-LOCAL, ingest: {{secret_arn: "{secret}"}}}}
streams: [{{name: {stream}}}]
pipelines: [{{stream: {stream}, database: FIRNLINE, schema: RAW}}]
ledger: {{table: least-privilege}}
"""


@dataclass
class Engine:
    """One environment's engine, and what it may do."""

    environment: RunningEnvironment
    lane: Lane
    spec: EnvironmentSpec
    jars: Path

    @property
    def statements(self) -> list[Statement]:
        key = self.spec.aws.key.arn
        statements: list[Statement] = policy_document(engine_policy(Environment.of(self.spec), key))["Statement"]
        return statements

    @property
    def variables(self) -> dict[str, str]:
        return {**self.environment.variables, "AWS_ACCESS_KEY_ID": KEY_ID}

    def configure(self) -> None:
        inputs = engine_inputs(Environment.of(self.spec))
        endpoint = self.environment.endpoints.of_service("s3")
        conf = {
            **spark_s3_settings(Environment.of(self.spec), endpoint),
            "spark.driver.extraClassPath": f"{self.jars}/*",
        }
        spark = {"checkpoint": inputs.spark_checkpoint, "master": "local[2]", "conf": conf}
        self.document = {**self.lane.document(), "spark": spark, "dead_letters": dict(inputs.dead_letters)}
        self.lane.config_file.write_text(json.dumps(self.document))

    def run_from_here(self) -> None:
        log = self.lane.folder / "engine.log"
        with EngineProcess(self.lane.config_file, self.variables, available_now=True, log_file=log) as engine:
            assert engine.wait(HANGS_S) == 0, list(engine.last_lines)

    def run_from_the_bucket(self) -> None:
        """Starts it as a job: program, environment and configuration are all there."""
        artefact, configuration = f"{ARTEFACT_FOLDER}1/", f"{CONFIGURATION_FOLDER}1.json"
        entry = Path(built.__file__).parent / "files" / "entry.py"
        archive = self.lane.folder / "archive.tar.gz"
        with tarfile.open(archive, "w:gz") as tar:
            tar.add(self.lane.config_file, "in-the-archive.json")
        for file, key in (
            (entry, f"{artefact}entry.py"),
            (archive, f"{artefact}archive.tar.gz"),
            (self.lane.config_file, configuration),
        ):
            self.environment.client("s3").put_object(Bucket=Names.of(self.spec).bucket, Key=key, Body=file.read_bytes())
        conf = [f"--conf={name}={value}" for name, value in self.document["spark"]["conf"].items()]
        command = [
            str(Path(pyspark.__file__).parent / "bin" / "spark-submit"),
            *("--conf=spark.ui.enabled=false", *conf),
            f"--archives={spark_url(Environment.of(self.spec), artefact)}archive.tar.gz#environment",
            f"{spark_url(Environment.of(self.spec), artefact)}entry.py",
            *(s3_url(Environment.of(self.spec), configuration), "--available-now"),
        ]
        variables = {
            **self.variables,
            "AWS_ENDPOINT_URL_S3": self.environment.endpoints.of_service("s3"),
            "PYSPARK_PYTHON": sys.executable,
            "PYSPARK_DRIVER_PYTHON": sys.executable,
            "SPARK_LOCAL_IP": "127.0.0.1",
        }
        with EngineProcess.of(command, variables, self.lane.folder / "engine.log") as engine:
            assert engine.wait(HANGS_S) == 0, list(engine.last_lines)


def made(environment: RunningEnvironment) -> tuple[str, str]:
    """Everything that an engine with a customer's key works with, but its stream and bucket: the key's ARN and the secret's."""
    key = environment.client("kms").create_key()["KeyMetadata"]["Arn"]
    environment.client("dynamodb").create_table(
        TableName=TABLE,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[{"AttributeName": name, "AttributeType": "S"} for name in KEY_SCHEMA],
        KeySchema=[{"AttributeName": name, "KeyType": kind} for name, kind in KEY_SCHEMA.items()],
        SSESpecification={"Enabled": True, "SSEType": "KMS", "KMSMasterKeyId": key},
    )
    pem = environment.logins["ingest"].private_key_file.read_text()
    secrets = environment.client("secretsmanager")
    return key, secrets.create_secret(Name=TABLE, SecretString=pem, KmsKeyId=key)["ARN"]


def empty_bucket(environment: RunningEnvironment, spec: EnvironmentSpec) -> None:
    s3, name = environment.client("s3"), Names.of(spec).bucket
    s3.create_bucket(Bucket=name)
    default = {"SSEAlgorithm": "aws:kms", "KMSMasterKeyID": spec.aws.key.arn}
    rules = [{"ApplyServerSideEncryptionByDefault": default}]
    s3.put_bucket_encryption(Bucket=name, ServerSideEncryptionConfiguration={"Rules": rules})


def engines_user(environment: RunningEnvironment, engine: Engine) -> str:
    iam, name = environment.client("iam"), Names.of(engine.spec).engine_user
    user: str = iam.create_user(UserName=name)["User"]["Arn"]
    policy = json.dumps({"Version": "2012-10-17", "Statement": engine.statements})
    iam.put_user_policy(UserName=name, PolicyName="engine", PolicyDocument=policy)
    return user


@pytest.fixture
def engine(local_environment: RunningEnvironment, new_lane: Callable[..., Lane], s3a_jars: Path) -> Engine:
    key, secret = made(local_environment)
    lane = new_lane(ledger={"table": TABLE, "create": False}, snowflake={"private_key": {"secret_arn": secret}})
    spec = parse_spec(SPEC.format(key=key, secret=secret, stream=lane.name), "least.yaml")
    local_environment.client("kinesis").start_stream_encryption(StreamName=lane.name, EncryptionType="KMS", KeyId=key)
    empty_bucket(local_environment, spec)
    engine = Engine(local_environment, lane, spec, s3a_jars)
    engine.configure()
    enforce(local_environment, KEY_ID, engines_user(local_environment, engine))
    return engine


def test_the_engine_runs_under_exactly_its_policy_and_asks_for_nothing_else(engine: Engine) -> None:
    environment, lane = engine.environment, engine.lane
    with pytest.raises(ClientError, match="not authorized"):
        client_of_the_engine(environment).put_record(StreamName=lane.name, Data=b"{}", PartitionKey="a")
    mark = calls_of(environment).mark

    lane.put(*({"n": n} for n in range(20)), b"a letter")
    engine.run_from_here()
    lane.put(*({"n": n} for n in range(20, 30)))
    engine.run_from_the_bucket()

    assert lane.rows("COUNT(*), COUNT(DISTINCT N)") == [(30, 30)]
    seen = calls_of(environment, mark)
    calls = [call for call in seen.calls if call.access_key == KEY_ID]
    assert seen.dropped == 0
    assert {call.service for call in calls} >= {"kinesis", "dynamodb", "secretsmanager", "s3"}
    assert set(outside(engine.statements, calls)) == set()
    rights = list(in_the_bucket(engine.statements))
    assert {sid for sid, _ in rights} == OF_THE_BUCKET
    for sid, action in rights:
        less = list(without(engine.statements, sid, action))
        assert set(outside(less, calls)) != set(), f"nobody would miss {action} of {sid}"


def outside(statements: list[Statement], calls: list[LoggedCall]) -> Iterator[str]:
    """Yields what was called and is not allowed."""
    for call in calls:
        for access in call.accesses:
            if access.action not in UNGUARDED and not is_allowed(
                statements, access.action, access.resource, access.context
            ):
                yield f"{access.action} on {access.resource}"


def in_the_bucket(statements: list[Statement]) -> Iterator[tuple[str, str]]:
    """Each statement about the bucket or its key, with each of its actions."""
    for statement in statements:
        if statement["Sid"] == "UseBucketKey" or str(statement["Resource"]).startswith("['arn:aws:s3:::"):
            yield from ((statement["Sid"], action) for action in statement["Action"])


def without(statements: list[Statement], sid: str, action: str) -> Iterator[Statement]:
    for statement in statements:
        actions = [each for each in statement["Action"] if (statement["Sid"], each) != (sid, action)]
        if actions:
            yield {**statement, "Action": actions}


def client_of_the_engine(environment: RunningEnvironment) -> Any:
    return boto3.client(
        "kinesis",
        endpoint_url=environment.endpoints.kinesis,
        region_name=environment.endpoints.region,
        aws_access_key_id=KEY_ID,
        aws_secret_access_key="x",
    )
