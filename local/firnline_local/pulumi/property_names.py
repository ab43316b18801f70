"""Shapes of Pulumi's properties that differ from Terraform's; names are in firnline_infra.kinds.property_names.

A test compares these tables, both ways, with every argument class of the two SDKs. Paths and keys are Terraform's.
"""

from collections.abc import Callable, Mapping
from typing import Any

from firnline_infra.kinds.property_names import AWS, SNOWFLAKE

ONCE: Mapping[str, frozenset[str]] = {
    AWS: frozenset({"assume_role_with_web_identity", "default_tags", "ignore_tags"}),
    SNOWFLAKE: frozenset({"token_accessor"}),
    "aws:emr/cluster:Cluster": frozenset({"step.hadoop_jar_step"}),
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": frozenset(
        {
            "rule.abort_incomplete_multipart_upload",
            "rule.expiration",
            "rule.filter",
            "rule.filter.and",
            "rule.filter.tag",
            "rule.noncurrent_version_expiration",
        }
    ),
}
"""Lists of which Pulumi takes one element, as a plain object."""

DECLARED: Mapping[str, Mapping[str, Any]] = {
    AWS: {
        "assume_role.external_id": "string?",
        "assume_role.policy_arns": "set(string)?",
        "assume_role.session_name": "string?",
        "assume_role.tags": "map(string)?",
        "assume_role_with_web_identity.policy": "string?",
        "assume_role_with_web_identity.role_arn": "string?",
        "assume_role_with_web_identity.web_identity_token": "string?",
        "ignore_tags.keys": "set(string)?",
        "skip_metadata_api_check": "bool?",
    },
    SNOWFLAKE: {"token_accessor.client_secret": "string?", "token_accessor.refresh_token": "string?"},
    "aws:s3/bucket:Bucket": {
        "server_side_encryption_configuration.rule.blocked_encryption_types": "list(string)?",
    },
    "aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration": {
        "timeouts": {"nested": "object", "flag": "?", "fields": {"create": "string?", "update": "string?"}},
    },
}
"""What the SDK declares otherwise than the schema, or alone; by path, in the schema's words."""


CHOSEN: Mapping[str, frozenset[str]] = {
    "aws:dynamodb/table:Table": frozenset({"point_in_time_recovery", "server_side_encryption", "ttl"}),
    "aws:kinesis/stream:Stream": frozenset({"stream_mode_details"}),
}
"""Blocks that the service may choose where they are not given; the schemas know that of attributes only."""

MADE_UP: Mapping[str, str] = {"aws:s3/bucket:Bucket": "bucket", "aws:s3/bucketObjectv2:BucketObjectv2": "key"}
"""What Pulumi makes up from a resource's logical name where it is absent, of types that have no `name`."""

SPELT: Mapping[str, Callable[[str], str]] = {
    "aws:kms/alias:Alias": lambda name: name if name.startswith("alias/") else f"alias/{name}",
    "aws:s3/bucket:Bucket": str.lower,
}
"""How a made-up name is spelt, where the service takes only some (pulumi-aws, provider/resource_overrides.go)."""

DOCUMENTS: Mapping[str, str] = {
    "aws:ecr/lifecyclePolicy:LifecyclePolicy": "policy",
    "aws:iam/policy:Policy": "policy",
    "aws:iam/role:Role": "assumeRolePolicy",
    "aws:iam/rolePolicy:RolePolicy": "policy",
    "aws:s3/bucket:Bucket": "policy",
    "aws:s3/bucketPolicy:BucketPolicy": "policy",
}
"""Texts that Pulumi also takes as the JSON document that is in them."""
