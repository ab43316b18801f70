"""The deployer's rights against AWS's own reference, and against what no deployer may have."""

import json
import re
from itertools import product
from typing import Any

import pytest
from policy_sentry.shared.iam_data import get_service_prefix_data
from policy_sentry.util.arns import ARN

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import PolicyStatement, policy_document
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds import Scope, arns_by_kind
from firnline_infra.kinds.observability import LOG_GROUP
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.deployer import boundary_arn, deployer_statements, previewer_statements
from firnline_infra.render.bootstrap.key_keeper import key_keeper_statements
from firnline_infra.render.bootstrap.roll_out import ROWS_OF_SHARDS
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import BucketOptions, StreamOptions
from firnline_infra.specification.dead_letters import DeadLetters
from firnline_infra.specification.names import bootstrap_names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.snowflake import ExternalVolume
from firnline_ingest.errors import ConfigError
from firnline_ingest.permissions.narrowing import OWN_ITEMS
from firnline_local.aws.policy import is_allowed
from tests.infra.render.conftest import RUNTIMES, running_on
from tests.infra.specifications import changed

STATE_KEY = "arn:aws:kms:eu-central-1:123456789012:key/11111111-2222-3333-4444-555555555555"
UNBOUND = {"MakeApplication", "FindApplication", "FindLogGroups", "Unbound", "ListDevices"}
UNBOUND |= {"MakeVirtualCluster", "FindVirtualCluster", "MakeCluster", "FindCluster", "LogInToRegistry"}
ROLL_OUT = {"RunEngine", "SeeRuns", "CancelRuns", "TagNewRun", "KeepDeployments", "ReadLogs", "SeeShards", "AskEngine"}
ROLL_OUT |= {"LookForJobs", "StartJob", "SeeJobs", "CancelJob", "TagNewJob", "ReachPods", "SeeSteps", "RunSteps"}
ROLL_OUT |= {"PushImage", "LogInToRegistry"}
OF_AWS = {
    "LetEmrServerlessIn",
    "LetEmrOnEksIn",
    "LetEmrCleanUp",
    "HandOverServiceRole",
}  # roles of AWS's own, and of EMR
ENCRYPTION_CONTEXT = "kms:EncryptionContext:${EncryptionContextKey}"
GLOBAL = {"aws:RequestedRegion", "aws:ResourceAccount", "aws:CalledViaLast"}
READING = re.compile(r"^[a-z0-9-]+:(Get|List|Describe|Decrypt|Query)")


def rendered(statements: tuple[PolicyStatement, ...]) -> list[dict[str, Any]]:
    resolve = lambda value: STATE_KEY if isinstance(value, Reference) else str(value)  # noqa: E731
    found: list[dict[str, Any]] = policy_document(statements, resolve)["Statement"]
    return found


@pytest.fixture(params=["prod", "small", *RUNTIMES])
def spec(request: pytest.FixtureRequest) -> EnvironmentSpec:
    if request.param in RUNTIMES:
        return running_on(RUNTIMES[request.param])
    spec: EnvironmentSpec = request.getfixturevalue(f"{request.param}_spec")
    return spec


@pytest.fixture
def policies(spec: EnvironmentSpec) -> dict[str, list[dict[str, Any]]]:
    blueprint = blueprint_of(spec)
    return {
        "deploy": rendered(deployer_statements(spec, blueprint)),
        "preview": rendered(previewer_statements(spec, blueprint)),
        "boundary": rendered(boundary_statements(spec, blueprint)),
        "keys": rendered(key_keeper_statements(spec, blueprint)),
    }


def reference(action: str) -> dict[str, Any]:
    prefix, _, name = action.partition(":")
    found: dict[str, Any] = get_service_prefix_data(prefix)["privileges"][name]
    return found


