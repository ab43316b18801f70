"""S3: buckets, each of their settings, and objects whose content the program gives as text.

Rules: terraform-provider-aws, internal/service/s3/: `resourceBucket`, `resourceBucketOwnershipControls`, and
`resourceBucketVersioning` (read in a version before 6; a bucket's tags are put on with the call that makes it, as since 6.23,
pull request 45251); `resourceObject`, `resourceBucketServerSideEncryptionConfiguration`, `bucketLifecycleConfigurationResource`,
`resourceBucketPolicy`, `resourceBucketPublicAccessBlock` (of 6).
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import Any

from firnline_local.providers.aws.kind import Act, AwsKind, Subject, WireField, document, on
from firnline_local.providers.aws.values import as_list, like, none_if, present, tags_of
from firnline_local.providers.kind import MOST, Form, Properties, Rules

DEFAULT_REGION = "us-east-1"  # the one that is not named at creation, and where an own bucket can be made twice
DELETE_AT_ONCE = 1000
NAMED = (1, 63)
OWNER = Form(r"\d{12}", "the number of an account, which has 12 digits")
EXPIRATION = "rules.noncurrentVersionExpiration"
STORAGE_CLASSES = "GLACIER STANDARD_IA ONEZONE_IA INTELLIGENT_TIERING DEEP_ARCHIVE GLACIER_IR"


def _make_bucket(it: Subject) -> str:
    """Refuses an own bucket in every region, as the stock provider does; the service's us-east-1 would not."""
    s3, name = it.client, str(it.inputs["bucket"])
    is_default = it.clients.region == DEFAULT_REGION
    if is_default and it.kind.read(name, {}, it.clients) is not None:
        refusal = {"Error": {"Code": "BucketAlreadyOwnedByYou", "Message": f"You own the bucket {name} already."}}
        raise s3.exceptions.BucketAlreadyOwnedByYou(refusal, "CreateBucket")
    region = None if is_default else it.clients.region
    asked = present({"LocationConstraint": region, "Tags": as_list(tags_of(it.inputs)) or None})
    s3.create_bucket(**present({"Bucket": name, "CreateBucketConfiguration": asked or None}))
    return name


def _look_at_bucket(it: Subject) -> Properties:
    it.ask("head_bucket")
    return {"Tags": _tags_of_bucket(it)}


def _tags_of_bucket(it: Subject) -> list[dict[str, str]]:
    try:
        tags: list[dict[str, str]] = it.ask("get_bucket_tagging")["TagSet"]
    except it.client.exceptions.ClientError as error:
        none_if(error, "NoSuchTagSet")
        return []
    return tags


def _tag_bucket(it: Subject, to_set: dict[str, str], to_remove: list[str]) -> None:
    """The service knows only all tags of a bucket at once."""
    kept = {tag["Key"]: tag["Value"] for tag in _tags_of_bucket(it) if tag["Key"] not in to_remove}
    it.ask("put_bucket_tagging", Tagging={"TagSet": as_list(kept | to_set)})


def _remove_bucket(it: Subject) -> None:
    """A bucket that holds objects is refused by the service; `forceDestroy` removes them first, with all versions."""
    if it.value("forceDestroy"):
        versions = _versions(it, Bucket=it.id)
        for start in range(0, len(versions), DELETE_AT_ONCE):
            it.ask("delete_objects", Delete={"Objects": versions[start : start + DELETE_AT_ONCE]})
    it.ask("delete_bucket")


def _versions(it: Subject, **where: str) -> list[dict[str, str]]:
    pages = it.client.get_paginator("list_object_versions").paginate(**where)
    found = [each for page in pages for kind in ("Versions", "DeleteMarkers") for each in page.get(kind, [])]
    return [{"Key": each["Key"], "VersionId": each["VersionId"]} for each in found]


