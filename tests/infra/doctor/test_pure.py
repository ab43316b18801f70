"""Each check against answers that its service's model takes (botocore's Stubber); none goes over the network."""

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import Any

import boto3
import pytest
from botocore.stub import ANY, Stubber

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.network import Destination, Party
from firnline_infra.doctor import limits, machine, network, rights
from firnline_infra.doctor.suite import DOCTOR
from firnline_infra.render.bootstrap.deployer import STATE_KEY_ARN, deployer_statements
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.checks import Finding, Report, Verdict, good, unknown, wrong
from tests.infra.specifications import pipeline, smallest

ROLE = "arn:aws:iam::111122223333:role/deploy-firnline-dev"
SESSION = "arn:aws:sts::111122223333:assumed-role/deploy-firnline-dev/ci"
STREAMS: list[dict[str, Any]] = [{"name": "orders", "shards": 8, "consumers": ["fraud"]}, {"name": "clicks"}]


@pytest.fixture
def spec() -> EnvironmentSpec:
    aws = {"account": "111122223333", "key": {"origin": "skip"}}
    pipelines = [pipeline(each["name"]) for each in STREAMS]
    return smallest(aws=aws, snowflake={"account": "ACME-DEV"}, streams=STREAMS, pipelines=pipelines)


@pytest.fixture
def blueprint(spec: EnvironmentSpec) -> Blueprint:
    return blueprint_of(spec)


def stubbed(service: str, *answers: tuple[str, dict[str, Any]], error: tuple[str, str] | None = None) -> Any:
    client = boto3.client(service, region_name="eu-central-1")  # type: ignore[call-overload] # the name is data
    stubber = Stubber(client)
    for operation, answer in answers:
        stubber.add_response(operation, answer)
    if error is not None:
        stubber.add_client_error(error[0], error[1], error[1])
    stubber.activate()
    return client


def verdicts(found: Iterable[Finding]) -> dict[str, Verdict]:
    return {each.object: each.verdict for each in found}


def simulated(action: str, decision: str, **more: Any) -> dict[str, Any]:
    return {"EvalActionName": action, "EvalDecision": decision, **more}


def simulation(spec: EnvironmentSpec, blueprint: Blueprint, refused: dict[str, dict[str, Any]]) -> Any:
    """An answer to each request, page by page where something is refused."""
    client = boto3.client("iam", region_name="eu-central-1")
    stubber = Stubber(client)
    for statement in deployer_statements(blueprint):
        if STATE_KEY_ARN in statement.resources:
            continue
        results = [refused.get(action, simulated(action, "allowed")) for action in statement.actions]
        wanted = {"PolicySourceArn": ROLE, "ActionNames": list(statement.actions), "ResourceArns": ANY}
        first = {**wanted, "ContextEntries": ANY}
        stubber.add_response(
            "simulate_principal_policy",
            {
                "EvaluationResults": results[:1],
                "IsTruncated": len(results) > 1,
                **({"Marker": "m"} if results[1:] else {}),
            },
            first,
        )
        if results[1:]:
            stubber.add_response(
                "simulate_principal_policy", {"EvaluationResults": results[1:]}, {**first, "Marker": "m"}
            )
    stubber.activate()
    return client, stubber


def test_each_action_that_deploying_asks_for_is_simulated_for_the_role_of_a_session(
    spec: EnvironmentSpec, blueprint: Blueprint
) -> None:
    client, stubber = simulation(spec, blueprint, {})
    (found,) = rights.rights(blueprint, client, SESSION)
    stubber.assert_no_pending_responses()
    assert (found.verdict, found.object) == (Verdict.GOOD, f"rights of {ROLE}")


def test_an_action_that_is_denied_is_told_with_why(spec: EnvironmentSpec, blueprint: Blueprint) -> None:
    beyond = {"PermissionsBoundaryDecisionDetail": {"AllowedByPermissionsBoundary": False}}
    refused = {
        "kinesis:CreateStream": simulated("kinesis:CreateStream", "implicitDeny"),
        "dynamodb:CreateTable": simulated("dynamodb:CreateTable", "explicitDeny"),
        "s3:CreateBucket": simulated("s3:CreateBucket", "implicitDeny", **beyond),
    }
    client, _ = simulation(spec, blueprint, refused)
    said = {each.object.split()[0]: each.found for each in rights.rights(blueprint, client, SESSION) if each.next_step}
    assert said.keys() == refused.keys()
    assert said["kinesis:CreateStream"].startswith("is allowed by no policy on arn:aws:kinesis:")
    assert said["dynamodb:CreateTable"].startswith("is denied by a policy")
    assert said["s3:CreateBucket"].startswith("is beyond the permissions boundary")


