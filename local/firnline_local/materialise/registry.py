"""Which file makes which type of resource: `module`, or `module:NAME` where a file makes several.

Files are loaded when their type is first asked for, so that a program pays only for what it names. A type without a file is
refused by name: nothing here merely remembers what it was told.
"""

from collections.abc import Mapping
from functools import cache
from importlib import import_module
from typing import cast

from firnline_local.errors import UnknownTypeToken
from firnline_local.materialise.resource import Materialiser, Rules

FILES: Mapping[str, str] = {
    "aws:cloudwatch/dashboard:Dashboard": "aws.cloudwatch_dashboard",
    "aws:cloudwatch/logGroup:LogGroup": "aws.cloudwatch_log_group",
    "aws:cloudwatch/metricAlarm:MetricAlarm": "aws.cloudwatch_metric_alarm",
    "aws:dynamodb/table:Table": "aws.dynamodb_table",
    "aws:ec2/securityGroup:SecurityGroup": "aws.ec2_security_group",
    "aws:eks/podIdentityAssociation:PodIdentityAssociation": "aws.eks_pod_identity_association",
    "aws:ec2/vpcEndpoint:VpcEndpoint": "aws.ec2_vpc_endpoint",
    "aws:emr/cluster:Cluster": "aws.emr_cluster",
    "aws:emrcontainers/virtualCluster:VirtualCluster": "aws.emrcontainers_virtual_cluster",
    "aws:emrserverless/application:Application": "aws.emrserverless_application",
    "aws:iam/instanceProfile:InstanceProfile": "aws.iam_instance_profile",
    "aws:iam/policy:Policy": "aws.iam_policy",
    "aws:iam/role:Role": "aws.iam_role",
    "aws:iam/rolePolicy:RolePolicy": "aws.iam_role_policy",
    "aws:iam/user:User": "aws.iam_user",
    "aws:iam/userPolicyAttachment:UserPolicyAttachment": "aws.iam_user_policy_attachment",
    "aws:kinesis/stream:Stream": "aws.kinesis_stream",
    "aws:kinesis/streamConsumer:StreamConsumer": "aws.kinesis_stream_consumer",
    "aws:kms/alias:Alias": "aws.kms_alias",
    "aws:kms/key:Key": "aws.kms_key",
    "aws:s3/bucket:Bucket": "aws.s3_bucket",
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": "aws.s3_bucket_settings:LIFECYCLE",
    "aws:s3/bucketObjectv2:BucketObjectv2": "aws.s3_bucket_object",
    "aws:s3/bucketOwnershipControls:BucketOwnershipControls": "aws.s3_bucket_settings:OWNERSHIP_CONTROLS",
    "aws:s3/bucketPolicy:BucketPolicy": "aws.s3_bucket_settings:POLICY",
    "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock": "aws.s3_bucket_settings:PUBLIC_ACCESS_BLOCK",
    "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration": "aws.s3_bucket_settings:ENCRYPTION",
    "aws:s3/bucketVersioning:BucketVersioning": "aws.s3_bucket_settings:VERSIONING",
    "aws:secretsmanager/secret:Secret": "aws.secretsmanager_secret",
    "aws:ssm/parameter:Parameter": "aws.ssm_parameter",
    "snowflake:index/accountRole:AccountRole": "snowflake.account_role",
    "snowflake:index/authenticationPolicy:AuthenticationPolicy": "snowflake.authentication_policy",
    "snowflake:index/database:Database": "snowflake.database",
    "snowflake:index/execute:Execute": "snowflake.execute",
    "snowflake:index/externalVolume:ExternalVolume": "snowflake.external_volume",
    "snowflake:index/grantAccountRole:GrantAccountRole": "snowflake.grant_account_role",
    "snowflake:index/grantOwnership:GrantOwnership": "snowflake.grant_ownership",
    "snowflake:index/grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole": (
        "snowflake.grant_privileges_to_account_role"
    ),
    "snowflake:index/icebergTable:IcebergTable": "snowflake.iceberg_table",
    "snowflake:index/networkPolicy:NetworkPolicy": "snowflake.network_policy",
    "snowflake:index/pipe:Pipe": "snowflake.pipe",
    "snowflake:index/schema:Schema": "snowflake.schema",
    "snowflake:index/serviceUser:ServiceUser": "snowflake.service_user",
    "snowflake:index/table:Table": "snowflake.table",
    "snowflake:index/userAuthenticationPolicyAttachment:UserAuthenticationPolicyAttachment": (
        "snowflake.user_authentication_policy_attachment"
    ),
    "snowflake:index/warehouse:Warehouse": "snowflake.warehouse",
    "snowflake:index/warehouseInteractive:WarehouseInteractive": "snowflake.warehouse_interactive",
}


def materialiser_of(token: str) -> Materialiser:
    """Raises UnknownTypeToken."""
    if token not in FILES:
        raise UnknownTypeToken(token, known=sorted(FILES))
    return _load(FILES[token])


def rules_of(token: str) -> Rules:
    """Raises UnknownTypeToken."""
    return materialiser_of(token).RULES


@cache
def _load(file: str) -> Materialiser:
    module, _, name = file.partition(":")
    found = import_module(f"firnline_local.materialise.{module}")
    return cast("Materialiser", getattr(found, name) if name else found)
