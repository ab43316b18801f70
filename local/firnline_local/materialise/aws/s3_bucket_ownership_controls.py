"""Who owns the objects of a bucket.

Rules: `resourceBucketOwnershipControls` of terraform-provider-aws
(internal/service/s3/bucket_ownership_controls.go; read there in a version before 6).
"""

from typing import Any

from firnline_local.materialise.aws.bucket_setting import BucketSetting
from firnline_local.materialise.resource import Properties, Rules

TYPE = "aws:s3/bucketOwnershipControls:BucketOwnershipControls"
RULES = Rules(
    replaced_by=frozenset({"bucket", "region"}),
    values={"rule.objectOwnership": frozenset({"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"})},
)
INPUTS = frozenset({"bucket", "rule"})


def _put(s3: Any, bucket: str, inputs: Properties) -> None:
    controls = {"Rules": [{"ObjectOwnership": inputs["rule"]["objectOwnership"]}]}
    s3.put_bucket_ownership_controls(Bucket=bucket, OwnershipControls=controls)


def _get(s3: Any, bucket: str) -> Properties:
    rules = s3.get_bucket_ownership_controls(Bucket=bucket)["OwnershipControls"]["Rules"]
    return {"rule": {"objectOwnership": rules[0]["ObjectOwnership"]}}


_SETTING = BucketSetting(
    type=TYPE,
    rules=RULES,
    inputs=INPUTS,
    put=_put,
    get=_get,
    remove=lambda s3, bucket: s3.delete_bucket_ownership_controls(Bucket=bucket),
    absent=("OwnershipControlsNotFoundError",),
)
create, read, update, delete = _SETTING.create, _SETTING.read, _SETTING.update, _SETTING.delete
