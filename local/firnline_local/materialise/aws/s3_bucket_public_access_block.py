"""What keeps a bucket from being public.

Rules: `resourceBucketPublicAccessBlock` of terraform-provider-aws 6 (internal/service/s3/bucket_public_access_block.go).
"""

from typing import Any

from firnline_local.materialise.aws.bucket_setting import BucketSetting
from firnline_local.materialise.aws.inputs import value_of
from firnline_local.materialise.resource import Properties, Rules

TYPE = "aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock"
SWITCHES = {
    "blockPublicAcls": "BlockPublicAcls",
    "blockPublicPolicy": "BlockPublicPolicy",
    "ignorePublicAcls": "IgnorePublicAcls",
    "restrictPublicBuckets": "RestrictPublicBuckets",
}
RULES = Rules(replaced_by=frozenset({"bucket", "region"}), defaults=dict.fromkeys(SWITCHES, False))
INPUTS = frozenset({"bucket", *SWITCHES})


def _put(s3: Any, bucket: str, inputs: Properties) -> None:
    configuration = {wire: value_of(name, inputs, RULES) for name, wire in SWITCHES.items()}
    s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=configuration)


def _get(s3: Any, bucket: str) -> Properties:
    found = s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    return {name: found.get(wire, False) for name, wire in SWITCHES.items()}


_SETTING = BucketSetting(
    type=TYPE,
    rules=RULES,
    inputs=INPUTS,
    put=_put,
    get=_get,
    remove=lambda s3, bucket: s3.delete_public_access_block(Bucket=bucket),
    absent=("NoSuchPublicAccessBlockConfiguration",),
)
create, read, update, delete = _SETTING.create, _SETTING.read, _SETTING.update, _SETTING.delete
