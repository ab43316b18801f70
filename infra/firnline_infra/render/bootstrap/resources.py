"""The ARNs of what an environment makes, by the type of its resources: what its deployer may touch, and nothing else."""

from collections.abc import Iterator
from fnmatch import fnmatchcase

from firnline_infra.blueprint.aws import Bucket, Secret
from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.places import JOB_FOLDERS
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.origin import Origin

BUCKET = "aws:s3/bucket:Bucket"
BUCKET_SETTINGS = (
    "aws:s3/bucketVersioning:BucketVersioning",
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    "aws:s3/bucketPolicy:BucketPolicy",
)
CONSUMER = "aws:kinesis/streamConsumer:StreamConsumer"
ROLE, ROLE_POLICY = "aws:iam/role:Role", "aws:iam/rolePolicy:RolePolicy"
USER, POLICY = "aws:iam/user:User", "aws:iam/policy:Policy"
ATTACHMENT = "aws:iam/userPolicyAttachment:UserPolicyAttachment"
OBJECT = "aws:s3/bucketObjectv2:BucketObjectv2"
LOG_GROUP = "aws:cloudwatch/logGroup:LogGroup"
SECURITY_GROUP = "aws:ec2/securityGroup:SecurityGroup"
INSTANCE_PROFILE = "aws:iam/instanceProfile:InstanceProfile"
SERVERLESS = "aws:emrserverless/application:Application"
VIRTUAL_CLUSTER = "aws:emrcontainers/virtualCluster:VirtualCluster"
VPC_ENDPOINT = "aws:ec2/vpcEndpoint:VpcEndpoint"
CLUSTER = "aws:emr/cluster:Cluster"
ASSOCIATION = "aws:eks/podIdentityAssociation:PodIdentityAssociation"


def resources(spec: EnvironmentSpec, blueprint: Blueprint) -> dict[str, tuple[str, ...]]:
    """Types that the environment has none of are left out."""
    found: dict[str, list[str]] = {}
    arns_of_parts = (_data, _around, _runtime)
    for kind, arn in (each for part in arns_of_parts for each in part(blueprint, Arns(spec))):
        arns = found.setdefault(kind, [])
        if arn not in arns:
            arns.append(arn)
    return {kind: tuple(arns) for kind, arns in found.items()}


def buckets(blueprint: Blueprint) -> tuple[Bucket, ...]:
    own = () if blueprint.bucket is None else (blueprint.bucket,)
    return (*own, *(volume.bucket for volume in blueprint.volumes))


def bucket_names(blueprint: Blueprint) -> tuple[str, ...]:
    """What the roles use: an adopted bucket too."""
    adopted = () if blueprint.job_bucket is None else (blueprint.names.bucket,)
    return tuple(dict.fromkeys((*adopted, *(bucket.name for bucket in buckets(blueprint)))))


def object_arns(blueprint: Blueprint, arns: Arns) -> tuple[str, ...]:
    """Of an adopted bucket only what is the application's."""
    own = {bucket.name for bucket in buckets(blueprint)}
    return tuple(
        arns.bucket(f"{name}/*" if name in own else f"{name}/{blueprint.names.application}/*")
        for name in bucket_names(blueprint)
    )


def table_names(blueprint: Blueprint) -> tuple[str, ...]:
    """The migration's comes and goes."""
    return blueprint.ledger.name, blueprint.ledger.migration_name


def secret_arns(blueprint: Blueprint, arns: Arns) -> tuple[str, ...]:
    """By name, whatever six letters the one in the file of keys has: a secret that is made anew has others."""
    return tuple(secret_arn_of(secret, arns) for secret in blueprint.secrets)


def secret_arn_of(secret: Secret, arns: Arns) -> str:
    by_name = arns.secret(secret.name)
    if secret.existing_arn is None or fnmatchcase(secret.existing_arn, by_name):
        return by_name
    return secret.existing_arn


def _data(blueprint: Blueprint, arns: Arns) -> Iterator[tuple[str, str]]:
    for stream in blueprint.streams:
        if stream.origin is Origin.CREATE:
            yield "aws:kinesis/stream:Stream", arns.stream(stream.name)
        for consumer in stream.consumers:
            yield CONSUMER, arns.consumer(stream.name, consumer)
    for table in table_names(blueprint):
        yield "aws:dynamodb/table:Table", arns.table(table)
    for bucket in buckets(blueprint):
        for kind in (BUCKET, *BUCKET_SETTINGS):
            yield kind, arns.bucket(bucket.name)
    if blueprint.job_bucket is not None:
        for folder in JOB_FOLDERS:
            place = folder if blueprint.bucket is not None else f"{blueprint.names.application}/{folder}"
            yield OBJECT, f"{arns.bucket(blueprint.names.bucket)}/{place}*"


def _around(blueprint: Blueprint, arns: Arns) -> Iterator[tuple[str, str]]:
    for role in [each for each in (blueprint.role, *(volume.role for volume in blueprint.volumes)) if each]:
        for kind in (ROLE, ROLE_POLICY):
            yield kind, arns.role(role.name)
    if blueprint.user is not None:
        for kind in (USER, ATTACHMENT):
            yield kind, arns.user(blueprint.user.name)
        yield POLICY, arns.policy(blueprint.user.name, path=blueprint.user.policy_path)
    for secret in secret_arns(blueprint, arns):
        yield "aws:secretsmanager/secret:Secret", secret
    for parameter in blueprint.publication:
        yield "aws:ssm/parameter:Parameter", arns.parameter(parameter.name)
    for alarm in blueprint.alarms:
        yield "aws:cloudwatch/metricAlarm:MetricAlarm", arns.alarm(alarm.name)
    if blueprint.dashboard is not None:
        yield "aws:cloudwatch/dashboard:Dashboard", arns.dashboard(blueprint.dashboard.name)


def _runtime(blueprint: Blueprint, arns: Arns) -> Iterator[tuple[str, str]]:
    """The ids of most of these are AWS's: their tags say whose they are."""
    parts = blueprint.runtime
    if parts.log_group is not None:
        yield LOG_GROUP, arns.log_group(parts.log_group.name)
        yield (
            LOG_GROUP,
            f"{arns.log_group(parts.log_group.name)}:*",
        )  # tags are asked for on the one, all else on the other
    if blueprint.endpoints is not None:
        yield VPC_ENDPOINT, arns.network("vpc-endpoint")
    if parts.security_group is not None or (blueprint.endpoints is not None and blueprint.endpoints.has_group):
        yield SECURITY_GROUP, arns.security_group("*")
    if parts.instance_profile is not None:
        yield INSTANCE_PROFILE, arns.instance_profile(parts.instance_profile.name)
    if parts.application is not None:
        yield SERVERLESS, arns.serverless_application("*")
    if parts.virtual_cluster is not None:
        yield VIRTUAL_CLUSTER, arns.virtual_cluster("*")
    if parts.cluster is not None:
        yield CLUSTER, arns.emr_cluster("*")
    for association in parts.associations:
        yield ASSOCIATION, arns.pod_association(association.cluster, "*")
