"""Resources that are each one setting of a bucket: put as a whole, read, removed.

Their id is the bucket's name. The service has one operation for making and replacing such a setting. Each setting cites
where terraform-provider-aws has its rules (internal/service/s3/; of version 6 unless it is said).
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firnline_local.materialise.aws.inputs import as_document, as_list, changed, require_carried, value_of
from firnline_local.materialise.aws.normalize import document_like, like, none_if, present
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

DISABLED = "Disabled"  # what versioning begins with and never gets back to, and what the service takes no request for
SWITCHES = {
    "blockPublicAcls": "BlockPublicAcls",
    "blockPublicPolicy": "BlockPublicPolicy",
    "ignorePublicAcls": "IgnorePublicAcls",
    "restrictPublicBuckets": "RestrictPublicBuckets",
}
OWNERSHIPS = frozenset({"BucketOwnerEnforced", "BucketOwnerPreferred", "ObjectWriter"})
ALGORITHMS = frozenset({"AES256", "aws:backup", "aws:fsx", "aws:kms", "aws:kms:dsse"})


@dataclass(kw_only=True)
class BucketSetting:
    """A Materialiser of one setting."""

    TYPE: str
    RULES: Rules
    INPUTS: frozenset[str]
    """Those that are carried."""
    put: Callable[[Any, str, Properties], object]
    """(the client, the bucket, the inputs)"""
    get: Callable[[Any, str], Properties]
    """Raises the client's error where there is no such setting."""
    remove: Callable[[Any, str], object]
    absent: tuple[str, ...] = ()
    """The service's codes for a bucket that has no such setting."""

    def create(self, inputs: Properties, clients: Clients, /) -> Made:
        self._require_carried(inputs, clients)
        bucket = inputs["bucket"]
        self.put(clients.aws("s3"), bucket, inputs)
        return Made(bucket, self.read(bucket, inputs, clients) or {})

    def read(self, id_: str, properties: Properties, clients: Clients, /) -> dict[str, Any] | None:
        s3 = clients.aws("s3")
        try:
            found = self.get(s3, id_)
        except s3.exceptions.ClientError as error:
            none_if(error, "NoSuchBucket", *self.absent)
            return None
        said = {name: _in_known_words(name, value, properties.get(name)) for name, value in found.items()}
        return {"id": id_, "bucket": id_, "region": clients.region, **said}

    def update(self, id_: str, old: Properties, new: Properties, clients: Clients, /) -> dict[str, Any]:
        self._require_carried(new, clients)
        if changed(old, new, self.RULES):
            self.put(clients.aws("s3"), id_, new)
        return self.read(id_, new, clients) or {}

    def delete(self, id_: str, _: Properties, clients: Clients, /) -> None:
        s3 = clients.aws("s3")
        try:
            self.remove(s3, id_)
        except s3.exceptions.ClientError as error:
            none_if(error, "NoSuchBucket", *self.absent)

    def _require_carried(self, inputs: Properties, clients: Clients) -> None:
        require_carried(self.TYPE, inputs, self.INPUTS, region=clients.region)


class Versioning(BucketSetting):
    """Can be suspended, never removed: that is what deleting the resource does."""

    def update(self, id_: str, old: Properties, new: Properties, clients: Clients, /) -> dict[str, Any]:
        """Refuses to disable it again: so does the stock provider, before it asks the service."""
        before, after = (inputs["versioningConfiguration"]["status"] for inputs in (old, new))
        if after == DISABLED != before:
            message = f"The versioning of {id_} can be Suspended, and not be {DISABLED} again: it is {before}."
            refusal = {"Error": {"Code": "IllegalVersioningConfigurationException", "Message": message}}
            raise clients.aws("s3").exceptions.ClientError(refusal, "PutBucketVersioning")
        return super().update(id_, old, new, clients)


def _in_known_words(name: str, found: Any, known: Any) -> Any:
    return document_like(found, known) if name == "policy" else like(found, known)


def _put_encryption(s3: Any, bucket: str, inputs: Properties) -> None:
    configuration = {"Rules": [_encryption_rule(rule) for rule in inputs["rules"]]}
    s3.put_bucket_encryption(Bucket=bucket, ServerSideEncryptionConfiguration=configuration)


