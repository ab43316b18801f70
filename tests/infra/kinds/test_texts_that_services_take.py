"""Each name and each description of a row is one that its service takes, by the service's own model and its page: what would be
refused there is refused with the specification, before anything is made, whichever kind of object it is of.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from itertools import islice
from typing import Any

import botocore.session
import pytest

from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.kinds import KINDS
from firnline_infra.render.bootstrap import template
from firnline_infra.render.bootstrap.ci_provider import GitHub
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.checks import problems
from firnline_ingest.errors import ConfigError
from firnline_local.service_models.constraints import violations
from tests.infra.blueprint.test_every_field import samples
from tests.infra.specifications import changed


@dataclass(frozen=True)
class Taken:
    """A text as a service takes it."""

    service: str
    operation: str
    member: str
    """The member of the operation's input."""
    form: str | None = None
    """A regular expression of the service's page, where its model says less."""

    def refuses(self, text: str) -> str | None:
        """Returns the reason; None for what is taken."""
        model = session().get_service_model(self.service).operation_model(self.operation)
        found = violations(model.input_shape.members[self.member], text, self.member)
        if self.form and re.fullmatch(self.form, text) is None:
            found.append(f"not of {self.form}")
        return "; ".join(found) or None


@cache
def session() -> Any:
    return botocore.session.get_session()


