"""A stream of a second account and region, read through its role under the rendered policies of both sides alone."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from botocore.exceptions import ClientError

from firnline_infra.blueprint.engine_config import engine_config, engine_inputs
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.cross_account import engine_arn, owners_policy, owners_trust
from firnline_infra.environment import Environment
from firnline_infra.specification import EnvironmentSpec, parse_spec
from firnline_ingest.config.access import Access
from firnline_ingest.config.running import PollingConfig
from firnline_ingest.errors import CredentialsError
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.kinesis.reader import ShardReader
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.values import ShardKey
from firnline_local.kinesis import FakeKinesis, cbor
from firnline_local.kinesis.server import KinesisServer, Listener
from tests.contract.aws.conftest import ACCOUNT, KEY, Account
from tests.iam.aws import EnforcingApplication
from tests.iam.kinesis import EnforcingFace

ROLE = "partner-orders"
ROLE_ARN = f"arn:aws:iam::{ACCOUNT}:role/{ROLE}"
SPEC = {
    "version": 1,
    "name": "dev",
    "aws": {"region": "eu-central-1", "account": "111122223333"},
    "snowflake": {"account": "ORG-ACCOUNT", "warehouse": "SMALL"},
    "streams": [
        {
            "name": "orders",
            "origin": "adopt",
            "arn": f"arn:aws:kinesis:us-east-1:{ACCOUNT}:stream/orders",
            "role_arn": ROLE_ARN,
            "external_id": "firnline-4f1c",
        }
    ],
    "pipelines": [{"stream": "orders", "database": "LAKE", "schema": "RAW"}],
}
Statements = list[dict[str, Any]]


class Partner:
    """The owner's account: a role as `firnline cross-account` says it, and two streams."""

    def __init__(self, spec: EnvironmentSpec, account: Account, application: EnforcingApplication) -> None:
        self.spec, self.account, self._application = spec, account, application
        self.kinesis = FakeKinesis(account_id=ACCOUNT, region="us-east-1")
        for name in ("orders", "salaries"):
            self.kinesis.create_stream(name)
        self.face = EnforcingFace(self.kinesis)
        self.endpoint = ""

    def has_the_role(self) -> None:
        iam = self.account.client("iam")
        if ROLE not in {each["RoleName"] for each in iam.list_roles()["Roles"]}:
            environment = Environment.of(self.spec)
            trust = json.dumps(policy_document((owners_trust(environment, environment.sources[0]),)))
            iam.create_role(RoleName=ROLE, AssumeRolePolicyDocument=trust)

    def lets(self, key: str, statements: Statements, principal: str) -> None:
        """Under these policies alone, at STS and at Kinesis."""
        body = json.dumps({"access_key": key, "principal": principal, "statements": statements}).encode()
        self._application.authorizer.callers.from_json(body)
        self.face.callers.from_json(body)

    def client(self, **changes: Any) -> Any:
        """Returns a client as the engine's configuration has it."""
        document = engine_config(Environment.of(self.spec), engine_inputs(Environment.of(self.spec)))["pipelines"][0][
            "access"
        ]
        access = Access.model_validate({**document, "endpoint": self.endpoint, **changes})
        return kinesis_client(self.account.config(), access=access)

    def session(self, client: Any) -> None:
        """From now on the session may do what the role's policy says, and no more."""
        key = client._request_signer._credentials.get_frozen_credentials().access_key
        policy = policy_document(owners_policy(Environment.of(self.spec).sources[0]))["Statement"]
        self.lets(key, policy, f"arn:aws:sts::{ACCOUNT}:assumed-role/{ROLE}/firnline-dev")


@pytest.fixture
def spec() -> EnvironmentSpec:
    return parse_spec(yaml.safe_dump(SPEC), "dev.yaml")


@pytest.fixture
def rendered(spec: EnvironmentSpec) -> Statements:
    found: Statements = policy_document(engine_policy(Environment.of(spec), None))["Statement"]
    return found


@pytest.fixture
def partner(spec: EnvironmentSpec, account: Account, application: EnforcingApplication) -> Iterator[Partner]:
    partner = Partner(spec, account, application)
    partner.has_the_role()
    server = KinesisServer(partner.kinesis)
    server._listener = Listener(partner.face)
    with server:
        partner.endpoint = server.endpoint
        yield partner


