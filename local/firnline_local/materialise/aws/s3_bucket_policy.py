"""The policies of buckets.

Rules: `resourceBucketPolicy` of terraform-provider-aws 6 (internal/service/s3/bucket_policy.go).
"""

from typing import Any

from firnline_local.materialise.aws.bucket_setting import BucketSetting
from firnline_local.materialise.aws.policy import as_document
from firnline_local.materialise.resource import Properties, Rules

TYPE = "aws:s3/bucketPolicy:BucketPolicy"
RULES = Rules(replaced_by=frozenset({"bucket", "region"}))
INPUTS = frozenset({"bucket", "policy"})


def _put(s3: Any, bucket: str, inputs: Properties) -> None:
    s3.put_bucket_policy(Bucket=bucket, Policy=as_document(inputs["policy"]))


def _get(s3: Any, bucket: str) -> Properties:
    return {"policy": s3.get_bucket_policy(Bucket=bucket)["Policy"]}


_SETTING = BucketSetting(
    type=TYPE,
    rules=RULES,
    inputs=INPUTS,
    put=_put,
    get=_get,
    remove=lambda s3, bucket: s3.delete_bucket_policy(Bucket=bucket),
    absent=("NoSuchBucketPolicy",),
)
create, read, update, delete = _SETTING.create, _SETTING.read, _SETTING.update, _SETTING.delete