@pytest.mark.parametrize(("code", "step"), [("AccessDenied", "allow iam:Simulate"), ("NoSuchEntity", "look whether")])
def test_rights_that_can_t_be_simulated_are_unknown_and_never_good(
    spec: EnvironmentSpec, blueprint: Blueprint, code: str, step: str
) -> None:
    client = stubbed("iam", error=("simulate_principal_policy", code))
    (found,) = rights.rights(blueprint, client, SESSION)
    assert found.verdict is Verdict.UNKNOWN
    assert found.next_step.startswith(step)


def kinesis(*, limit: int, on_demand: int = 0, open_: int = 0) -> Any:
    client = boto3.client("kinesis", region_name="eu-central-1")
    stubber = Stubber(client)
    limits_ = {
        "ShardLimit": limit,
        "OpenShardCount": open_,
        "OnDemandStreamCount": on_demand,
        "OnDemandStreamCountLimit": 10,
    }
    stubber.add_response("describe_limits", limits_)
    for _ in STREAMS:
        stubber.add_client_error("describe_stream_summary", "ResourceNotFoundException")
    stubber.activate()
    return client


def test_shards_beyond_the_quota_are_told_before_anything_is_made(blueprint: Blueprint) -> None:
    shards, streams = "open shards", "on-demand streams"
    assert verdicts(limits.shards(blueprint, kinesis(limit=20, open_=12))) == dict.fromkeys(
        (shards, streams), Verdict.GOOD
    )
    assert verdicts(limits.shards(blueprint, kinesis(limit=20, open_=13)))[shards] is Verdict.WRONG
    assert verdicts(limits.shards(blueprint, kinesis(limit=20, on_demand=10)))[streams] is Verdict.WRONG


def test_a_consumer_that_is_registered_is_not_counted_twice(blueprint: Blueprint) -> None:
    arn = "arn:aws:kinesis:eu-central-1:111122223333:stream/orders"
    made = datetime(2026, 1, 1, tzinfo=UTC)
    summary = {
        "StreamName": "orders", "StreamARN": arn, "StreamStatus": "ACTIVE", "RetentionPeriodHours": 24,
        "StreamCreationTimestamp": made, "EnhancedMonitoring": [], "OpenShardCount": 8,
    }  # fmt: skip # a paragraph, not a column

    def with_consumers(*names: str) -> Verdict:
        registered = [
            {"ConsumerName": name, "ConsumerARN": arn, "ConsumerStatus": "ACTIVE", "ConsumerCreationTimestamp": made}
            for name in names
        ]
        answers = (
            ("describe_stream_summary", {"StreamDescriptionSummary": summary}),
            (
                "list_stream_consumers",
                {"Consumers": registered},
            ),
        )
        (found,) = limits.consumers(blueprint, stubbed("kinesis", *answers))
        return found.verdict

    others = [f"c{number}" for number in range(19)]
    assert with_consumers(*others, "fraud") is Verdict.GOOD
    assert with_consumers(*others) is Verdict.GOOD
    assert with_consumers(*others, "c19") is Verdict.WRONG


def test_a_clock_that_is_off_is_told_by_how_much() -> None:
    metadata = {"HTTPHeaders": {"date": "Sun, 22 Nov 2026 10:00:00 GMT"}}

    class Sts:
        def get_caller_identity(self) -> dict[str, Any]:
            return {"ResponseMetadata": metadata}

    (on_time,) = machine.skew(Sts(), datetime(2026, 11, 22, 10, 0, 59, tzinfo=UTC))
    (ahead,) = machine.skew(Sts(), datetime(2026, 11, 22, 10, 5, tzinfo=UTC))
    assert (on_time.verdict, ahead.verdict) == (Verdict.GOOD, Verdict.WRONG)
    assert ahead.found == "is 300 s ahead; 60 s at most"
    metadata.clear()
    (silent,) = machine.skew(Sts())
    assert silent.verdict is Verdict.UNKNOWN


