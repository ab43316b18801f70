"""Objects in buckets whose content the program gives as text or base64; files and archives are not carried.

Rules: `resourceObject` of terraform-provider-aws 6 (internal/service/s3/object.go).
"""

from base64 import b64decode, b64encode
from typing import Any

from firnline_local.materialise.aws.inputs import as_list, as_outputs, changed, require_carried, tags_of, value_of
from firnline_local.materialise.aws.normalize import none_if, present
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:s3/bucketObjectv2:BucketObjectv2"
RULES = Rules(
    replaced_by=frozenset({"bucket", "key", "region"}),
    defaults={"forceDestroy": False, "metadata": {}, "tags": {}},
    conflicts=(frozenset({"content", "contentBase64", "source"}), frozenset({"etag", "kmsKeyId"})),
)
HEADERS = {
    "cacheControl": "CacheControl",
    "contentDisposition": "ContentDisposition",
    "contentEncoding": "ContentEncoding",
    "contentLanguage": "ContentLanguage",
    "contentType": "ContentType",
    "bucketKeyEnabled": "BucketKeyEnabled",
    "kmsKeyId": "SSEKMSKeyId",
    "serverSideEncryption": "ServerSideEncryption",
    "storageClass": "StorageClass",
}
INPUTS = frozenset(
    {*HEADERS, "bucket", "key", "content", "contentBase64", "forceDestroy", "metadata", "tags", "tagsAll"}
)


def create(inputs: Properties, clients: Clients) -> Made:
    """Overwrites an object of that key, as the service does."""
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    s3, place = clients.aws("s3"), {"Bucket": inputs["bucket"], "Key": inputs["key"]}
    headers = {wire: inputs.get(name) for name, wire in HEADERS.items()}
    s3.put_object(**place, Body=_content(inputs), **present(headers), Metadata=dict(inputs.get("metadata") or {}))
    if tags := tags_of(inputs):
        s3.put_object_tagging(**place, Tagging={"TagSet": as_list(tags)})
    id_ = f"{inputs['bucket']}/{inputs['key']}"
    return Made(id_, read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """The content is read too: a changed one is drift, whoever changed it."""
    s3 = clients.aws("s3")
    bucket, _, key = id_.removeprefix("s3://").partition("/")
    place = {"Bucket": bucket, "Key": key}
    try:
        found = s3.get_object(**place)
        tags = s3.get_object_tagging(**place)["TagSet"]
    except s3.exceptions.ClientError as error:
        none_if(error, "NoSuchBucket", "NoSuchKey", "404")
        return None
    headers = {name: found.get(wire) for name, wire in HEADERS.items()}
    return present(
        {
            **headers,
            "storageClass": found.get("StorageClass", "STANDARD"),
            "id": f"{bucket}/{key}",
            "arn": f"arn:aws:s3:::{bucket}/{key}",
            "bucket": bucket,
            "key": key,
            "region": clients.region,
            **_content_found(found["Body"].read(), properties),
            "etag": found["ETag"].strip('"'),
            "versionId": found.get("VersionId"),
            "metadata": found.get("Metadata", {}),
            "forceDestroy": value_of("forceDestroy", properties, RULES),
            **as_outputs(tags, properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    """An object is only ever written anew; where no more than its tags differ, they alone are."""
    require_carried(TYPE, new, INPUTS, region=clients.region)
    s3, differs = clients.aws("s3"), changed(old, new, RULES)
    if differs - {"tags", "tagsAll", "forceDestroy"}:
        create(new, clients)
    elif differs:
        tagging = {"TagSet": as_list(tags_of(new))}
        s3.put_object_tagging(Bucket=new["bucket"], Key=new["key"], Tagging=tagging)
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    """With all its versions."""
    s3 = clients.aws("s3")
    bucket, _slash, key = id_.partition("/")
    try:
        pages = s3.get_paginator("list_object_versions").paginate(Bucket=bucket, Prefix=key)
        found = [each for page in pages for kind in ("Versions", "DeleteMarkers") for each in page.get(kind, [])]
    except s3.exceptions.ClientError as error:
        none_if(error, "NoSuchBucket")
        return
    for each in found:
        if each["Key"] == key:
            s3.delete_object(Bucket=bucket, Key=key, VersionId=each["VersionId"])


def _content(inputs: Properties) -> bytes:
    if inputs.get("contentBase64") is not None:
        return b64decode(inputs["contentBase64"])
    return str(inputs.get("content") or "").encode()


def _content_found(content: bytes, known: Properties) -> dict[str, str]:
    if known.get("contentBase64") is not None:
        return {"contentBase64": b64encode(content).decode()}
    return {"content": content.decode(errors="replace")}