def _encryption_rule(rule: Properties) -> dict[str, Any]:
    default = rule.get("applyServerSideEncryptionByDefault") or {}
    by_default = present({"SSEAlgorithm": default.get("sseAlgorithm"), "KMSMasterKeyID": default.get("kmsMasterKeyId")})
    bucket_key = rule.get("bucketKeyEnabled")
    return present({"ApplyServerSideEncryptionByDefault": by_default or None, "BucketKeyEnabled": bucket_key})


def _get_encryption(s3: Any, bucket: str) -> Properties:
    found = s3.get_bucket_encryption(Bucket=bucket)["ServerSideEncryptionConfiguration"]
    return {"rules": [_encryption_rule_found(rule) for rule in found["Rules"]]}


def _encryption_rule_found(rule: Properties) -> dict[str, Any]:
    default = rule.get("ApplyServerSideEncryptionByDefault", {})
    by_default = present({"sseAlgorithm": default.get("SSEAlgorithm"), "kmsMasterKeyId": default.get("KMSMasterKeyID")})
    return {"applyServerSideEncryptionByDefault": by_default, "bucketKeyEnabled": rule.get("BucketKeyEnabled", False)}


def _put_lifecycle(s3: Any, bucket: str, inputs: Properties) -> None:
    configuration = {"Rules": [_lifecycle_rule(rule) for rule in inputs["rules"]]}
    s3.put_bucket_lifecycle_configuration(Bucket=bucket, LifecycleConfiguration=configuration)


def _lifecycle_rule(rule: Properties) -> dict[str, Any]:
    """A rule without a filter holds for every object; the service wants that said."""
    wanted: dict[str, Any] = _renamed(rule, lambda name: "ID" if name == "id" else name[0].upper() + name[1:])
    return wanted if wanted.keys() & {"Filter", "Prefix"} else {**wanted, "Filter": {"Prefix": ""}}


def _get_lifecycle(s3: Any, bucket: str) -> Properties:
    found = s3.get_bucket_lifecycle_configuration(Bucket=bucket)["Rules"]
    return {"rules": _renamed(found, lambda name: "id" if name == "ID" else name[0].lower() + name[1:])}


def _renamed(value: Any, rename: Callable[[str], str]) -> Any:
    """Both sides use the same words, but for their first letters, and for tags, which are a mapping in Pulumi's."""
    if isinstance(value, Mapping):
        content = {name: each for name, each in value.items() if each is not None}
        if isinstance(content.get("tags"), Mapping):
            content["tags"] = as_list(content["tags"])
        elif isinstance(content.get("Tags"), list):
            content["Tags"] = {tag["Key"]: tag["Value"] for tag in content["Tags"]}
            return {rename(name): each if name == "Tags" else _renamed(each, rename) for name, each in content.items()}
        return {rename(name): _renamed(each, rename) for name, each in content.items()}
    return [_renamed(each, rename) for each in value] if isinstance(value, list) else value


def _put_ownership(s3: Any, bucket: str, inputs: Properties) -> None:
    controls = {"Rules": [{"ObjectOwnership": inputs["rule"]["objectOwnership"]}]}
    s3.put_bucket_ownership_controls(Bucket=bucket, OwnershipControls=controls)


def _get_ownership(s3: Any, bucket: str) -> Properties:
    rules = s3.get_bucket_ownership_controls(Bucket=bucket)["OwnershipControls"]["Rules"]
    return {"rule": {"objectOwnership": rules[0]["ObjectOwnership"]}}


def _put_public_access_block(s3: Any, bucket: str, inputs: Properties) -> None:
    configuration = {wire: value_of(name, inputs, PUBLIC_ACCESS_BLOCK.RULES) for name, wire in SWITCHES.items()}
    s3.put_public_access_block(Bucket=bucket, PublicAccessBlockConfiguration=configuration)


def _get_public_access_block(s3: Any, bucket: str) -> Properties:
    found = s3.get_public_access_block(Bucket=bucket)["PublicAccessBlockConfiguration"]
    return {name: found.get(wire, False) for name, wire in SWITCHES.items()}


def _put_versioning(s3: Any, bucket: str, inputs: Properties) -> None:
    wanted = {"Status": inputs["versioningConfiguration"]["status"]}
    if wanted["Status"] != DISABLED:
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration=wanted)


