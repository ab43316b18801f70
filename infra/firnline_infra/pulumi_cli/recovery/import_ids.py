"""Under which id `pulumi import` finds what a create was making.

From the inputs alone, where the id is made of names (the import sections of the providers' registry pages). Where the
service makes the id, the service is asked, by whoever brings the `Lookup` of the type.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

Properties = Mapping[str, Any]
Lookup = Callable[[Properties], Sequence[str]]
"""Ids that the service knows for these inputs, best first."""


def _named(*inputs: str, joined: str = "/", quote: str = "") -> Lookup:
    return lambda given: [joined.join(f"{quote}{given[name]}{quote}" for name in inputs)]


def _quoted(*inputs: str) -> Lookup:
    return _named(*inputs, joined=".", quote='"')


def _authentication_of_user(given: Properties) -> Sequence[str]:
    return [f'"{_bare(given["userName"])}"|{given["authenticationPolicyName"]}']


def _bare(name: str) -> str:
    return name.strip('"')


BY_NAME: Mapping[str, Lookup] = {
    "aws:cloudwatch/metricAlarm:MetricAlarm": _named("name"),
    "aws:dynamodb/table:Table": _named("name"),
    "aws:iam/role:Role": _named("name"),
    "aws:iam/user:User": _named("name"),
    "aws:kinesis/stream:Stream": _named("name"),
    "aws:kms/alias:Alias": _named("name"),
    "aws:s3/bucket:Bucket": _named("bucket"),
    "aws:ssm/parameter:Parameter": _named("name"),
    "snowflake:index/accountRole:AccountRole": _quoted("name"),
    "snowflake:index/authenticationPolicy:AuthenticationPolicy": _quoted("database", "schema", "name"),
    "snowflake:index/database:Database": _quoted("name"),
    "snowflake:index/externalVolume:ExternalVolume": _quoted("name"),
    "snowflake:index/icebergTable:IcebergTable": _quoted("database", "schema", "name"),
    "snowflake:index/networkPolicy:NetworkPolicy": _quoted("name"),
    "snowflake:index/pipe:Pipe": _named("database", "schema", "name", joined="|"),
    "snowflake:index/schema:Schema": _quoted("database", "name"),
    "snowflake:index/serviceUser:ServiceUser": _quoted("name"),
    "snowflake:index/table:Table": _named("database", "schema", "name", joined="|"),
    "snowflake:index/userAuthenticationPolicyAttachment:UserAuthenticationPolicyAttachment": _authentication_of_user,
    "snowflake:index/warehouse:Warehouse": _quoted("name"),
    "snowflake:index/warehouseInteractive:WarehouseInteractive": _quoted("name"),
}

REPEATED = frozenset(
    {
        # Settings that are put on something else: putting them twice is putting them once.
        "aws:iam/rolePolicy:RolePolicy",
        "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
        "aws:s3/bucketObjectv2:BucketObjectv2",
        "aws:s3/bucketOwnershipControls:BucketOwnershipControls",
        "aws:s3/bucketPolicy:BucketPolicy",
        "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
        "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
        "aws:s3/bucketVersioning:BucketVersioning",
        # Attaching twice is attaching once.
        "aws:iam/userPolicyAttachment:UserPolicyAttachment",
        # Granting twice is granting once.
        "snowflake:index/grantAccountRole:GrantAccountRole",
        "snowflake:index/grantOwnership:GrantOwnership",
        "snowflake:index/grantPrivilegesToAccountRole:GrantPrivilegesToAccountRole",
        # Every statement of ours is written so that it can be run again.
        "snowflake:index/execute:Execute",
    }
)
"""Types whose create can be run again over what it has made: nothing to look for."""


def lookup_of(type_: str, more: Mapping[str, Lookup]) -> Lookup | None:
    """None for a type of which nothing is known. `more` wins over the table."""
    return more.get(type_) or BY_NAME.get(type_)