def test_every_action_exists_and_can_be_allowed_on_each_resource_of_its_statement(
    policies: dict[str, list[dict[str, Any]]],
) -> None:
    for statement in [each for policy in policies.values() for each in policy]:
        for action in statement["Action"]:
            kinds = get_service_prefix_data(action.partition(":")[0])["resources"]
            forms = [kinds[kind]["arn"] for kind in reference(action)["resource_types"] if kind]
            assert bool(forms) == (statement["Sid"] not in UNBOUND), action
            for resource in [each for each in statement["Resource"] if each != "*"]:
                assert any(ARN(resource).same_resource_type(form) for form in forms), (action, resource)


def test_every_condition_is_one_that_the_action_looks_at(policies: dict[str, list[dict[str, Any]]]) -> None:
    for statement in [each for policy in policies.values() for each in policy]:
        keys = {key for values in statement.get("Condition", {}).values() for key in values} - GLOBAL
        for action in statement["Action"]:
            types = reference(action)["resource_types"]
            kinds = get_service_prefix_data(action.partition(":")[0])["resources"]
            known = {key for entry in types.values() for key in entry["condition_keys"]}
            known |= {key for kind in types if kind for key in kinds[kind]["condition_keys"]}
            tags = {key.partition("/")[0] for key in known if key.startswith("aws:")}
            known |= {key for key in keys if key.startswith("kms:EncryptionContext:") and ENCRYPTION_CONTEXT in known}
            assert {key for key in keys if key not in known and key.partition("/")[0] not in tags} == set(), action


def test_a_star_stands_alone_only_for_what_aws_can_not_narrow(policies: dict[str, list[dict[str, Any]]]) -> None:
    for statement in [each for policy in policies.values() for each in policy]:
        assert ("*" in statement["Resource"]) == (statement["Sid"] in UNBOUND), statement
        assert not any("*" in action for action in statement["Action"]), statement
        if statement["Sid"] in UNBOUND - {"ListDevices"}:  # a list of IAM's, which is in no region
            assert statement["Condition"]


def parent_of(arn: str) -> str:
    """A consumer is in its stream, an association in its cluster."""
    stream = arn.partition("/consumer/")[0]
    return stream.replace("podidentityassociation/", "cluster/").removesuffix("/*")


def test_everything_that_a_resource_asks_for_is_allowed_on_it(
    spec: EnvironmentSpec, policies: dict[str, list[dict[str, Any]]]
) -> None:
    for kind, arns in arns_by_kind(spec, blueprint_of(spec)).items():
        parents = arns if kind.service == "ec2" else tuple(parent_of(arn) for arn in arns)  # EC2 asks for both
        for scope, on in {
            **dict.fromkeys((Scope.OWN, Scope.BOUNDED), arns),
            **dict.fromkeys((Scope.NEW_TAG, Scope.REGION), ("*",)),
            Scope.PARENT: parents,
        }.items():
            for action in kind.actions(scope):
                allowed = {
                    resource
                    for statement in policies["deploy"]
                    if action in statement["Action"]
                    for resource in statement["Resource"]
                }
                assert set(on) <= allowed or allowed == {"*"}, (kind.token, action)


def test_nothing_is_allowed_that_no_resource_asks_for(
    spec: EnvironmentSpec, policies: dict[str, list[dict[str, Any]]]
) -> None:
    asked = {action for kind in arns_by_kind(spec, blueprint_of(spec)) for action in kind.actions()}
    besides = {
        "Empty",
        "ListToEmpty",
        "EmptyUser",
        "ListDevices",
        "HandOverEngineRole",
        "SeeRun",
        *ROLL_OUT,
        "KeyThroughDynamodb",
        "KeyThroughS3",
        "KeyThroughEcr",
        "KeyThroughRedshift",
        "ReachNetwork",
        "CompareKey",
        *OF_AWS,
        "FindCluster",
        "NameEndpoint",
    }
    besides |= {
        "FindApplication",
        "FindVirtualCluster",
        "FindAssociation",
        "RegisterConsumers",
        "ListState",
        "State",
        "StateKey",
    }
    for statement in policies["deploy"]:
        assert statement["Sid"] in besides or set(statement["Action"]) <= asked, statement