@pytest.mark.parametrize(("hour", "way"), [(9, "3600 s behind"), (11, "3600 s ahead")])
def test_a_clock_an_hour_off_is_told_of_a_refusal(hour: int, way: str) -> None:
    """SigV4 takes a request of five minutes around the service's time, or of fifteen; STS answers 403 with its own time."""
    said = "Signature expired: 20261122T090000Z is now earlier than 20261122T094500Z (20261122T100000Z - 15 min.)"
    date = {"HTTPHeaders": {"date": "Sun, 22 Nov 2026 10:00:00 GMT"}}
    sts = boto3.client("sts", region_name="eu-central-1")
    stubber = Stubber(sts)
    stubber.add_client_error("get_caller_identity", "SignatureDoesNotMatch", said, 403, response_meta=date)
    stubber.activate()
    (found,) = machine.skew(sts, datetime(2026, 11, 22, hour, tzinfo=UTC))
    assert (found.verdict, found.found, found.next_step) == (Verdict.WRONG, f"is {way}; 60 s at most", machine.STEP)


def host(name: str, port: int = 443) -> Destination:
    return Destination(host=name, port=port, needed_by=(Party.CI,), why="w")


def test_what_can_t_be_tried_is_unknown() -> None:
    behind = {"https": "http://me:secret@proxy.internal:3128"}
    pattern, proxied = network.reach((host("*.snowflakecomputing.com"), host("kinesis.example")), proxies=behind)
    assert (pattern.verdict, proxied.verdict) == (Verdict.UNKNOWN, Verdict.UNKNOWN)
    assert "SYSTEM$ALLOWLIST" in pattern.next_step
    assert "proxy.internal:3128" in proxied.found
    assert "secret" not in proxied.found


@pytest.mark.parametrize(
    ("hosts", "oversize", "is_told"),
    [
        (["ocsp.digicert.com:80"], "file", True),
        (["ocsp.digicert.com:80"], "dead_letter", False),
        ([], "file", False),
        (["sfc-eu-ds1-customer-stage.s3.eu-central-1.amazonaws.com"], "file", False),
        (["sfc-ds2-customer-stage.s3.amazonaws.com:443"], "file", False),
        (["sfcdev1.blob.core.windows.net"], "file", False),
        (["storage.googleapis.com"], "file", False),
        (["bucket.vpce-0a1b-2c3d.s3.eu-central-1.vpce.amazonaws.com"], "file", False),
    ],
)
def test_rows_that_go_by_file_need_a_stage_among_the_hosts_that_are_named(
    hosts: list[str], oversize: str, is_told: bool
) -> None:
    given = smallest(
        pipelines=[pipeline("orders", oversize_rows=oversize, file_replay=True)],
        network={"snowflake_hosts": hosts},
    )
    found = list(network.stages(given))
    assert [(each.verdict, "type STAGE" in each.next_step) for each in found] == [(Verdict.UNKNOWN, True)] * is_told


@pytest.mark.parametrize(
    ("findings", "status"),
    [
        ([good("a", "b")], 0),
        ([good("a", "b"), unknown("a", "b", next_step="c")], 2),
        ([unknown("a", "b", next_step="c"), wrong("a", "b", next_step="c")], 3),
    ],
)
def test_the_exit_status_is_that_of_the_worst(findings: list[Finding], status: int) -> None:
    examined = Report(suite=DOCTOR, environment="dev", findings=tuple(findings))
    assert examined.exit_status == status
    assert examined.as_document()["exit_status"] == status


@pytest.mark.parametrize(
    ("region", "is_wrong"),
    [
        ("AWS_EU_CENTRAL_1", False),
        ("PUBLIC.AWS_US_WEST_2", False),
        ("PUBLIC.AWS_US_GOV_WEST_1", True),
        ("AWS_US_GOV_WEST_1_FHPLUS", True),
        ("AZURE_USGOVVIRGINIA", True),
    ],
)
def test_an_account_in_a_region_of_governments_takes_no_rows(region: str, is_wrong: bool) -> None:
    found = list(limits.streaming_region(region))
    assert [each.verdict for each in found] == ([Verdict.WRONG] if is_wrong else [])
