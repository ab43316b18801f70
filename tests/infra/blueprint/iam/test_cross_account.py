"""Streams elsewhere: the engine may assume exactly their roles, and what the owner makes opens the stream to it alone."""

import json
import shlex
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.cross_account import handed_over
from firnline_infra.blueprint.engine_config import engine_config, engine_inputs
from firnline_infra.blueprint.engine_policy import engine_policy
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.blueprint.iam.cross_account import owners_policy, owners_resource_policy, owners_trust
from firnline_infra.blueprint.network import egress
from firnline_infra.environment import Environment
from firnline_infra.kinds import observability
from firnline_infra.kinds.observability import ALARM, DASHBOARD
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.deployer import deployer_statements
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.config.access import Access
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig
from firnline_local.aws.policy import hold, is_allowed
from tests.infra.specifications import pipeline, smallest

ROLE = "arn:aws:iam::222233334444:role/readers/firnline-orders"
THEIRS = "arn:aws:kinesis:us-east-1:222233334444:stream/orders"
KEY = "arn:aws:kms:us-east-1:222233334444:key/1-2"
OURS_THERE = "arn:aws:kinesis:eu-west-1:123456789012:stream/clicks"
KEY_THERE = "arn:aws:kms:eu-west-1:123456789012:key/3-4"
ENGINE = "arn:aws:iam::123456789012:role/firnline-dev-engine"
PARTNER = {
    "name": "orders",
    "origin": "adopt",
    "arn": THEIRS,
    "role_arn": ROLE,
    "external_id": "firnline-4f1c",
    "key_arn": KEY,
}
REGION = {"name": "clicks", "origin": "adopt", "arn": OURS_THERE, "key_arn": KEY_THERE}
HERE = {"name": "views"}
READ = ("DescribeStreamSummary", "ListShards", "GetShardIterator", "GetRecords")


def spec_of(*streams: dict[str, Any], **more: Any) -> EnvironmentSpec:
    return smallest(streams=list(streams), pipelines=[pipeline(each["name"]) for each in streams], **more)


@pytest.fixture
def spec() -> EnvironmentSpec:
    return spec_of(PARTNER, REGION, HERE)


def engine(spec: EnvironmentSpec) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = policy_document(engine_policy(Environment.of(spec), None))["Statement"]
    return found


def test_the_engine_may_assume_exactly_the_role_and_has_no_right_of_its_own_there(spec: EnvironmentSpec) -> None:
    statements = engine(spec)
    assert is_allowed(statements, "sts:AssumeRole", ROLE)
    for other in (ROLE + "2", "arn:aws:iam::222233334444:role/admin", "arn:aws:iam::123456789012:role/admin"):
        assert not is_allowed(statements, "sts:AssumeRole", other)
    assert not any(is_allowed(statements, f"kinesis:{action}", THEIRS) for action in READ)
    assert not any(KEY in each.get("Resource", []) for each in statements)


PODS = {"trust": "pod-identity", "cluster": "platform", "namespace": "ingest", "service_account": "engine"}


@pytest.mark.parametrize(("runtime", "tags"), [({}, False), (PODS, True)], ids=["EMR Serverless", "Pod Identity"])
def test_tags_of_a_pod_s_session_go_with_it_into_the_role_s(runtime: dict[str, str], tags: bool) -> None:
    """They are transitive: without sts:TagSession in the engine's policy and in the trust the role is refused."""
    here = {"region": "eu-central-1", "account": "123456789012", "runtime": runtime}
    spec = spec_of(PARTNER, aws=here)
    assert is_allowed(engine(spec), "sts:TagSession", ROLE) is tags
    assert ("sts:TagSession" in owners_trust(Environment.of(spec), Environment.of(spec).sources[0]).actions) is tags
    boundary = policy_document(boundary_statements(blueprint_of(spec)))["Statement"]
    assert is_allowed(boundary, "sts:TagSession", ROLE) is tags