BUCKET = AwsKind(  # its settings are resources of their own, and refused as inputs of it
    type="aws:s3/bucket:Bucket",
    service="s3",
    rules=Rules.of(
        "bucket bucketPrefix objectLockEnabled region",
        defaults={"forceDestroy": False, "tags": {}},
        conflicts="bucket bucketPrefix",
        lengths={"bucket": (0, 63)},
    ),
    fields={"bucket": WireField(found="Name")},
    outputs={
        "bucket": lambda it, _: it.id,
        "arn": lambda it, _: f"arn:aws:s3:::{it.id}",
        "bucketDomainName": lambda it, _: f"{it.id}.s3.amazonaws.com",
        "bucketRegionalDomainName": lambda it, _: f"{it.id}.s3.{it.clients.region}.amazonaws.com",
        "bucketRegion": lambda it, _: it.clients.region,
    },
    kept="forceDestroy",
    by="Bucket",
    make=_make_bucket,
    look=_look_at_bucket,
    tags=_tag_bucket,
    remove=_remove_bucket,
    gone="404 NoSuchBucket",
)

HEADERS: Mapping[str, str | WireField] = {"contentType": "ContentType", "metadata": WireField("Metadata", absent={})}


def _place(it: Subject) -> dict[str, str]:
    bucket, _, key = it.id.removeprefix("s3://").partition("/")
    return {"Bucket": bucket, "Key": key}


def _put_object(it: Subject) -> str:
    """Overwrites an object of that key, as the service does."""
    place = {"Bucket": it.inputs["bucket"], "Key": it.inputs["key"]}
    it.client.put_object(**place, **it.request(), Body=str(it.inputs.get("content") or "").encode())
    if tags := tags_of(it.inputs):
        it.client.put_object_tagging(**place, Tagging={"TagSet": as_list(tags)})
    return f"{place['Bucket']}/{place['Key']}"


def _look_at_object(it: Subject) -> Properties:
    """The stock provider reads no content: one that was changed is not drift, but its `etag` is another."""
    return {**it.ask("head_object"), "Place": it.where, "Tags": it.ask("get_object_tagging")["TagSet"]}


def _tag_object(it: Subject, *_: object) -> None:
    it.ask("put_object_tagging", Tagging={"TagSet": as_list(tags_of(it.inputs))})


def _remove_object(it: Subject) -> None:
    """Removes the object with all its versions."""
    bucket, key = it.where.values()
    for version in _versions(it, Bucket=bucket, Prefix=key):
        if version["Key"] == key:
            it.client.delete_object(Bucket=bucket, **version)


def _small_letters(inputs: Properties) -> Iterator[str]:
    """object.go, validateMetadataIsLowerCase."""
    for key in inputs.get("metadata") or ():
        if key != key.lower():
            yield f"metadata: must be lowercase only. Offending key: {key!r}."


OBJECT = AwsKind(
    type="aws:s3/bucketObjectv2:BucketObjectv2",
    service="s3",
    rules=Rules.of(
        "bucket key region",
        defaults={"forceDestroy": False, "metadata": {}, "tags": {}},
        conflicts="content contentBase64 source,etag kmsKeyId",
        lengths={"bucket": (1, MOST), "key": (1, MOST)},
        arns="kmsKeyId",
        checks=(_small_letters,),
    ),
    fields={**HEADERS, "bucket": WireField(found="Place.Bucket"), "key": WireField(found="Place.Key")},
    outputs={
        "id": lambda it, _: "/".join(it.where.values()),
        "arn": lambda it, _: f"arn:aws:s3:::{'/'.join(it.where.values())}",
        "etag": lambda _, found: found["ETag"].strip('"'),
        "versionId": "VersionId",
    },
    kept="content forceDestroy",
    by=_place,
    make=_put_object,
    look=_look_at_object,
    updates=(on(" ".join(("content", *HEADERS)), _put_object),),  # an object is only ever written anew
    tags=_tag_object,
    remove=_remove_object,
    gone="404 NoSuchBucket NoSuchKey",
)