def _get_versioning(s3: Any, bucket: str) -> Properties:
    status = s3.get_bucket_versioning(Bucket=bucket).get("Status", DISABLED)
    return {"versioningConfiguration": {"status": status}}


def _suspend_versioning(s3: Any, bucket: str) -> None:
    if s3.get_bucket_versioning(Bucket=bucket).get("Status") == "Enabled":
        s3.put_bucket_versioning(Bucket=bucket, VersioningConfiguration={"Status": "Suspended"})


ENCRYPTION = BucketSetting(  # resourceBucketServerSideEncryptionConfiguration
    TYPE="aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration",
    RULES=Rules(
        replaced_by=frozenset({"bucket", "expectedBucketOwner", "region"}),
        values={"rules.applyServerSideEncryptionByDefault.sseAlgorithm": ALGORITHMS},
    ),
    INPUTS=frozenset({"bucket", "rules"}),
    put=_put_encryption,
    get=_get_encryption,
    remove=lambda s3, bucket: s3.delete_bucket_encryption(Bucket=bucket),
    absent=("ServerSideEncryptionConfigurationNotFoundError",),
)
LIFECYCLE = BucketSetting(  # bucketLifecycleConfigurationResource
    TYPE="aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration",
    RULES=Rules(
        replaced_by=frozenset({"bucket", "expectedBucketOwner", "region"}),
        values={"rules.status": frozenset({"Enabled", "Disabled"})},
    ),
    INPUTS=frozenset({"bucket", "rules"}),
    put=_put_lifecycle,
    get=_get_lifecycle,
    remove=lambda s3, bucket: s3.delete_bucket_lifecycle(Bucket=bucket),
    absent=("NoSuchLifecycleConfiguration",),
)
OWNERSHIP_CONTROLS = BucketSetting(  # resourceBucketOwnershipControls, of a version before 6
    TYPE="aws:s3/bucketOwnershipControls:BucketOwnershipControls",
    RULES=Rules(replaced_by=frozenset({"bucket", "region"}), values={"rule.objectOwnership": OWNERSHIPS}),
    INPUTS=frozenset({"bucket", "rule"}),
    put=_put_ownership,
    get=_get_ownership,
    remove=lambda s3, bucket: s3.delete_bucket_ownership_controls(Bucket=bucket),
    absent=("OwnershipControlsNotFoundError",),
)
POLICY = BucketSetting(  # resourceBucketPolicy
    TYPE="aws:s3/bucketPolicy:BucketPolicy",
    RULES=Rules(replaced_by=frozenset({"bucket", "region"})),
    INPUTS=frozenset({"bucket", "policy"}),
    put=lambda s3, bucket, inputs: s3.put_bucket_policy(Bucket=bucket, Policy=as_document(inputs["policy"])),
    get=lambda s3, bucket: {"policy": s3.get_bucket_policy(Bucket=bucket)["Policy"]},
    remove=lambda s3, bucket: s3.delete_bucket_policy(Bucket=bucket),
    absent=("NoSuchBucketPolicy",),
)
PUBLIC_ACCESS_BLOCK = BucketSetting(  # resourceBucketPublicAccessBlock
    TYPE="aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock",
    RULES=Rules(replaced_by=frozenset({"bucket", "region"}), defaults=dict.fromkeys(SWITCHES, False)),
    INPUTS=frozenset({"bucket", *SWITCHES}),
    put=_put_public_access_block,
    get=_get_public_access_block,
    remove=lambda s3, bucket: s3.delete_public_access_block(Bucket=bucket),
    absent=("NoSuchPublicAccessBlockConfiguration",),
)
VERSIONING = Versioning(  # resourceBucketVersioning, of a version before 6
    TYPE="aws:s3/bucketVersioning:BucketVersioning",
    RULES=Rules(
        replaced_by=frozenset({"bucket", "expectedBucketOwner", "region"}),
        values={"versioningConfiguration.status": frozenset({"Enabled", "Suspended", DISABLED})},
    ),
    INPUTS=frozenset({"bucket", "versioningConfiguration"}),
    put=_put_versioning,
    get=_get_versioning,
    remove=_suspend_versioning,
)
