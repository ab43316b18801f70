"""The role behind an external volume: what Snowflake may do in the bucket, and that only Snowflake may be it.

Actions and trust are those of Snowflake's page on external volumes for S3 (`tables-iceberg-configure-external-volume-s3`).
"""

from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.blueprint.value import Value

OBJECT_ACTIONS = (
    "s3:PutObject",
    "s3:GetObject",
    "s3:GetObjectVersion",
    "s3:DeleteObject",
    "s3:DeleteObjectVersion",
)
FIND_ACTIONS = ("s3:ListBucket", "s3:GetBucketLocation")


def volume_statements(*, bucket_arn: str, prefix: str, key_arn: Value | None = None) -> tuple[PolicyStatement, ...]:
    """`prefix` ends with a slash; without `key_arn` the bucket's objects are encrypted with a key of AWS's."""
    statements = (
        PolicyStatement(sid="KeepTables", actions=OBJECT_ACTIONS, resources=(f"{bucket_arn}/{prefix}*",)),
        PolicyStatement(
            sid="ListTables",
            actions=("s3:ListBucket",),
            resources=(bucket_arn,),
            conditions={"StringLike": {"s3:prefix": f"{prefix}*"}},
        ),
        PolicyStatement(sid="FindBucket", actions=("s3:GetBucketLocation",), resources=(bucket_arn,)),
    )
    return statements if key_arn is None else (*statements, _use_key(key_arn))


def volume_trust(*, principal: Value, external_id: str) -> tuple[PolicyStatement, ...]:
    """`principal` is Snowflake's IAM user, one for the whole account; the external id tells our volume from others."""
    return (
        PolicyStatement(
            sid="SnowflakeReachesVolume",
            actions=("sts:AssumeRole",),
            principals={"AWS": principal},
            conditions={"StringEquals": {"sts:ExternalId": external_id}},
        ),
    )


def _use_key(key_arn: Value) -> PolicyStatement:
    return PolicyStatement(
        sid="UseBucketKey",
        actions=("kms:Decrypt", "kms:GenerateDataKey"),
        resources=(key_arn,),
        conditions={"StringLike": {"kms:ViaService": ("s3.*.amazonaws.com", "s3.*.amazonaws.com.cn")}},
    )