def test_it_is_read_through_the_role_and_nothing_beside_it(partner: Partner, rendered: Statements) -> None:
    partner.lets(KEY, rendered, engine_arn(Environment.of(partner.spec)))
    client = partner.client()
    partner.session(client)
    shard = next(iter(read_lineage(client, "orders").shards))
    iterator = client.get_shard_iterator(StreamName="orders", ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    assert client.get_records(ShardIterator=iterator["ShardIterator"])
    with pytest.raises(ClientError, match=r"kinesis:ListShards on resource: .*stream/salaries"):
        client.list_shards(StreamName="salaries")


def test_without_the_role_the_engine_is_refused_by_the_stream(partner: Partner, rendered: Statements) -> None:
    partner.lets(KEY, rendered, engine_arn(Environment.of(partner.spec)))
    with pytest.raises(ClientError, match="kinesis:ListShards"):
        partner.client(roles=[]).list_shards(StreamName="orders")


def test_without_the_right_to_assume_it_the_engine_is_refused_by_sts(partner: Partner, rendered: Statements) -> None:
    others = [each for each in rendered if each["Sid"] != "AssumeStreamRoles"]
    assert len(others) == len(rendered) - 1
    partner.lets(KEY, others, engine_arn(Environment.of(partner.spec)))
    with pytest.raises(CredentialsError, match="no identity-based policy allows the sts:AssumeRole action"):
        partner.client().list_shards(StreamName="orders")


@pytest.mark.parametrize("who", ["other-engine", "admin"])
def test_another_role_of_the_engines_account_is_refused_whatever_it_may(partner: Partner, who: str) -> None:
    everything = [{"Effect": "Allow", "Action": "*", "Resource": "*"}]
    partner.lets(KEY, everything, f"arn:aws:iam::111122223333:role/{who}")
    with pytest.raises(CredentialsError):
        partner.client().list_shards(StreamName="orders")


def test_the_external_id_is_asked_for(partner: Partner, rendered: Statements) -> None:
    partner.lets(KEY, rendered, engine_arn(Environment.of(partner.spec)))
    with pytest.raises(CredentialsError):
        partner.client(roles=[{"arn": ROLE_ARN}]).list_shards(StreamName="orders")


def fields_of(request: Any) -> Any:
    """Returns the fields of a request, in whichever form."""
    is_cbor = request.headers["Content-Type"] in (cbor.CONTENT_TYPE, cbor.CONTENT_TYPE.encode())
    return cbor.decode(request.body) if is_cbor else json.loads(request.body)


def test_a_stream_that_its_own_policy_opens_is_read_by_its_arn(account: Account) -> None:
    """With the engine's own rights: each call names the stream by its ARN, as a stream of another account has to be."""
    stream = {name: value for name, value in SPEC["streams"][0].items() if name not in ("role_arn", "external_id")}
    spec = parse_spec(yaml.safe_dump({**SPEC, "streams": [stream]}), "dev.yaml")
    statements = policy_document(engine_policy(Environment.of(spec), None))["Statement"]
    kinesis = FakeKinesis(account_id=ACCOUNT, region="us-east-1")
    kinesis.create_stream("orders").put({"n": 1})
    face, asked = EnforcingFace(kinesis), list[tuple[str, Any]]()
    face.callers.from_json(
        json.dumps(
            {"access_key": KEY, "principal": engine_arn(Environment.of(spec)), "statements": statements}
        ).encode()
    )
    server = KinesisServer(kinesis)
    server._listener = Listener(face)
    with server:
        document = engine_config(Environment.of(spec), engine_inputs(Environment.of(spec)))["pipelines"][0]["access"]
        client = kinesis_client(account.config(), access=Access(**document, endpoint=server.endpoint))
        client.meta.events.register(
            "before-send.kinesis.*", lambda request, **_: asked.append((request.url, fields_of(request)))
        )
        lineage = read_lineage(client, "orders")
        (shard,) = lineage.shards
        key = ShardKey("orders", lineage.stream_created_ms, shard)
        found = ShardReader(client, key, TrimHorizon(), PollingConfig()).read(lambda _: False)
    assert found is not None
    assert [record.Data for record in found.records] == [b'{"n":1}']
    assert {body.get("StreamARN") for _, body in asked} == {stream["arn"]}
    assert not any("StreamName" in body for _, body in asked)
