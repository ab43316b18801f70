"""An engine outside AWS, with everything that its policy can be about: a key of the customer's, a bucket, two streams."""

import json
import re
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.keys import create_key
from firnline_infra.keys.access_key import create_access_key
from firnline_infra.keys.encryption_key import record_encryption_key
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_ingest.ledger.errors import LedgerForbidden
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.provisioning import bootstrap
from firnline_local.pulumi.cloud import Cloud
from firnline_local.running import RunningEnvironment
from tests.contract.conftest import EngineWithoutSpark
from tests.iam.callers import UNGUARDED
from tests.iam.running import enforce

from .watched import Watched

pytestmark = pytest.mark.contract

TABLES = {"static-a": "A", "static-b": "B"}
DOCUMENT: dict[str, Any] = {
    "version": 1,
    "name": "static",
    "durability": "EPHEMERAL",
    "aws": {"region": "us-east-1", "account": "000000000000", "runtime": {"trust": "static-keys"}},
    "snowflake": {"account": "FIRNLINE-LOCAL", "warehouse": "COMPUTE_WH"},
    "streams": [{"name": name, "shards": 1} for name in TABLES],
    "pipelines": [
        {"stream": name, "database": "STATIC", "schema": "RAW", "table": table} for name, table in TABLES.items()
    ],
}
USER = "firnline-static-engine"
POLICY = f"arn:aws:iam::000000000000:policy/firnline/{USER}"
READING = re.compile(r"^\w+:(Get|List|Describe|Decrypt)")
OTHER = json.dumps(
    {"Version": "2012-10-17", "Statement": {"Effect": "Allow", "Action": "kinesis:ListStreams", "Resource": "*"}}
)


class Static:
    """The environment, and its engine there."""

    def __init__(self, environment: RunningEnvironment, engine_of: Callable[..., Any], folder: Path) -> None:
        self.environment, self.accounts, self.watched = environment, EmbeddedAccounts(environment), Watched(environment)
        self.spec_file, self._engine_of = folder / "static.yaml", engine_of
        self.spec_file.write_text(yaml.safe_dump(DOCUMENT))
        bootstrap(environment, self.spec)
        owner = KeyOwner.of(self.spec, self.spec_file, "ingest")
        record_encryption_key(self.spec, owner.file, self.accounts, environment=self.spec.name)
        create_key(owner, self.accounts)

    @property
    def spec(self) -> EnvironmentSpec:
        return load_spec(self.spec_file)

    def up(self) -> set[str]:
        """Returns what it changed in AWS, by action."""
        self.watched.accesses()
        self.watched.up(self.spec)
        return {each.action for each in self.watched.accesses() if not READING.match(each.action)} - UNGUARDED

    def drift(self) -> dict[str, set[str]]:
        """The inputs that a refresh finds changed, by the resource's name; of one that is gone, all."""
        of_aws = [record for record in self.watched.application.resources if record.token.startswith("aws:")]
        with closing(Cloud("aws", self.environment)) as cloud:
            return {record.name: gone for record in of_aws if (gone := differing(cloud, record))}

    @cached_property
    def access_key(self) -> str:
        secret = create_access_key(self.spec, self.accounts).secret_arn
        kept = self.accounts.aws("secretsmanager").get_secret_value(SecretId=secret)["SecretString"]
        found: str = json.loads(kept)["aws_access_key_id"]
        return found

    def ingest(self) -> None:
        """Ingests as the user, with what its policies allow now, and the configuration that the stack gives out."""
        enforce(self.environment, self.access_key, f"arn:aws:iam::000000000000:user/{USER}")
        config = self.watched.application.outputs["engine_config"]
        sections = {name: config[name] for name in ("aws", "snowflake", "ledger")}
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ACCESS_KEY_ID", self.access_key)
            for pipeline in config["pipelines"]:
                engine = self._engine_of(pipeline=pipeline, application=config["application"], **sections)
                assert engine.run() == [None]

    def rows(self) -> list[int]:
        counts = [f"(SELECT COUNT(DISTINCT N) FROM STATIC.RAW.{table})" for table in TABLES.values()]
        return list(self.environment.query(f"SELECT {', '.join(counts)}", login="admin")[1][0])


def differing(cloud: Cloud, record: Any) -> set[str]:
    found = cloud.read(record.token, record.name, record.id, inputs=record.inputs, properties=record.properties)
    there = found.inputs if found else {}
    return {name for name, value in record.inputs.items() if there.get(name) != value}


@pytest.fixture
def static(
    local_environment: RunningEnvironment, engine_of: Callable[..., EngineWithoutSpark], tmp_path: Path
) -> Iterator[Static]:
    static = Static(local_environment, engine_of, tmp_path)
    yield static
    static.watched.application.destroy()


def test_an_engine_outside_aws_works_under_its_users_policy_from_the_first_up_to_the_end(static: Static) -> None:
    iam = static.environment.client("iam")
    assert {"iam:CreatePolicy", "iam:AttachUserPolicy"} <= static.up()
    assert static.up() == set()
    assert static.drift() == {}
    for name in TABLES:
        static.environment.put_events(name, [{"n": number} for number in range(20)])
    static.ingest()
    assert static.rows() == [20, 20]

    iam.create_policy_version(PolicyArn=POLICY, PolicyDocument=OTHER, SetAsDefault=True)
    with pytest.raises(LedgerForbidden, match="dynamodb:DescribeTable"):
        static.ingest()
    iam.detach_user_policy(UserName=USER, PolicyArn=POLICY)
    assert static.drift() == {"engine-user-policy": {"policy"}, "engine-user-attachment": {"user", "policyArn"}}
    assert static.up() == {"iam:CreatePolicyVersion", "iam:AttachUserPolicy"}
    static.ingest()

    static.watched.application.destroy()
    assert POLICY not in {each["Arn"] for each in iam.list_policies(Scope="Local")["Policies"]}
    assert USER not in {each["UserName"] for each in iam.list_users()["Users"]}
