"""The boundary of the roles: all that they are given is within it, and nothing of others."""

from itertools import product

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.value import Reference
from firnline_infra.kinds.iam import ROLE_POLICY
from firnline_infra.kinds.observability import LOG_GROUP
from firnline_infra.render.bootstrap.boundary import boundary_statements
from firnline_infra.render.bootstrap.deployer import deployer_statements, previewer_statements
from firnline_infra.render.bootstrap.key_keeper import key_keeper_statements
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.aws import BucketOptions, StreamOptions
from firnline_infra.specification.dead_letters import DeadLetters
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.snowflake import ExternalVolume
from firnline_ingest.errors import ConfigError
from firnline_local.aws.policy import is_allowed
from tests.infra.render.conftest import STATE_KEY, rendered
from tests.infra.specifications import changed


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
    within = rendered(boundary_statements(blueprint))
    context = {"aws:ResourceAccount": spec.aws.account, "aws:RequestedRegion": spec.aws.region}
    policies = list(ROLE_POLICY.instances(blueprint))
    assert len(policies) == 1 + len(spec.snowflake.external_volumes)
    for policy in policies:
        for statement in policy.arguments["policy"].statements:
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
        for each in policy(blueprint_of(spec))
    }
    for sid in ("OwnSecret", "WithinSecretsmanager", "KeepPrivateKeys"):
        assert secret + allowed in statements[sid].resources


def test_what_is_asked_for_by_name_is_allowed_as_the_service_asks_about_it(prod_spec: EnvironmentSpec) -> None:
    """A consumer has no time then, a secret that is not there no letters, and a log group's streams lie below it."""
    streams = [each.model_copy(update={"consumers": ["fraud"]}) for each in prod_spec.streams[:1]]
    spec = prod_spec.model_copy(update={"streams": [*streams, *prod_spec.streams[1:]]})
    blueprint = blueprint_of(spec)
    (log_group,) = LOG_GROUP.instances(blueprint)
    policies = {
        "deploy": rendered(deployer_statements(blueprint)),
        "preview": rendered(previewer_statements(blueprint)),
        "keys": rendered(key_keeper_statements(blueprint)),
        "engine": rendered(blueprint.engine_policy),
        "boundary": rendered(boundary_statements(blueprint)),
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
    within = rendered(boundary_statements(blueprint_of(prod_spec)))
    assert not is_allowed(within, action, arn, {"aws:ResourceAccount": prod_spec.aws.account})


def test_a_boundary_that_gets_too_long_is_refused_with_what_to_do(prod_spec: EnvironmentSpec) -> None:
    volumes = [ExternalVolume(name=f"LAKE_{number}") for number in range(50)]
    spec = changed(prod_spec, "snowflake.external_volumes", volumes)
    with pytest.raises(ConfigError, match=r"firnline-prod-boundary would have about .*aws\.permissions_boundary"):
        boundary_statements(blueprint_of(spec))