def test_a_stream_of_another_region_is_read_with_the_engines_own_rights_and_its_key_there(
    spec: EnvironmentSpec,
) -> None:
    statements = engine(spec)
    assert all(is_allowed(statements, f"kinesis:{action}", OURS_THERE) for action in READ)
    through = {
        "kms:ViaService": "kinesis.eu-west-1.amazonaws.com",
        "kms:EncryptionContext:aws:kinesis:arn": OURS_THERE,
    }
    assert is_allowed(statements, "kms:Decrypt", KEY_THERE, through)
    here = {**through, "kms:ViaService": "kinesis.eu-central-1.amazonaws.com"}
    assert not is_allowed(statements, "kms:Decrypt", KEY_THERE, here)


def test_the_ledger_has_items_of_every_stream_wherever_it_is(spec: EnvironmentSpec) -> None:
    (kept,) = [each for each in engine(spec) if each["Sid"] == "KeepLedger"]
    (partitions,) = kept["Condition"]["ForAllValues:StringLike"].values()
    assert {"orders@*", "clicks@*", "views@*"} <= set(partitions)


def test_an_environment_whose_streams_are_all_elsewhere_says_nothing_of_streams_of_its_own() -> None:
    sids = {each["Sid"] for each in engine(spec_of(PARTNER))}
    assert "AssumeStreamRoles" in sids
    assert not {"ReadStreams", "DecryptStreams"} & sids


def test_the_boundary_lets_no_role_be_assumed_that_it_does_not_name(spec: EnvironmentSpec) -> None:
    """A pull request that names another role changes nothing until an administrator has applied the bootstrap again."""
    found = policy_document(boundary_statements(blueprint_of(spec)))["Statement"]
    assert is_allowed(found, "sts:AssumeRole", ROLE)
    assert not is_allowed(found, "sts:AssumeRole", "arn:aws:iam::123456789012:role/admin")
    told = {"aws:ResourceAccount": "123456789012"}
    assert is_allowed(found, "kinesis:GetRecords", OURS_THERE, told)
    assert not is_allowed(found, "kinesis:GetRecords", OURS_THERE + "2", told)
    before = policy_document(boundary_statements(blueprint_of(spec_of(HERE))))["Statement"]
    assert not any("sts:AssumeRole" in each["Action"] for each in before)


def test_who_deploys_may_neither_assume_the_role_nor_look_there(spec: EnvironmentSpec) -> None:
    found = deployer_statements(blueprint_of(spec))
    assert not any("sts:AssumeRole" in each.actions for each in found)
    assert not any(str(arn).startswith((THEIRS, OURS_THERE)) for each in found for arn in each.resources)


def test_the_owners_role_opens_the_stream_and_its_key_and_nothing_else(spec: EnvironmentSpec) -> None:
    statements = policy_document(owners_policy(Environment.of(spec).sources[0]))["Statement"]
    assert all(is_allowed(statements, f"kinesis:{action}", THEIRS) for action in READ)
    assert {action for each in statements for action in each["Action"]} == {
        *(f"kinesis:{each}" for each in READ),
        "kms:Decrypt",
    }
    assert {arn for each in statements for arn in each["Resource"]} == {THEIRS, KEY}
    through = {"kms:ViaService": "kinesis.us-east-1.amazonaws.com", "kms:EncryptionContext:aws:kinesis:arn": THEIRS}
    assert is_allowed(statements, "kms:Decrypt", KEY, through)
    assert not is_allowed(statements, "kms:Decrypt", KEY, {**through, "kms:EncryptionContext:aws:kinesis:arn": "x"})


def test_the_owners_role_trusts_the_engine_alone_and_asks_for_the_external_id(spec: EnvironmentSpec) -> None:
    trust = policy_document((owners_trust(Environment.of(spec), Environment.of(spec).sources[0]),))["Statement"][0]
    assert trust["Principal"] == {"AWS": "arn:aws:iam::123456789012:root"}
    told = {"aws:PrincipalArn": ENGINE, "sts:ExternalId": "firnline-4f1c"}
    assert hold(trust["Condition"], told)
    for change in ({"aws:PrincipalArn": ENGINE + "2"}, {"sts:ExternalId": "other"}):
        assert not hold(trust["Condition"], {**told, **change})
    assert not hold(trust["Condition"], {"aws:PrincipalArn": ENGINE})