def test_the_engines_role_is_handed_to_nobody_where_nobody_asks_for_it() -> None:
    """A job of EMR on EKS names its role, and EKS gets it from whoever makes the association."""
    spec = running_on({**RUNTIMES["emr-eks"], "trust": "pod-identity", "oidc_provider": None, "association": "adopt"})
    assert "iam:PassRole" not in {
        action for statement in deployer_statements(spec, blueprint_of(spec)) for action in statement.actions
    }


def test_a_preview_reads(policies: dict[str, list[dict[str, Any]]]) -> None:
    for statement in policies["preview"]:
        assert all(READING.match(action) for action in statement["Action"]), statement


def test_nobody_here_sees_what_a_secret_a_stream_or_a_table_holds(policies: dict[str, list[dict[str, Any]]]) -> None:
    """But for the ledger, which holds no record: what the engine says of itself (its run, the streams and consumers that it has
    begun), and positions in shards.
    """
    statements = [statement for name in ("deploy", "preview") for statement in policies[name]]
    ledgers = {"SeeRun", "SeeShards", "AskEngine"}
    own = {"ForAllValues:StringEquals": {"dynamodb:LeadingKeys": [OWN_ITEMS]}}
    shards = {"ForAllValues:StringLike": {"dynamodb:LeadingKeys": [ROWS_OF_SHARDS, OWN_ITEMS]}}
    held = {
        (each["Sid"], *each["Action"], json.dumps(each["Condition"])) for each in statements if each["Sid"] in ledgers
    }
    assert ("SeeRun", "dynamodb:GetItem", json.dumps(own)) in held
    assert held <= {
        ("SeeRun", "dynamodb:GetItem", json.dumps(own)),
        ("SeeShards", "dynamodb:Query", json.dumps(shards)),
        ("AskEngine", "dynamodb:UpdateItem", json.dumps(own)),
    }
    actions = {action for each in statements if each["Sid"] not in ledgers for action in each["Action"]}
    assert "secretsmanager:DescribeSecret" in actions
    assert not {action for action in actions if action.startswith("secretsmanager:") and "Value" in action}
    assert not {"kinesis:GetRecords", "kinesis:SubscribeToShard", "dynamodb:GetItem", "dynamodb:Query"} & actions


def test_what_could_widen_a_role_is_fenced_by_the_boundary(
    spec: EnvironmentSpec, policies: dict[str, list[dict[str, Any]]]
) -> None:
    widening = {f"iam:{name}" for name in ("CreateRole", "PutRolePolicy", "CreateUser", "AttachUserPolicy")}
    fenced = [each for each in policies["deploy"] if widening & set(each["Action"])]
    assert fenced
    for statement in fenced:
        assert statement["Condition"]["StringEquals"] == {"iam:PermissionsBoundary": boundary_arn(spec)}
    forbidden = ("AttachRolePolicy", "AttachGroupPolicy", "PutUserPolicy", "SetDefaultPolicyVersion", "CreateAccessKey")
    for statement in policies["deploy"]:
        for action in statement["Action"]:
            removes_it = action.startswith("iam:Delete") and action.endswith("PermissionsBoundary")
            assert not removes_it
            assert not action.endswith(forbidden), action


def test_a_policy_is_written_for_the_engines_user_and_no_other_one_is_attached_to_it(
    spec: EnvironmentSpec, policies: dict[str, list[dict[str, Any]]]
) -> None:
    """Nothing but the ARN keeps a deployer from other policies, its own and the boundary among them: so no part is open."""
    own = "arn:aws:iam::123456789012:policy/firnline/firnline-small-engine"
    written = [
        each for each in policies["deploy"] if {"iam:CreatePolicy", "iam:CreatePolicyVersion"} & {*each["Action"]}
    ]
    attached = [
        each for each in policies["deploy"] if {"iam:AttachUserPolicy", "iam:DetachUserPolicy"} & {*each["Action"]}
    ]
    if blueprint_of(spec).user is None:
        assert written == attached == []
        return
    assert [each["Resource"] for each in written] == [[own]]
    assert [each["Resource"] for each in attached] == [["arn:aws:iam::123456789012:user/firnline-small-engine"]]
    assert [each["Condition"]["ArnEquals"] for each in attached] == [{"iam:PolicyARN": own}]
    assert boundary_arn(spec) != own


