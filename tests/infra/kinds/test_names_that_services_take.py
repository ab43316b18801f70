"""Each name that a specification gives is one that its service takes, by the service's own model: what would be refused there is
refused before anything is made, whichever kind of object has the name.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
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
from tests.infra.blueprint.test_every_field import samples
from tests.infra.specifications import changed

JAVAS = r"\uD800\uDC00-\uDBFF\uDFFF", r"\U00010000-\U0010FFFF"
"""The characters beyond the first plane, as a model's expression has them, and as Python's does."""


@dataclass(frozen=True)
class Taken:
    """A name as a service takes it."""

    service: str
    operation: str
    member: str
    """The member of the operation's input."""
    form: str | None = None
    """A regular expression of the service's page, where its model says less."""

    def refuses(self, name: str) -> str | None:
        """Returns the reason; None for a name that is taken."""
        model = session().get_service_model(self.service).operation_model(self.operation)
        rules = model.input_shape.members[self.member].metadata
        if not rules.get("min", 1) <= len(name) <= rules.get("max", len(name)):
            return f"{len(name)} characters"
        forms = (rules.get("pattern", ".*").replace(*JAVAS), self.form or ".*")
        return next((f"not of {each}" for each in forms if re.fullmatch(each.strip("^$"), name) is None), None)


@cache
def session() -> Any:
    return botocore.session.get_session()


A_BUCKETS, A_ROLES = "has its bucket's name", "has its role's or its user's name"
BUCKET = Taken("s3", "CreateBucket", "Bucket", r"(?!xn--)[a-z0-9][a-z0-9-]{1,61}[a-z0-9]")
ALIAS = Taken("kms", "CreateAlias", "AliasName", "alias/(?!aws/).+")
POLICY, ROLE = Taken("iam", "CreatePolicy", "PolicyName"), Taken("iam", "CreateRole", "RoleName")
ROWS: dict[str, tuple[str, Taken] | str] = {
    "aws_kinesis_stream": ("name", Taken("kinesis", "CreateStream", "StreamName")),
    "aws_kinesis_stream_consumer": ("name", Taken("kinesis", "RegisterStreamConsumer", "ConsumerName")),
    # Its model has the length of an ARN (Developer guide, "Quotas in Amazon DynamoDB", table names, 2026-11-30).
    "aws_dynamodb_table": ("name", Taken("dynamodb", "CreateTable", "TableName", "[A-Za-z0-9_.-]{3,255}")),
    "aws_s3_bucket": ("bucket", BUCKET),
    "aws_s3_bucket_versioning": A_BUCKETS,
    "aws_s3_bucket_server_side_encryption_configuration": A_BUCKETS,
    "aws_s3_bucket_public_access_block": A_BUCKETS,
    "aws_s3_bucket_ownership_controls": A_BUCKETS,
    "aws_s3_bucket_lifecycle_configuration": A_BUCKETS,
    "aws_s3_bucket_policy": A_BUCKETS,
    "aws_s3_object": A_BUCKETS,
    "aws_iam_role": ("name", ROLE),
    "aws_iam_role_policy": ("name", Taken("iam", "PutRolePolicy", "PolicyName")),
    "aws_iam_user": ("name", Taken("iam", "CreateUser", "UserName")),
    "aws_iam_user_policy_attachment": A_ROLES,
    "aws_iam_policy": ("name", POLICY),
    "aws_iam_instance_profile": ("name", Taken("iam", "CreateInstanceProfile", "InstanceProfileName")),
    "aws_kms_key": "has an id",
    "aws_kms_alias": ("name", ALIAS),
    # API reference, CreateSecret, Name (2026-11-30).
    "aws_secretsmanager_secret": (
        "name",
        Taken("secretsmanager", "CreateSecret", "Name", r"[A-Za-z0-9/_+=.@-]+(?<!-[A-Za-z0-9]{6})"),
    ),
    "aws_cloudwatch_log_group": ("name", Taken("logs", "CreateLogGroup", "logGroupName")),
    "aws_cloudwatch_metric_alarm": ("alarm_name", Taken("cloudwatch", "PutMetricAlarm", "AlarmName")),
    # API reference, PutDashboard, DashboardName (2026-11-30).
    "aws_cloudwatch_dashboard": (
        "dashboard_name",
        Taken("cloudwatch", "PutDashboard", "DashboardName", "[A-Za-z0-9_-]{1,255}"),
    ),
    # API reference, CreateTopic, Name (2026-11-30).
    "aws_sns_topic": ("name", Taken("sns", "CreateTopic", "Name", "[A-Za-z0-9_-]{1,256}")),
    "aws_sns_topic_subscription": "has an address",
    "aws_ssm_parameter": ("name", Taken("ssm", "PutParameter", "Name", r"[A-Za-z0-9_.\-/]{1,1011}")),
    "aws_vpc_endpoint": "has an id",
    # API reference, CreateSecurityGroup, GroupName (2026-11-30).
    "aws_security_group": (
        "name",
        Taken("ec2", "CreateSecurityGroup", "GroupName", r"(?!sg-)[A-Za-z0-9 ._\-:/()#,@\[\]+=&;{}!$*]{1,255}"),
    ),
    "aws_emrserverless_application": ("name", Taken("emr-serverless", "CreateApplication", "name")),
    "aws_emrcontainers_virtual_cluster": ("name", Taken("emr-containers", "CreateVirtualCluster", "name")),
    "aws_emr_cluster": ("name", Taken("emr", "RunJobFlow", "Name")),
    "aws_eks_pod_identity_association": "has its service account's name",
    "aws_ecr_repository": ("name", Taken("ecr", "CreateRepository", "repositoryName")),
    "aws_ecr_lifecycle_policy": "has its repository's name",
    "aws_redshiftserverless_namespace": (
        "namespace_name",
        Taken("redshift-serverless", "CreateNamespace", "namespaceName"),
    ),
    "aws_redshiftserverless_workgroup": (
        "workgroup_name",
        Taken("redshift-serverless", "CreateWorkgroup", "workgroupName"),
    ),
    # API reference, CreateCluster, ClusterIdentifier (2026-11-30).
    "aws_redshift_cluster": (
        "cluster_identifier",
        Taken("redshift", "CreateCluster", "ClusterIdentifier", r"(?!.*--)[a-z][a-z0-9-]{0,62}(?<!-)"),
    ),
    "aws_scheduler_schedule": ("name", Taken("scheduler", "CreateSchedule", "Name")),
    "aws_cloudwatch_event_rule": ("name", Taken("events", "PutRule", "Name")),
}
"""The argument with the name of a row, and who takes it; for those without one, why."""
BOOTSTRAP = {
    "AWS::KMS::Alias": ("AliasName", ALIAS),
    "AWS::S3::Bucket": ("BucketName", BUCKET),
    "AWS::IAM::ManagedPolicy": ("ManagedPolicyName", POLICY),
    "AWS::IAM::Role": ("RoleName", ROLE),
}
APPLICATIONS = ["shop.orders", "Shop_Orders", "-9-", ".shop", "a" * 37, "a" * 50, "a." * 18]


