"""Finds objects that `up` would create and that exist already, though they are not in the stack's state.

Asked before an `up`, because the cloud would refuse one object at a time, with half an environment made.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts import Accounts
from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint import Blueprint
from firnline_infra.blueprint.iceberg_volume import IcebergVolume
from firnline_infra.blueprint.snowflake import SnowflakeObjects
from firnline_infra.deploy.lookup import listed
from firnline_infra.specification.identifier import QualifiedName

State = Mapping[str, Any]
Asked = tuple[str, str, list[str], Callable[[str], Any]]
"""The type of a resource, what it is called, the names that are made, and what raises, or answers nothing, where one is not."""
SnowflakeObject = tuple[str, str, QualifiedName]
STREAM, DYNAMODB, BUCKET = "aws:kinesis/stream:Stream", "aws:dynamodb/table:Table", "aws:s3/bucket:Bucket"
ROLE, USER = "aws:iam/role:Role", "aws:iam/user:User"
DASHBOARD = "aws:cloudwatch/dashboard:Dashboard"
ALARM, PARAMETER = "aws:cloudwatch/metricAlarm:MetricAlarm", "aws:ssm/parameter:Parameter"
SECRET, LOG_GROUP = "aws:secretsmanager/secret:Secret", "aws:cloudwatch/logGroup:LogGroup"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
VIRTUAL_CLUSTER = "aws:emrcontainers/virtualCluster:VirtualCluster"
CLUSTER = "aws:emr/cluster:Cluster"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"
PROFILE = "aws:iam/instanceProfile:InstanceProfile"
TABLE = "snowflake:index/table:Table"
TABLES = (TABLE, "snowflake:index/icebergTable:IcebergTable")
EXECUTE = "snowflake:index/execute:Execute"
NOT_THERE = {
    "ResourceNotFoundException",
    "ResourceNotFound",
    "404",
    "NoSuchBucket",
    "NotFound",
    "NoSuchEntity",
    "NotFoundException",
}
FORBIDDEN = {"403", "Forbidden"}


def already_there(blueprint: Blueprint, accounts: Accounts, session: Any, state: State) -> Iterator[str]:
    """A description of each object. Raises AwsRefused or SnowflakeRefused if AWS or Snowflake can't be asked.

    In Snowflake a role sees what it has a privilege on, and, having CREATE USER, every user: a database that nobody let it see
    is not found, and its creation is refused.
    """
    known = StackResources.of(state)
    yield from _existing_in_aws(blueprint, accounts, known)
    for type_, kind, name in snowflake_objects(blueprint.landing, blueprint.volumes):
        if not known.has_object(type_, name) and listed(session, kind, name) is not None:
            yield f"{kind.lower()} {name} in Snowflake"


def snowflake_objects(landing: SnowflakeObjects, volumes: Sequence[IcebergVolume]) -> Iterator[SnowflakeObject]:
    """All that is made under a fixed name: the type of its resource, its kind and its name."""
    for database in landing.databases:
        yield "snowflake:index/database:Database", "DATABASE", QualifiedName((database.name,))
    for schema in landing.schemas:
        yield "snowflake:index/schema:Schema", "SCHEMA", schema.name
    for table in landing.tables:
        yield TABLE, table.securable.value, table.name
    for stage in landing.stages:
        yield EXECUTE, "STAGE", stage.name
    for pipe in landing.pipes:
        yield "snowflake:index/pipe:Pipe", "PIPE", pipe.name
    for role in landing.roles:
        yield "snowflake:index/accountRole:AccountRole", "ROLE", QualifiedName((role.name,))
    for user in landing.users:
        yield "snowflake:index/serviceUser:ServiceUser", "USER", QualifiedName((user.name,))
    if (policy := landing.network_policy) is not None:
        yield "snowflake:index/networkPolicy:NetworkPolicy", "NETWORK POLICY", QualifiedName((policy.name,))
    if (methods := landing.authentication_policy) is not None:
        yield "snowflake:index/authenticationPolicy:AuthenticationPolicy", "AUTHENTICATION POLICY", methods.name
    for volume in volumes:
        yield "snowflake:index/externalVolume:ExternalVolume", "EXTERNAL VOLUME", QualifiedName((volume.name,))
    if (warehouse := landing.warehouse) is not None:
        yield "snowflake:index/warehouseInteractive:WarehouseInteractive", "WAREHOUSE", QualifiedName((warehouse.name,))


@dataclass(frozen=True)
class StackResources:
    """The resources in a stack's state, and those that a killed `up` was creating."""

    resources: tuple[Mapping[str, Any], ...]

    @classmethod
    def of(cls, state: State) -> "StackResources":
        deployment = state.get("deployment", {})
        begun = [operation["resource"] for operation in deployment.get("pending_operations") or ()]
        return cls((*(deployment.get("resources") or ()), *begun))

    def has(self, type_: str, name: str) -> bool:
        named = ("name", "bucket", "serviceAccount", "dashboardName")
        return any(name in [each.get(field) for field in named] for each in self._inputs_of(type_))

    def has_object(self, type_: str, name: QualifiedName) -> bool:
        """By the names of its containers too."""
        if type_ in (TABLE, EXECUTE):
            return self.has_table(name)
        parts = tuple(part.name for part in name.parts)
        where = ("database", "schema")[: len(parts) - 1]
        return any(tuple(each.get(field) for field in (*where, "name")) == parts for each in self._inputs_of(type_))

    def id_of(self, type_: str) -> str | None:
        """Of the one resource of a type that a stack has at most one of."""
        return next((each["id"] for each in self.resources if each["type"] == type_ and each.get("id")), None)

    def has_table(self, name: QualifiedName) -> bool:
        """Whether a resource of its own made the table, or a statement that creates it; so of a stage.

        A statement that only alters it outlives a table that went to another owner, and doesn't count.
        """
        parts = tuple(part.name for part in name.parts)
        made = [each for type_ in TABLES for each in self._inputs_of(type_)]
        if any((each.get("database"), each.get("schema"), each.get("name")) == parts for each in made):
            return True
        executed = (str(each.get("execute")) for each in self._inputs_of(EXECUTE))
        return any(statement.startswith("CREATE ") and f" {name.sql} " in statement for statement in executed)

    def _inputs_of(self, type_: str) -> Iterator[Mapping[str, Any]]:
        for resource in self.resources:
            if resource["type"] == type_:
                yield {**resource.get("outputs", {}), **resource.get("inputs", {})}