A_BUCKETS, A_ROLES = "has its bucket's name", "has its role's or its user's name"
BUCKET = Taken("s3", "CreateBucket", "Bucket", r"(?!xn--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
ALIAS = Taken("kms", "CreateAlias", "AliasName", "alias/(?!aws/).+")
POLICY, ROLE = Taken("iam", "CreatePolicy", "PolicyName"), Taken("iam", "CreateRole", "RoleName")
POLICY_TEXT, ROLE_TEXT = Taken("iam", "CreatePolicy", "Description"), Taken("iam", "CreateRole", "Description")
IN_GROUPS = r"[A-Za-z0-9 ._\-:/()#,@\[\]+=&;{}!$*]{1,255}"
GROUP_TEXT = Taken("ec2", "CreateSecurityGroup", "Description", IN_GROUPS)
ROWS: dict[str, dict[str, Taken] | str] = {
    "aws_kinesis_stream": {"name": Taken("kinesis", "CreateStream", "StreamName")},
    "aws_kinesis_stream_consumer": {"name": Taken("kinesis", "RegisterStreamConsumer", "ConsumerName")},
    # Its model has the length of an ARN (Developer guide, "Quotas in Amazon DynamoDB", table names, 2026-11-30).
    "aws_dynamodb_table": {"name": Taken("dynamodb", "CreateTable", "TableName", "[A-Za-z0-9_.-]{3,255}")},
    "aws_s3_bucket": {"bucket": BUCKET},
    "aws_s3_bucket_versioning": A_BUCKETS,
    "aws_s3_bucket_server_side_encryption_configuration": A_BUCKETS,
    "aws_s3_bucket_public_access_block": A_BUCKETS,
    "aws_s3_bucket_ownership_controls": A_BUCKETS,
    "aws_s3_bucket_lifecycle_configuration": A_BUCKETS,
    "aws_s3_bucket_policy": A_BUCKETS,
    "aws_s3_object": A_BUCKETS,
    "aws_iam_role": {"name": ROLE, "description": ROLE_TEXT},
    "aws_iam_role_policy": {"name": Taken("iam", "PutRolePolicy", "PolicyName")},
    "aws_iam_user": {"name": Taken("iam", "CreateUser", "UserName")},
    "aws_iam_user_policy_attachment": A_ROLES,
    "aws_iam_policy": {"name": POLICY, "description": POLICY_TEXT},
    "aws_iam_instance_profile": {"name": Taken("iam", "CreateInstanceProfile", "InstanceProfileName")},
    "aws_kms_key": "has an id",
    "aws_kms_alias": {"name": ALIAS},
    # API reference, CreateSecret, Name (2026-11-30).
    "aws_secretsmanager_secret": {
        "name": Taken("secretsmanager", "CreateSecret", "Name", r"[A-Za-z0-9/_+=.@-]+(?<!-[A-Za-z0-9]{6})"),
        "description": Taken("secretsmanager", "CreateSecret", "Description"),
    },
    "aws_cloudwatch_log_group": {"name": Taken("logs", "CreateLogGroup", "logGroupName")},
    "aws_cloudwatch_metric_alarm": {
        "alarm_name": Taken("cloudwatch", "PutMetricAlarm", "AlarmName"),
        "alarm_description": Taken("cloudwatch", "PutMetricAlarm", "AlarmDescription"),
    },
    # API reference, PutDashboard, DashboardName (2026-11-30).
    "aws_cloudwatch_dashboard": {
        "dashboard_name": Taken("cloudwatch", "PutDashboard", "DashboardName", "[A-Za-z0-9_-]{1,255}")
    },
    # API reference, CreateTopic, Name (2026-11-30).
    "aws_sns_topic": {"name": Taken("sns", "CreateTopic", "Name", "[A-Za-z0-9_-]{1,256}")},
    "aws_sns_topic_subscription": "has an address",
    "aws_ssm_parameter": {
        "name": Taken("ssm", "PutParameter", "Name", r"[A-Za-z0-9_.\-/]{1,1011}"),
        "description": Taken("ssm", "PutParameter", "Description"),
    },
    "aws_vpc_endpoint": "has an id",
    # API reference, CreateSecurityGroup, GroupName and GroupDescription; IpRange, Description (2026-11-30).
    "aws_security_group": {
        "name": Taken("ec2", "CreateSecurityGroup", "GroupName", f"(?!sg-){IN_GROUPS}"),
        **dict.fromkeys(("description", "ingress.description", "egress.description"), GROUP_TEXT),
    },
    "aws_emrserverless_application": {"name": Taken("emr-serverless", "CreateApplication", "name")},
    "aws_emrcontainers_virtual_cluster": {"name": Taken("emr-containers", "CreateVirtualCluster", "name")},
    "aws_emr_cluster": {"name": Taken("emr", "RunJobFlow", "Name")},
    "aws_eks_pod_identity_association": "has its service account's name",
    "aws_ecr_repository": {"name": Taken("ecr", "CreateRepository", "repositoryName")},
    "aws_ecr_lifecycle_policy": "has its repository's name",
    "aws_redshiftserverless_namespace": {
        "namespace_name": Taken("redshift-serverless", "CreateNamespace", "namespaceName")
    },
    "aws_redshiftserverless_workgroup": {
        "workgroup_name": Taken("redshift-serverless", "CreateWorkgroup", "workgroupName")
    },
    # API reference, CreateCluster, ClusterIdentifier (2026-11-30).
    "aws_redshift_cluster": {
        "cluster_identifier": Taken(
            "redshift", "CreateCluster", "ClusterIdentifier", r"(?!.*--)[a-z][a-z0-9-]{0,62}(?<!-)"
        )
    },
    "aws_scheduler_schedule": {
        "name": Taken("scheduler", "CreateSchedule", "Name"),
        "description": Taken("scheduler", "CreateSchedule", "Description"),
    },
    "aws_cloudwatch_event_rule": {
        "name": Taken("events", "PutRule", "Name"),
        "description": Taken("events", "PutRule", "Description"),
    },
}
"""The arguments with a row's name and what it says of itself, and who takes them; for rows without a name, why."""
BOOTSTRAP = {
    "AWS::KMS::Alias": {"AliasName": ALIAS},
    "AWS::KMS::Key": {"Description": Taken("kms", "CreateKey", "Description")},
    "AWS::S3::Bucket": {"BucketName": BUCKET},
    "AWS::IAM::ManagedPolicy": {"ManagedPolicyName": POLICY, "Description": POLICY_TEXT},
    "AWS::IAM::Role": {"RoleName": ROLE, "Description": ROLE_TEXT},
}
APPLICATIONS = ["shop.orders", "sg-shop", "Shop_Orders", "-9-", ".shop", "a" * 37, "a" * 50, "a." * 18]


def named(application: str) -> Iterator[Blueprint]:
    """Yields the samples under another name, but for those that are refused; one that is refused for a bucket has buckets with
    names of their own, which leave the others more room."""
    for spec in samples():
        made = spec.model_copy(update={"application": application})
        taken = (each for each in (made, with_named_buckets(made)) if not list(problems(each)))
        yield from map(blueprint_of, islice(taken, 1))


def with_named_buckets(spec: EnvironmentSpec) -> EnvironmentSpec:
    volumes = [
        each.model_copy(update={"bucket": each.bucket or f"volume-{number}-of-ours"})
        for number, each in enumerate(spec.snowflake.external_volumes)
    ]
    made = changed(spec, "snowflake.external_volumes", volumes)
    return changed(made, "aws.bucket.name", made.aws.bucket.name or "a-bucket-of-ours")


def texts_of_rows(blueprint: Blueprint) -> Iterator[tuple[str, str, Taken]]:
    for kind in KINDS:
        taken = ROWS[kind.terraform_type]
        if isinstance(taken, dict):
            for row in kind.instances(blueprint):
                yield from texts(kind.title, row.arguments, taken)


def texts_of_bootstrap(blueprint: Blueprint) -> Iterator[tuple[str, str, Taken]]:
    try:
        made = template(blueprint, provider=GitHub(repository="acme/data"))
    except ConfigError:
        return
    for logical, each in made["Resources"].items():
        yield from texts(logical, each["Properties"], BOOTSTRAP.get(each["Type"], {}))


def texts(what: str, arguments: Mapping[str, Any], taken: Mapping[str, Taken]) -> Iterator[tuple[str, str, Taken]]:
    for path, by in taken.items():
        outer, _, inner = path.rpartition(".")
        places = arguments.get(outer, ()) if outer else [arguments]
        yield from ((f"{what}: {path}", each[inner], by) for each in places if each.get(inner) is not None)


@pytest.mark.parametrize("application", APPLICATIONS)
def test_services_take_what_rows_of_a_specification_say_that_is_not_refused(application: str) -> None:
    for blueprint in named(application):
        given = [*texts_of_rows(blueprint), *texts_of_bootstrap(blueprint)]
        assert {(what, text): why for what, text, taken in given if (why := taken.refuses(text))} == {}


@pytest.mark.parametrize("application", ["shop.orders", "a" * 50])
def test_such_specifications_are_not_all_refused(application: str) -> None:
    assert any(named(application))


def test_each_kind_is_above_with_all_that_its_rows_say_of_themselves() -> None:
    rows = [
        (kind.terraform_type, row) for spec in samples() for kind in KINDS for row in kind.instances(blueprint_of(spec))
    ]
    assert {kind.terraform_type for kind in KINDS} == set(ROWS)
    said = {(type_, name) for type_, row in rows for name in row.arguments if "description" in name}
    assert [each for each in said if not isinstance(taken := ROWS[each[0]], dict) or each[1] not in taken] == []