def named(application: str) -> Iterator[Blueprint]:
    """Yields the samples under another name, but for those that are refused; also with buckets that have names of their own, and
    leave the others more room."""
    for spec in samples():
        made = spec.model_copy(update={"application": application})
        yield from (blueprint_of(each) for each in (made, with_named_buckets(made)) if not list(problems(each)))


def with_named_buckets(spec: EnvironmentSpec) -> EnvironmentSpec:
    volumes = [
        each.model_copy(update={"bucket": each.bucket or f"volume-{number}-of-ours"})
        for number, each in enumerate(spec.snowflake.external_volumes)
    ]
    made = changed(spec, "snowflake.external_volumes", volumes)
    return changed(made, "aws.bucket.name", made.aws.bucket.name or "a-bucket-of-ours")


def names_of_rows(blueprint: Blueprint) -> Iterator[tuple[str, str, Taken]]:
    for kind in KINDS:
        if not isinstance(named := ROWS[kind.terraform_type], str):
            argument, taken = named
            yield from ((kind.title, row.arguments[argument], taken) for row in kind.instances(blueprint))


def names_of_bootstrap(blueprint: Blueprint) -> Iterator[tuple[str, str, Taken]]:
    try:
        made = template(blueprint, provider=GitHub(repository="acme/data"))
    except ConfigError:
        return
    for logical, each in made["Resources"].items():
        if each["Type"] in BOOTSTRAP:
            argument, taken = BOOTSTRAP[each["Type"]]
            yield logical, each["Properties"][argument], taken


@pytest.mark.parametrize("application", APPLICATIONS)
def test_services_take_each_name_of_a_specification_that_is_not_refused(application: str) -> None:
    for blueprint in named(application):
        given = [*names_of_rows(blueprint), *names_of_bootstrap(blueprint)]
        assert {(what, name): why for what, name, taken in given if (why := taken.refuses(name))} == {}


@pytest.mark.parametrize("application", ["shop.orders", "a" * 50])
def test_such_specifications_are_not_all_refused(application: str) -> None:
    assert any(named(application))


def test_each_kind_has_a_name_above_or_none() -> None:
    assert {kind.terraform_type for kind in KINDS} == set(ROWS)