def test_what_is_handed_over_is_two_commands_that_a_shell_takes_apart_again(spec: EnvironmentSpec) -> None:
    (text,) = handed_over(Environment.of(spec))
    make, put = [shlex.split(line) for line in text.splitlines() if not line.startswith("#")]
    assert make[:7] == ["aws", "iam", "create-role", "--role-name", "firnline-orders", "--path", "/readers/"]
    assert json.loads(make[-1]) == policy_document(
        (owners_trust(Environment.of(spec), Environment.of(spec).sources[0]),)
    )
    assert json.loads(put[-1]) == policy_document(owners_policy(Environment.of(spec).sources[0]))
    assert ENGINE in text
    assert "are in your CloudWatch alone" in text
    assert list(handed_over(Environment.of(spec_of(HERE)))) == []


def test_a_role_of_many_streams_gets_policies_that_iam_takes() -> None:
    """Inline policies of a role have 10,240 characters together, and a name 128 (IAM quotas)."""
    names = [f"orders-{number}".ljust(128, "x") for number in range(20)]
    many = [{**PARTNER, "name": name, "arn": THEIRS.replace("orders", name)} for name in names]
    puts = [
        shlex.split(line)
        for line in next(handed_over(Environment.of(spec_of(*many)))).splitlines()
        if "put-role-policy" in line
    ]
    documents = [put[put.index("--policy-document") + 1] for put in puts]
    assert sum(map(len, documents)) <= 10_240
    assert all(len(put[put.index("--policy-name") + 1]) <= 128 for put in puts)
    assert len({put[put.index("--policy-name") + 1] for put in puts}) == len(puts)
    statements = [each for document in documents for each in json.loads(document)["Statement"]]
    assert all(is_allowed(statements, f"kinesis:{action}", each["arn"]) for action in READ for each in many)
    through = {"kms:ViaService": "kinesis.us-east-1.amazonaws.com"}
    for each in many:
        of_it = {**through, "kms:EncryptionContext:aws:kinesis:arn": each["arn"]}
        assert is_allowed(statements, "kms:Decrypt", KEY, of_it)


def test_the_engine_is_told_where_it_is_and_who_opens_it(spec: EnvironmentSpec) -> None:
    document = engine_config(Environment.of(spec), engine_inputs(Environment.of(spec)))
    access = {each["stream"]: each.get("access") for each in document["pipelines"]}
    role = {"arn": ROLE, "session_name": "firnline-dev", "external_id": "firnline-4f1c"}
    assert access == {
        "orders": {"region": "us-east-1", "roles": [role]},
        "clicks": {"region": "eu-west-1"},
        "views": None,
    }
    plain = json.loads(json.dumps(document, default=str))
    read = parse(
        EngineConfig, {**plain, "snowflake": {**plain["snowflake"], "private_key": {"env": "K"}}}, "engine.json"
    )
    assert read.access_of("orders").roles[0].external_id == "firnline-4f1c"


def test_alarms_here_are_those_that_can_ring_here() -> None:
    network = {"subnets": ["subnet-0a1b2c3d4e5f60718"], "security_group": {"vpc": "vpc-0a1b2c3d4e5f60718"}}
    aws = {"runtime": {"emr_serverless": {**network, "log_group": "firnline"}}}
    topics = ["arn:aws:sns:eu-central-1:123456789012:oncall"]
    spec = spec_of(PARTNER, HERE, aws=aws, alarms={"topics": topics}, metrics={"dashboard": True})
    rows = [row for made in observability.rows(Environment.of(spec)) for row in made.resources()]
    names = {row.arguments["alarm_name"] for row in rows if row.type == ALARM.terraform_type}
    assert {"firnline-dev-views-lag", "firnline-dev-orders-time-to-trim"} <= names
    assert not {"firnline-dev-orders-lag", "firnline-dev-orders-throttled"} & names
    (body,) = [row.arguments["dashboard_body"] for row in rows if row.type == DASHBOARD.terraform_type]
    counted = [line for each in json.loads(body)["widgets"] for line in each["properties"].get("metrics", ())]
    assert {line[3] for line in counted if line[0] == "AWS/Kinesis"} == {"views"}