def _existing_in_aws(blueprint: Blueprint, accounts: Accounts, known: StackResources) -> Iterator[str]:
    for type_, kind, names, describe in (
        *_data(blueprint, accounts),
        *_around(blueprint, accounts),
        *_of_the_runtime(blueprint, accounts),
        *of_eks(blueprint, accounts),
    ):
        for name in names:
            if not known.has(type_, name) and (found := _existing(kind, name, describe)):
                yield found


def _data(blueprint: Blueprint, accounts: Accounts) -> Iterator[Asked]:
    streams = [stream.name for stream in blueprint.streams if stream.existing_arn is None]
    ledgers = [blueprint.ledger.name, *([blueprint.ledger.migration_name] if blueprint.ledger.migration else [])]
    buckets = [bucket.name for bucket in (blueprint.bucket, *(each.bucket for each in blueprint.volumes)) if bucket]
    secrets = [secret.name for secret in blueprint.secrets if secret.existing_arn is None]
    kinesis, dynamodb, s3 = (accounts.aws(service) for service in ("kinesis", "dynamodb", "s3"))
    yield STREAM, "stream", streams, lambda name: kinesis.describe_stream_summary(StreamName=name)
    yield DYNAMODB, "DynamoDB table", ledgers, lambda name: dynamodb.describe_table(TableName=name)
    yield BUCKET, "bucket", buckets, lambda name: s3.head_bucket(Bucket=name)
    if secrets:
        manager = accounts.aws("secretsmanager")
        yield SECRET, "secret", secrets, lambda name: manager.describe_secret(SecretId=name)