def setting(
    type_: str, word: str, rules: Rules, fields: Mapping[str, str | WireField], *, absent: str = "", **more: Act
) -> AwsKind:
    """A setting of a bucket, put as a whole, with the bucket's name as its id; the service has one operation to make and to
    replace it: put_{word}. `absent`: the service's code for a bucket that has no such setting. `more`: where it is put, looked at
    or removed in another way.
    """
    put: Act = more.get("put") or (lambda it: it.ask(f"put_{word}", **it.request()))

    def make(it: Subject) -> str:
        put(replace(it, id=it.inputs["bucket"]))
        return str(it.inputs["bucket"])

    return AwsKind(
        type=f"aws:s3/{type_[0].lower()}{type_[1:]}:{type_}",
        service="s3",
        rules=rules,
        fields={"bucket": WireField(found="Bucket"), **fields},
        outputs={"bucket": lambda it, _: it.id},
        by="Bucket",
        make=make,
        look=more.get("look") or (lambda it: it.ask(f"get_{word}")),
        updates=(on(" ".join(fields), put),),
        remove=more.get("remove") or (lambda it: it.ask(f"delete_{word}")),
        gone=f"NoSuchBucket {absent}",
    )


def _encryption_rule(rule: Properties) -> dict[str, Any]:
    default = rule.get("applyServerSideEncryptionByDefault") or {}
    by_default = present({"SSEAlgorithm": default.get("sseAlgorithm"), "KMSMasterKeyID": default.get("kmsMasterKeyId")})
    bucket_key = rule.get("bucketKeyEnabled")
    return present({"ApplyServerSideEncryptionByDefault": by_default or None, "BucketKeyEnabled": bucket_key})


def _encryption_found(found: Properties, known: Any) -> Any:
    rules = []
    for rule in found["Rules"]:
        default = rule.get("ApplyServerSideEncryptionByDefault", {})
        by_default = {"sseAlgorithm": default.get("SSEAlgorithm"), "kmsMasterKeyId": default.get("KMSMasterKeyID")}
        bucket_key = rule.get("BucketKeyEnabled", False)
        rules.append({"applyServerSideEncryptionByDefault": present(by_default), "bucketKeyEnabled": bucket_key})
    return like(rules, known)


ENCRYPTION = setting(
    "BucketServerSideEncryptionConfiguration",
    "bucket_encryption",
    Rules.of(
        "bucket expectedBucketOwner region",
        values={
            "rules.applyServerSideEncryptionByDefault.sseAlgorithm": "AES256 aws:backup aws:fsx aws:kms aws:kms:dsse"
        },
        forms={"expectedBucketOwner": OWNER},
        lengths={"bucket": NAMED},
    ),
    {
        "rules": WireField(
            "ServerSideEncryptionConfiguration",
            sent=lambda rules: {"Rules": [_encryption_rule(rule) for rule in rules]},
            like=_encryption_found,
        )
    },
    absent="ServerSideEncryptionConfigurationNotFoundError",
)


def _lifecycle_rule(rule: Properties) -> dict[str, Any]:
    """A rule without a filter holds for every object; the service wants that said."""
    wanted: dict[str, Any] = _renamed(rule, lambda name: "ID" if name == "id" else name[0].upper() + name[1:])
    return wanted if wanted.keys() & {"Filter", "Prefix"} else {**wanted, "Filter": {"Prefix": ""}}


def _lifecycle_found(rules: Any, known: Any) -> Any:
    return like(_renamed(rules, lambda name: "id" if name == "ID" else name[0].lower() + name[1:]), known)


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    """The value in the other side's words, which differ in their first letters, and in tags, which are a mapping in
    Pulumi's."""
    if isinstance(value, Mapping):
        content = {name: each for name, each in value.items() if each is not None}
        if isinstance(content.get("tags"), Mapping):
            content["tags"] = as_list(content["tags"])
        elif isinstance(content.get("Tags"), list):
            content["Tags"] = {tag["Key"]: tag["Value"] for tag in content["Tags"]}
            return {rename(name): each if name == "Tags" else _renamed(each, rename) for name, each in content.items()}
        return {rename(name): _renamed(each, rename) for name, each in content.items()}
    return [_renamed(each, rename) for each in value] if isinstance(value, list) else value