def test_the_engines_policy_is_no_boundary(small_spec: EnvironmentSpec) -> None:
    own = "arn:aws:iam::123456789012:policy/firnline/firnline-small-engine"
    with pytest.raises(ConfigError, match="its deployer writes it"):
        blueprint_of(changed(small_spec, "aws.permissions_boundary", own))


def test_neither_role_can_touch_itself_or_the_boundary(
    spec: EnvironmentSpec, policies: dict[str, list[dict[str, Any]]]
) -> None:
    names = bootstrap_names(spec)
    for name in ("deploy", "preview"):
        for statement in policies[name]:
            for resource in [each for each in statement["Resource"] if statement["Sid"] not in OF_AWS]:
                if resource.startswith("arn:aws:iam:"):
                    last = resource.rpartition("/")[2]
                    assert last.startswith(blueprint_of(spec).names.application)
                    assert last not in (names.deployer_role, names.previewer_role, names.boundary)
                    assert "*" not in resource


def passed(spec: EnvironmentSpec) -> set[tuple[str, str]]:
    """Each role that its deployer may hand on, and to whom."""
    statements = rendered(deployer_statements(spec, blueprint_of(spec)))
    return {
        (role.removeprefix("arn:aws:iam::123456789012:role/"), each["Condition"]["StringEquals"]["iam:PassedToService"])
        for each in statements
        if "iam:PassRole" in each["Action"]
        for role in each["Resource"]
    }


def test_the_engines_role_is_handed_only_to_what_runs_it(prod_spec: EnvironmentSpec) -> None:
    assert passed(prod_spec) == {("firnline-prod-engine", "emr-serverless.amazonaws.com")}


def test_who_makes_an_association_hands_the_engines_role_to_pods_alone() -> None:
    assert passed(running_on(RUNTIMES["emr-eks, made"])) == {("firnline-on-engine", "pods.eks.amazonaws.com")}


def test_who_makes_a_cluster_hands_the_service_role_to_emr_and_the_engines_to_machines() -> None:
    assert passed(running_on(RUNTIMES["emr-ec2, made"])) == {
        ("firnline-on-engine", "ec2.amazonaws.com"),
        ("EMR_DefaultRole", "elasticmapreduce.amazonaws.com"),
    }


def test_only_what_goes_with_its_environment_may_be_emptied(
    prod_spec: EnvironmentSpec, small_spec: EnvironmentSpec
) -> None:
    def emptying(spec: EnvironmentSpec) -> list[str]:
        return [each.sid for each in deployer_statements(spec, blueprint_of(spec)) if "Empty" in each.sid]

    assert emptying(prod_spec) == []
    assert emptying(small_spec) == ["EmptyUser", "ListToEmpty", "Empty"]