def _around(blueprint: Blueprint, accounts: Accounts) -> Iterator[Asked]:
    roles = [role.name for role in (blueprint.role, *(volume.role for volume in blueprint.volumes)) if role]
    iam = accounts.aws("iam")
    yield ROLE, "IAM role", roles, lambda name: iam.get_role(RoleName=name)
    if blueprint.user is not None:
        yield USER, "IAM user", [blueprint.user.name], lambda name: iam.get_user(UserName=name)
    if blueprint.publication:
        ssm = accounts.aws("ssm")
        names = [parameter.name for parameter in blueprint.publication]
        yield (
            PARAMETER,
            "parameter",
            names,
            lambda name: ssm.describe_parameters(ParameterFilters=[{"Key": "Name", "Values": [name]}])["Parameters"],
        )
    if blueprint.alarms:
        cloudwatch = accounts.aws("cloudwatch")
        alarms = [alarm.name for alarm in blueprint.alarms]
        yield ALARM, "alarm", alarms, lambda name: cloudwatch.describe_alarms(AlarmNames=[name])["MetricAlarms"]
    if blueprint.dashboard is not None:
        boards = accounts.aws("cloudwatch")
        yield DASHBOARD, "dashboard", [blueprint.dashboard.name], lambda name: boards.get_dashboard(DashboardName=name)


def _of_the_runtime(blueprint: Blueprint, accounts: Accounts) -> Iterator[Asked]:
    """An application is not among them: its name may be several ones'."""
    parts = blueprint.runtime
    if parts.log_group is not None:
        logs = accounts.aws("logs")
        yield LOG_GROUP, "log group", [parts.log_group.name], lambda name: _groups_named(logs, name)
    if parts.instance_profile is not None:
        iam, profile = accounts.aws("iam"), [parts.instance_profile.name]
        yield PROFILE, "instance profile", profile, lambda name: iam.get_instance_profile(InstanceProfileName=name)
    if (endpoints := blueprint.endpoints) is not None and endpoints.has_group:
        in_vpc, where = accounts.aws("ec2"), endpoints.vpc
        yield (
            SECURITY_GROUP,
            "security group",
            [endpoints.group_name],
            lambda name: _in_vpc(in_vpc, where, name),
        )
    if parts.security_group is not None:
        ec2, vpc = accounts.aws("ec2"), parts.security_group.vpc
        yield (
            SECURITY_GROUP,
            "security group",
            [parts.security_group.name],
            lambda name: _in_vpc(ec2, vpc, name),
        )


def of_eks(blueprint: Blueprint, accounts: Accounts) -> Iterator[Asked]:
    """Names are nobody's alone there: what is asked for is the place, which takes one."""
    parts = blueprint.runtime
    if (wanted := parts.virtual_cluster) is not None:
        emr, where = accounts.aws("emr-containers"), f"namespace {wanted.namespace} of EKS cluster {wanted.cluster}"
        yield (
            VIRTUAL_CLUSTER,
            f"virtual cluster of EMR over {where}, in the way of",
            [wanted.name],
            lambda _: _over_namespace(emr, wanted.cluster, wanted.namespace),
        )
    if parts.associations:
        eks, first = accounts.aws("eks"), parts.associations[0]
        place = {"clusterName": first.cluster, "namespace": first.namespace}
        yield (
            ASSOCIATION,
            f"association of EKS cluster {first.cluster}, in namespace {first.namespace}, for service account",
            [each.service_account for each in parts.associations],
            lambda name: eks.list_pod_identity_associations(**place, serviceAccount=name)["associations"],
        )


def _over_namespace(emr: Any, cluster: str, namespace: str) -> list[Any]:
    pages = emr.get_paginator("list_virtual_clusters").paginate(containerProviderId=cluster, states=["RUNNING"])
    info = {"eksInfo": {"namespace": namespace}}
    return [each for page in pages for each in page["virtualClusters"] if each["containerProvider"]["info"] == info]


def _groups_named(logs: Any, name: str) -> list[Any]:
    found = logs.describe_log_groups(logGroupNamePrefix=name)["logGroups"]
    return [each for each in found if each["logGroupName"] == name]


def _in_vpc(ec2: Any, vpc: str, name: str) -> list[Any]:
    filters = [{"Name": "group-name", "Values": [name]}, {"Name": "vpc-id", "Values": [vpc]}]
    found: list[Any] = ec2.describe_security_groups(Filters=filters)["SecurityGroups"]
    return found


def _existing(kind: str, name: str, describe: Callable[[str], Any]) -> str | None:
    from botocore.exceptions import ClientError

    with aws_call(f"looking for {kind}", name):
        try:
            found = describe(name)
        except ClientError as error:
            code = error.response["Error"]["Code"]
            if code in NOT_THERE:
                return None
            if code in FORBIDDEN and kind == "bucket":
                return f"bucket {name}, in somebody else's account: bucket names are globally unique"
            raise
    return None if found == [] else f"{kind} {name}"
