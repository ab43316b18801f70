"""The encryption that objects of a bucket get by default.

Rules: `resourceBucketServerSideEncryptionConfiguration` of terraform-provider-aws 6
(internal/service/s3/bucket_server_side_encryption_configuration.go).
"""

from typing import Any

from firnline_local.materialise.aws.bucket_setting import BucketSetting
from firnline_local.materialise.aws.wording import present
from firnline_local.materialise.resource import Properties, Rules

TYPE = "aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration"
RULES = Rules(
    replaced_by=frozenset({"bucket", "expectedBucketOwner", "region"}),
    values={
        "rules.applyServerSideEncryptionByDefault.sseAlgorithm": frozenset(
            {"AES256", "aws:backup", "aws:fsx", "aws:kms", "aws:kms:dsse"}
        )
    },
)
INPUTS = frozenset({"bucket", "rules"})
ABSENT = ("ServerSideEncryptionConfigurationNotFoundError",)


def _put(s3: Any, bucket: str, inputs: Properties) -> None:
    configuration = {"Rules": [_wanted(rule) for rule in inputs["rules"]]}
    s3.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration=configuration)


def _wanted(rule: Properties) -> dict[str, Any]:
    default = rule.get("applyServerSideEncryptionByDefault") or {}
    by_default = present({"SSEAlgorithm": default.get("sseAlgorithm"), "KMSMasterKeyID": default.get("kmsMasterKeyId")})
    bucket_key = rule.get("bucketKeyEnabled")
    return present({"ApplyServerSideEncryptionByDefault": by_default or None, "BucketKeyEnabled": bucket_key})


def _get(s3: Any, bucket: str) -> Properties:
    found = s3.get_bucket_encryption(Bucket=bucket)["ServerSideEncryptionConfiguration"]
    return {"rules": [_found(rule) for rule in found["Rules"]]}


def _found(rule: Properties) -> dict[str, Any]:
    default = rule.get("ApplyServerSideEncryptionByDefault", {})
    by_default = present({"sseAlgorithm": default.get("SSEAlgorithm"), "kmsMasterKeyId": default.get("KMSMasterKeyID")})
    return {"applyServerSideEncryptionByDefault": by_default, "bucketKeyEnabled": rule.get("BucketKeyEnabled", False)}


_SETTING = BucketSetting(
    type=TYPE,
    rules=RULES,
    inputs=INPUTS,
    put=_put,
    get=_get,
    remove=lambda s3, bucket: s3.delete_bucket_encryption(Bucket=bucket),
    absent=ABSENT,
)
create, read, update, delete = _SETTING.create, _SETTING.read, _SETTING.update, _SETTING.delete