@pytest.mark.parametrize("bucket", [BucketOptions(), BucketOptions(origin=Origin.ADOPT, name="acme-data")])
@pytest.mark.parametrize("letters", [DeadLetters(), DeadLetters(stream="letters")])
def test_the_boundary_holds_everything_that_the_roles_are_given(
    prod_spec: EnvironmentSpec, bucket: BucketOptions, letters: DeadLetters
) -> None:
    streams = [*prod_spec.streams, StreamOptions(name="letters")]
    spec = changed(changed(prod_spec, "aws.key.arn", Arns(prod_spec).key("1a2b")), "aws.bucket", bucket)
    spec = spec.model_copy(update={"streams": streams, "dead_letters": letters})
    blueprint = blueprint_of(spec)
    made_later = {
        "secret/ingest": Arns(spec).secret(blueprint.names.ingest_secret).replace("?", "a"),
    }
    within = rendered(boundary_statements(spec, blueprint))
    context = {"aws:ResourceAccount": spec.aws.account, "aws:RequestedRegion": spec.aws.region}
    assert blueprint.role is not None
    for role in (blueprint.role, *(volume.role for volume in blueprint.volumes)):
        for statement in role.statements:
            for action, given in product(statement.actions, statement.resources):
                arn = made_later[given.of] if isinstance(given, Reference) else str(given)
                assert is_allowed(within, action, arn, context), (action, arn)


@pytest.mark.parametrize(
    ("name", "allowed"),
    [("firnline-prod/snowflake/ingest-AbCdEf", "firnline-prod/snowflake/ingest-??????"), ("own-1a2b3c",) * 2],
)
def test_a_secret_that_is_made_anew_is_within_the_same_rights(
    prod_spec: EnvironmentSpec, name: str, allowed: str
) -> None:
    secret = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:"
    spec = changed(prod_spec, "snowflake.ingest.secret_arn", secret + name)
    statements = {
        each.sid: each
        for policy in (deployer_statements, boundary_statements, key_keeper_statements)
        for each in policy(spec, blueprint_of(spec))
    }
    for sid in ("OwnSecret", "WithinSecretsmanager", "KeepPrivateKeys"):
        assert secret + allowed in statements[sid].resources


def test_what_is_asked_for_by_name_is_allowed_as_the_service_asks_about_it(prod_spec: EnvironmentSpec) -> None:
    """A consumer has no time then, a secret that is not there no letters, and a log group's streams lie below it."""
    streams = [each.model_copy(update={"consumers": ["fraud"]}) for each in prod_spec.streams[:1]]
    spec = prod_spec.model_copy(update={"streams": [*streams, *prod_spec.streams[1:]]})
    blueprint = blueprint_of(spec)
    assert blueprint.role is not None
    (log_group,) = LOG_GROUP.instances(blueprint)
    policies = {
        "deploy": rendered(deployer_statements(spec, blueprint)),
        "preview": rendered(previewer_statements(spec, blueprint)),
        "keys": rendered(key_keeper_statements(spec, blueprint)),
        "engine": rendered(blueprint.role.statements),
        "boundary": rendered(boundary_statements(spec, blueprint)),
    }
    at = lambda service, rest: f"arn:aws:{service}:eu-central-1:123456789012:{rest}"  # noqa: E731
    consumer = at("kinesis", f"stream/{spec.streams[0].name}/consumer/fraud")
    secret = at("secretsmanager", f"secret:{blueprint.names.ingest_secret}")
    group = at("logs", f"log-group:{LOG_GROUP.name(log_group)}:log-stream:")
    asked = {
        ("deploy", "kinesis:DescribeStreamConsumer"): (consumer, f"{consumer}:1700000000"),
        ("preview", "kinesis:DescribeStreamConsumer"): (consumer, f"{consumer}:1700000000"),
        ("boundary", "kinesis:DescribeStreamConsumer"): (consumer, f"{consumer}:1700000000"),
        ("deploy", "kinesis:StartStreamEncryption"): (at("kinesis", f"stream/{spec.streams[0].name}"), STATE_KEY),
        ("deploy", "secretsmanager:CreateSecret"): (secret, f"{secret}-AbCdEf"),
        ("deploy", "secretsmanager:DescribeSecret"): (secret, f"{secret}-AbCdEf"),
        ("preview", "secretsmanager:DescribeSecret"): (secret, f"{secret}-AbCdEf"),
        ("keys", "secretsmanager:DescribeSecret"): (secret, f"{secret}-AbCdEf"),
        ("keys", "secretsmanager:CreateSecret"): (secret, f"{secret}-AbCdEf"),
        ("engine", "logs:DescribeLogStreams"): (group,),
        ("boundary", "logs:DescribeLogStreams"): (group,),
        ("engine", "logs:PutLogEvents"): (f"{group}job",),
    }
    context = {"aws:ResourceAccount": spec.aws.account, "aws:RequestedRegion": spec.aws.region}
    refused = {
        (policy, action, arn)
        for (policy, action), arns in asked.items()
        for arn in arns
        if not is_allowed(policies[policy], action, arn, context)
    }
    assert refused == set()
    assert not is_allowed(policies["keys"], "secretsmanager:DescribeSecret", f"{secret}-other", context)


