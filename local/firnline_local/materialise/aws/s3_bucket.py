"""S3 buckets. Versioning, encryption and the like are resources of their own; as inputs of a bucket they are refused.

Rules: `resourceBucket` of terraform-provider-aws (internal/service/s3/bucket.go; read there in a version before 6). The tags
are put on with the call that makes it, as the provider does since 6.23 (its pull request 45251).
"""

from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_list,
    as_outputs,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import none_if, present
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:s3/bucket:Bucket"
RULES = Rules(
    replaced_by=frozenset({"bucket", "bucketPrefix", "objectLockEnabled", "region"}),
    defaults={"forceDestroy": False, "tags": {}},
    conflicts=(frozenset({"bucket", "bucketPrefix"}),),
)
INPUTS = frozenset({"bucket", "forceDestroy", "tags", "tagsAll"})
DEFAULT_REGION = "us-east-1"  # the one that is not named at creation, and where an own bucket can be made twice
DELETE_AT_ONCE = 1000


def create(inputs: Properties, clients: Clients) -> Made:
    """Refuses an own bucket in every region, as the stock provider does; the service's us-east-1 would not."""
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    s3, name = clients.aws("s3"), inputs["bucket"]
    is_default = clients.region == DEFAULT_REGION
    if is_default and _exists(s3, name):
        refusal = {"Error": {"Code": "BucketAlreadyOwnedByYou", "Message": f"You own the bucket {name} already."}}
        raise s3.exceptions.BucketAlreadyOwnedByYou(refusal, "CreateBucket")
    region = None if is_default else clients.region
    asked = present({"LocationConstraint": region, "Tags": as_list(tags_of(inputs)) or None})
    s3.create_bucket(**present({"Bucket": name, "CreateBucketConfiguration": asked or None}))
    return Made(name, read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    s3 = clients.aws("s3")
    if not _exists(s3, id_):
        return None
    return {
        "id": id_,
        "arn": f"arn:aws:s3:::{id_}",
        "bucket": id_,
        "bucketDomainName": f"{id_}.s3.amazonaws.com",
        "bucketRegionalDomainName": f"{id_}.s3.{clients.region}.amazonaws.com",
        "bucketRegion": clients.region,
        "region": clients.region,
        "forceDestroy": value_of("forceDestroy", properties, RULES),
        **as_outputs(_tags(s3, id_), properties),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    s3 = clients.aws("s3")
    to_set, to_remove = tag_difference(old, new)
    if to_set or to_remove:  # the service knows only all tags of a bucket at once
        kept = {tag["Key"]: tag["Value"] for tag in _tags(s3, id_) if tag["Key"] not in to_remove}
        s3.put_bucket_tagging(Bucket=id_, Tagging={"TagSet": as_list(kept | to_set)})
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """A bucket that holds objects is refused by the service; `forceDestroy` removes them first, with all versions."""
    s3 = clients.aws("s3")
    try:
        if value_of("forceDestroy", properties, RULES):
            _empty(s3, id_)
        s3.delete_bucket(Bucket=id_)
    except s3.exceptions.ClientError as error:
        none_if(error, "NoSuchBucket")


def _exists(s3: Any, bucket: str) -> bool:
    try:
        s3.head_bucket(Bucket=bucket)
    except s3.exceptions.ClientError as error:
        none_if(error, "404", "NoSuchBucket")
        return False
    return True


def _tags(s3: Any, bucket: str) -> list[dict[str, str]]:
    try:
        tags: list[dict[str, str]] = s3.get_bucket_tagging(Bucket=bucket)["TagSet"]
    except s3.exceptions.ClientError as error:
        none_if(error, "NoSuchTagSet")
        return []
    return tags


def _empty(s3: Any, bucket: str) -> None:
    for page in s3.get_paginator("list_object_versions").paginate(Bucket=bucket):
        versions = [*page.get("Versions", []), *page.get("DeleteMarkers", [])]
        objects = [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in versions]
        for start in range(0, len(objects), DELETE_AT_ONCE):
            s3.delete_objects(Bucket=bucket, Delete={"Objects": objects[start : start + DELETE_AT_ONCE]})
