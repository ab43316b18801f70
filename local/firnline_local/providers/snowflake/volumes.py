"""External volumes on S3. Their order counts: the first location is the one in use.

Rules: provider source, pkg/resources/external_volume.go.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from firnline_local.providers.kind import Properties, Rules, one_of_words
from firnline_local.providers.snowflake.kind import SWITCH, Setting, ShownObject, SnowflakeKind, refuse_others
from firnline_local.providers.snowflake.sql import literal, plain

LOCATION = {
    "storageLocationName": "NAME",
    "storageProvider": "STORAGE_PROVIDER",
    "storageAwsRoleArn": "STORAGE_AWS_ROLE_ARN",
    "storageBaseUrl": "STORAGE_BASE_URL",
    "storageAwsExternalId": "STORAGE_AWS_EXTERNAL_ID",
}
ENCRYPTION = ("encryptionType", "encryptionKmsKeyId")
SENTINEL = "terraform_provider_sentinel_storage_location"
"""What the stock provider calls the location that keeps a volume from being empty while others change."""
OF_S3 = {
    "storageAwsRoleArn": "STORAGE_AWS_ROLE_ARN",
    "storageAwsIamUserArn": "STORAGE_AWS_IAM_USER_ARN",
    "storageAwsExternalId": "STORAGE_AWS_EXTERNAL_ID",
    "encryptionKmsKeyId": "ENCRYPTION_KMS_KEY_ID",
}


def _relocations(target: str, old: Sequence[Properties], new: Sequence[Properties]) -> list[str]:
    same = 0
    while same < min(len(old), len(new)) and _meaning(old[same]) == _meaning(new[same]):
        same += 1
    removed = [f"REMOVE STORAGE_LOCATION {literal(each['storageLocationName'])}" for each in old[same:]]
    added = [f"ADD STORAGE_LOCATION = {_location(each)}" for each in new[same:]]
    if removed and not same:
        sentinel = _location({**old[0], "storageLocationName": SENTINEL, "encryptionType": "NONE"})
        removed.insert(0, f"ADD STORAGE_LOCATION = {sentinel}")
        added.append(f"REMOVE STORAGE_LOCATION {literal(SENTINEL)}")
    return [f"ALTER {target} {change}" for change in (*removed, *added)]


def _location(location: Properties) -> str:
    written = [f"{key} = {literal(location[name])}" for name, key in LOCATION.items() if location.get(name)]
    if location.get("encryptionType"):
        key = location.get("encryptionKmsKeyId")
        kms = f" KMS_KEY_ID = {literal(key)}" if key else ""
        written.append(f"ENCRYPTION = (TYPE = {literal(location['encryptionType'])}{kms})")
    return f"({' '.join(written)})"


def _meaning(location: Properties) -> dict[str, Any]:
    """Returns what stays the same however it is spelled."""
    found = {name: value for name, value in location.items() if value and value not in ("NONE", "default")}
    return {**found, "storageProvider": str(location["storageProvider"]).upper()}


def _as_input(found: Properties, known: Properties | None) -> dict[str, Any]:
    location = {name: found[key] for name, key in LOCATION.items()}
    location |= {"encryptionType": found["ENCRYPTION_TYPE"], "encryptionKmsKeyId": found["ENCRYPTION_KMS_KEY_ID"]}
    if known is not None and not known.get("storageAwsExternalId"):
        del location["storageAwsExternalId"]  # made up by Snowflake, and an output then
    if known is not None and _meaning(location) == _meaning(known):
        return dict(known)
    return {name: value for name, value in location.items() if value and value != "NONE"}


def _described(found: Sequence[Properties], row: Properties) -> dict[str, Any]:
    """The answer of DESCRIBE in the shape that the provider gives it."""
    return {
        "active": found[0]["NAME"],
        "allowWrites": row["allow_writes"],
        "comment": row["comment"],
        "storageLocations": [
            {
                "name": each["NAME"],
                "storageProvider": each["STORAGE_PROVIDER"],
                "storageBaseUrl": each["STORAGE_BASE_URL"],
                "storageAllowedLocations": each["STORAGE_ALLOWED_LOCATIONS"],
                "encryptionType": each["ENCRYPTION_TYPE"],
                "s3StorageLocations": [{name: each[key] for name, key in OF_S3.items() if each[key] is not None}],
            }
            for each in found
        ],
    }


def _volume(inputs: Properties, path: str) -> str:
    return (
        f"CREATE EXTERNAL VOLUME {path} STORAGE_LOCATIONS = ({', '.join(map(_location, inputs['storageLocations']))})"
    )


def _of_volume(it: ShownObject) -> Properties:
    rows = it.clients.rows(f"DESCRIBE EXTERNAL VOLUME {it.path}")
    found = [json.loads(each["property_value"]) for each in rows if each["property"].startswith("STORAGE_LOCATION_")]
    known = {each["storageLocationName"]: each for each in it.known.get("storageLocations") or ()}
    locations = [_as_input(each, known.get(each["NAME"])) for each in found]
    return {"storageLocations": locations, "describeOutputs": [_described(found, it.row)]}


def _locations(inputs: Properties) -> Iterator[str]:
    """external_volume.go at 06916658: at least one; extractStorageLocations says what belongs to S3."""
    locations = inputs.get("storageLocations") or ()
    if not locations:
        yield "storageLocations: at least 1 block is required."
    for location in locations:
        if str(location["storageProvider"]).upper() in ("S3", "S3GOV"):
            if not location.get("storageAwsRoleArn"):
                yield "storageLocations.storageAwsRoleArn: is required for an s3 storage location."
            for name in ("azureTenantId", "storageEndpoint", "storageAwsKeyId", "storageAwsSecretKey"):
                if location.get(name):
                    yield f"storageLocations.{name}: is not supported for an s3 storage location."


def _check(inputs: Properties) -> None:
    for location in inputs["storageLocations"]:
        refuse_others(f"{EXTERNAL_VOLUME.type}, storageLocations", location, {*LOCATION, *ENCRYPTION})


def _changes(old: Properties, new: Properties, path: str, altered: list[str]) -> list[str]:
    return [*altered, *_relocations(f"EXTERNAL VOLUME {path}", old["storageLocations"], new["storageLocations"])]


EXTERNAL_VOLUME = SnowflakeKind(
    type="snowflake:index/externalVolume:ExternalVolume",
    rules=Rules.of(
        "name",
        defaults={"comment": "", "allowWrites": "true"},
        values={"allowWrites": SWITCH, "storageLocations.usePrivatelinkEndpoint": SWITCH},
        forms={
            "storageLocations.storageProvider": one_of_words("GCS AZURE S3 S3GOV S3COMPAT"),
            "storageLocations.encryptionType": one_of_words("NONE AWS_SSE_KMS AWS_SSE_S3 GCS_SSE_KMS"),
        },
        checks=(_locations,),
    ),
    word="EXTERNAL VOLUME",
    listing="EXTERNAL VOLUMES",
    settings=(Setting("allowWrites", spell=plain, unset="true"), Setting("comment", unset="''")),
    carried="storageLocations",
    check=_check,
    head=_volume,
    more=_of_volume,
    changes=_changes,
)
KINDS = (EXTERNAL_VOLUME,)