LIFECYCLE = setting(
    "BucketLifecycleConfiguration",
    "bucket_lifecycle_configuration",
    Rules.of(
        "bucket expectedBucketOwner region",
        values={"rules.status": "Enabled Disabled", "rules.transitions.storageClass": STORAGE_CLASSES},
        forms={"expectedBucketOwner": OWNER},
        lengths={"bucket": NAMED, "rules.id": (1, 255)},
        ranges={
            **dict.fromkeys((f"{EXPIRATION}.noncurrentDays", f"{EXPIRATION}.newerNoncurrentVersions"), (1, MOST)),
            "rules.transitions.days": (0, MOST),
        },
    ),
    {
        "rules": WireField(
            "LifecycleConfiguration",
            "Rules",
            sent=lambda rules: {"Rules": [_lifecycle_rule(rule) for rule in rules]},
            like=_lifecycle_found,
        )
    },
    remove=lambda it: it.ask("delete_bucket_lifecycle"),
    absent="NoSuchLifecycleConfiguration",
)
OWNERSHIP_CONTROLS = setting(
    "BucketOwnershipControls",
    "bucket_ownership_controls",
    Rules.of(
        "bucket region",
        values={"rule.objectOwnership": "BucketOwnerEnforced BucketOwnerPreferred ObjectWriter"},
        lengths={"bucket": (1, MOST)},
    ),
    {
        "rule": WireField(
            "OwnershipControls",
            sent=lambda rule: {"Rules": [{"ObjectOwnership": rule["objectOwnership"]}]},
            like=lambda found, _: {"objectOwnership": found["Rules"][0]["ObjectOwnership"]},
        )
    },
    absent="OwnershipControlsNotFoundError",
)
POLICY = setting(
    "BucketPolicy",
    "bucket_policy",
    Rules.of("bucket region", json="policy"),
    {"policy": document("Policy")},
    absent="NoSuchBucketPolicy",
)
SWITCHES = {
    "blockPublicAcls": "BlockPublicAcls",
    "blockPublicPolicy": "BlockPublicPolicy",
    "ignorePublicAcls": "IgnorePublicAcls",
    "restrictPublicBuckets": "RestrictPublicBuckets",
}
PUBLIC_ACCESS_BLOCK = setting(
    "BucketPublicAccessBlock",
    "public_access_block",
    Rules.of("bucket region", defaults=dict.fromkeys(SWITCHES, False)),
    {name: WireField(wire, absent=False) for name, wire in SWITCHES.items()},
    put=lambda it: it.ask("put_public_access_block", PublicAccessBlockConfiguration=it.request()),
    look=lambda it: it.ask("get_public_access_block")["PublicAccessBlockConfiguration"],
    absent="NoSuchPublicAccessBlockConfiguration",
)
DISABLED = "Disabled"  # what versioning begins with and never gets back to, and what the service takes no request for


def _put_versioning(it: Subject) -> None:
    """Refuses to disable it again: so does the stock provider, before it asks the service."""
    after = it.inputs["versioningConfiguration"]["status"]
    before = it.before.get("versioningConfiguration", {}).get("status", DISABLED)
    if after != DISABLED:
        it.ask("put_bucket_versioning", VersioningConfiguration={"Status": after})
    elif before != DISABLED:
        message = f"The versioning of {it.id} can be Suspended, and not be {DISABLED} again: it is {before}."
        refusal = {"Error": {"Code": "IllegalVersioningConfigurationException", "Message": message}}
        raise it.client.exceptions.ClientError(refusal, "PutBucketVersioning")


def _suspend_versioning(it: Subject) -> None:
    """Versioning can't be removed."""
    if it.ask("get_bucket_versioning").get("Status") == "Enabled":
        it.ask("put_bucket_versioning", VersioningConfiguration={"Status": "Suspended"})


VERSIONING = setting(
    "BucketVersioning",
    "bucket_versioning",
    Rules.of(
        "bucket expectedBucketOwner region",
        values={"versioningConfiguration.status": f"Enabled Suspended {DISABLED}"},
        forms={"expectedBucketOwner": OWNER},
        lengths={"bucket": NAMED},
    ),
    {
        "versioningConfiguration": WireField(
            found="Status", like=lambda status, _: {"status": status}, absent={"status": DISABLED}
        )
    },
    put=_put_versioning,
    remove=_suspend_versioning,
)
KINDS = (BUCKET, OBJECT, ENCRYPTION, LIFECYCLE, OWNERSHIP_CONTROLS, POLICY, PUBLIC_ACCESS_BLOCK, VERSIONING)