def test_the_way_to_kinesis_of_the_other_region_is_on_the_list(spec: EnvironmentSpec) -> None:
    hosts = {each.host: each.needed_by for each in egress(Environment.of(spec))}
    assert {"kinesis.us-east-1.amazonaws.com", "kinesis.eu-west-1.amazonaws.com"} <= hosts.keys()


def test_more_streams_than_a_role_has_room_for_are_told() -> None:
    names = [f"orders-{number}".ljust(128, "x") for number in range(60)]
    many = [{**PARTNER, "name": name, "arn": THEIRS.replace("orders", name)} for name in names]
    assert "share them among roles" in next(handed_over(Environment.of(spec_of(*many))))


def test_a_stream_that_its_own_policy_opens_is_named_by_both_policies_and_by_each_request() -> None:
    """Both policies have to allow a call into another account: the caller's, and the resource's."""
    stream = {name: value for name, value in PARTNER.items() if name not in ("role_arn", "external_id")}
    spec = spec_of(stream, HERE)
    statements = engine(spec)
    theirs = policy_document(owners_resource_policy(Environment.of(spec), Environment.of(spec).sources[0]))["Statement"]
    for action in READ:
        assert is_allowed(statements, f"kinesis:{action}", THEIRS)
        assert not is_allowed(statements, f"kinesis:{action}", THEIRS + "2")
        assert is_allowed(theirs, f"kinesis:{action}", THEIRS, {"aws:PrincipalArn": ENGINE})
        assert not is_allowed(theirs, f"kinesis:{action}", THEIRS, {"aws:PrincipalArn": ENGINE + "2"})
    bounds = policy_document(boundary_statements(blueprint_of(spec)))["Statement"]
    of_theirs = {"aws:ResourceAccount": "222233334444"}  # AWS has it in every request
    assert all(is_allowed(bounds, f"kinesis:{action}", THEIRS, of_theirs) for action in READ)
    assert is_allowed(bounds, "kms:Decrypt", KEY, of_theirs)
    assert not is_allowed(bounds, "kinesis:GetRecords", THEIRS + "2", of_theirs)
    assert not is_allowed(bounds, "dynamodb:GetItem", "arn:aws:dynamodb:eu-central-1:222233334444:table/x", of_theirs)
    assert [each["Principal"] for each in theirs] == [{"AWS": "arn:aws:iam::123456789012:root"}]
    assert not is_allowed(statements, "sts:AssumeRole", ROLE)

    pipelines = engine_config(Environment.of(spec), engine_inputs(Environment.of(spec)))["pipelines"]
    access = Access.model_validate(next(each for each in pipelines if each["stream"] == "orders")["access"])
    assert (access.arn, access.stream_region, access.roles) == (THEIRS, "us-east-1", [])
    (text,) = handed_over(Environment.of(spec))
    assert shlex.split(text.splitlines()[1])[:7] == [
        *("aws", "kinesis", "put-resource-policy", "--region", "us-east-1", "--resource-arn", THEIRS)
    ]
    assert f"The policy of {KEY} has to let {ENGINE} decrypt." in text, (
        "no policy of IAM alone opens another account's key"
    )
    hosts = {each.host for each in egress(Environment.of(spec))}
    assert {f"222233334444.{kind}-kinesis.us-east-1.amazonaws.com" for kind in ("data", "control")} <= hosts
    assert "kinesis.us-east-1.amazonaws.com" in hosts, "a listing that goes on carries no ARN"
