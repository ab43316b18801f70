"""Versioning of buckets. It can be suspended, never removed: that is what deleting the resource does.

Rules: `resourceBucketVersioning` of terraform-provider-aws
(internal/service/s3/bucket_versioning.go; read there in a version before 6).
"""

from typing import Any

from firnline_local.materialise.aws.bucket_setting import BucketSetting
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Properties, Rules

TYPE = "aws:s3/bucketVersioning:BucketVersioning"
DISABLED = "Disabled"  # what a bucket begins with and never gets back to, and what the service takes no request for
RULES = Rules(
    replaced_by=frozenset({"bucket", "expectedBucketOwner", "region"}),
    values={"versioningConfiguration.status": frozenset({"Enabled", "Suspended", DISABLED})},
)
INPUTS = frozenset({"bucket", "versioningConfiguration"})


def _put(s3: Any, bucket: str, inputs: Properties) -> None:
    wanted = {"Status": inputs["versioningConfiguration"]["status"]}
    if wanted["Status"] != DISABLED:
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration=wanted)


def _get(s3: Any, bucket: str) -> Properties:
    status = s3.get_bucket_versioning(Bucket=bucket).get("Status", DISABLED)
    return {"versioningConfiguration": {"status": status}}


def _suspend(s3: Any, bucket: str) -> None:
    if s3.get_bucket_versioning(Bucket=bucket).get("Status") == "Enabled":
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})


_SETTING = BucketSetting(type=TYPE, rules=RULES, inputs=INPUTS, put=_put, get=_get, remove=_suspend, absent=())
create, read, delete = _SETTING.create, _SETTING.read, _SETTING.delete


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    """Refuses to disable it again: so does the stock provider, before it asks the service."""
    before, after = (inputs["versioningConfiguration"]["status"] for inputs in (old, new))
    if after == DISABLED != before:
        message = f"The versioning of {id_} can be Suspended, and not be {DISABLED} again: it is {before}."
        refusal = {"Error": {"Code": "IllegalVersioningConfigurationException", "Message": message}}
        raise clients.aws("s3").exceptions.ClientError(refusal, "PutBucketVersioning")
    return _SETTING.update(id_, old, new, clients)