@pytest.mark.parametrize(
    ("action", "arn"),
    [
        ("secretsmanager:GetSecretValue", "arn:aws:secretsmanager:eu-central-1:123456789012:secret:payroll-AbCdEf"),
        ("dynamodb:GetItem", "arn:aws:dynamodb:eu-central-1:123456789012:table/payroll"),
        ("s3:GetObject", "arn:aws:s3:::payroll/january"),
        ("s3:ListBucket", "arn:aws:s3:::payroll"),
        ("kinesis:PutRecords", "arn:aws:kinesis:eu-central-1:123456789012:stream/orders"),
        ("iam:CreateRole", "arn:aws:iam::123456789012:role/payroll"),
        ("sts:AssumeRole", "arn:aws:iam::123456789012:role/payroll"),
    ],
)
def test_the_boundary_holds_nothing_of_others(prod_spec: EnvironmentSpec, action: str, arn: str) -> None:
    within = rendered(boundary_statements(prod_spec, blueprint_of(prod_spec)))
    assert not is_allowed(within, action, arn, {"aws:ResourceAccount": prod_spec.aws.account})


def test_a_boundary_that_gets_too_long_is_refused_with_what_to_do(prod_spec: EnvironmentSpec) -> None:
    volumes = [ExternalVolume(name=f"LAKE_{number}") for number in range(50)]
    spec = changed(prod_spec, "snowflake.external_volumes", volumes)
    with pytest.raises(ConfigError, match=r"firnline-prod-boundary would have about .*aws\.permissions_boundary"):
        boundary_statements(spec, blueprint_of(spec))


def test_state_is_reached_with_four_actions(policies: dict[str, list[dict[str, Any]]]) -> None:
    state = [each for each in policies["deploy"] if each["Sid"] in ("ListState", "State")]
    actions = {action for statement in state for action in statement["Action"]}
    assert actions == {"s3:ListBucket", "s3:GetObject", "s3:PutObject", "s3:DeleteObject"}


def test_in_china_the_engines_role_is_handed_over_by_either_name_of_the_service() -> None:
    """Else no cluster of EMR could be made there: the role trusts EC2 by the name that ends in .cn."""
    at_home = running_on(RUNTIMES["emr-ec2, made"])
    there = at_home.aws.model_copy(update={"region": "cn-north-1", "partition": "aws-cn"})
    spec = at_home.model_copy(update={"aws": there})
    said = {each["Sid"]: each for each in rendered(deployer_statements(spec, blueprint_of(spec)))}
    for sid, key, service in (
        ("HandOverEngineRole", "iam:PassedToService", "ec2.amazonaws.com"),
        ("HandOverServiceRole", "iam:PassedToService", "elasticmapreduce.amazonaws.com"),
        ("LetEmrCleanUp", "iam:AWSServiceName", "elasticmapreduce.amazonaws.com"),
    ):
        assert said[sid]["Condition"] == {"StringEquals": {key: [service, f"{service}.cn"]}}
    linked = "arn:aws-cn:iam::123456789012:role/aws-service-role"
    assert said["LetEmrCleanUp"]["Resource"] == [
        f"{linked}/elasticmapreduce.amazonaws.com{end}/AWSServiceRoleForEMRCleanup" for end in ("", ".cn")
    ]
