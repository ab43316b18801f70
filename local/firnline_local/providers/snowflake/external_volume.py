"""Snowflake external volumes on S3. Their order counts: the first location is the one in use."""

import json
from collections.abc import Sequence
from typing import Any

from firnline_local.providers.clients import Clients
from firnline_local.providers.kind import CreatedResource, Properties, Rules
from firnline_local.providers.snowflake.object import drop, given, named, refuse_others, shown
from firnline_local.providers.snowflake.settings import COMMENT, SWITCH, Setting, alterations, assignments
from firnline_local.providers.snowflake.sql import literal, plain, quoted

TYPE = "snowflake:index/externalVolume:ExternalVolume"
RULES = Rules(  # provider source, pkg/resources/external_volume.go
    replaced_by=frozenset({"name"}),
    defaults={"comment": "", "allowWrites": "true"},
    values={"allowWrites": SWITCH},
)
SETTINGS = (Setting("allowWrites", "ALLOW_WRITES", plain, unset="true"), Setting("comment", "COMMENT", unset="''"))
KNOWN = frozenset({"name", "storageLocations", "allowWrites", "comment"})
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


def create(inputs: Properties, clients: Clients) -> CreatedResource:
    _refuse(inputs)
    name = inputs["name"]
    locations = ", ".join(map(_location, inputs["storageLocations"]))
    settings = assignments(SETTINGS[:1], inputs) + assignments([COMMENT], inputs)
    clients.execute(f"CREATE EXTERNAL VOLUME {quoted(name)} STORAGE_LOCATIONS = ({locations}){settings}")
    return CreatedResource(id=name, properties=read(name, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> Properties | None:
    name = named(id_, properties)
    row = shown(clients, "EXTERNAL VOLUMES", name)
    if row is None:
        return None
    rows = clients.rows(f"DESCRIBE EXTERNAL VOLUME {quoted(name)}")
    found = [json.loads(each["property_value"]) for each in rows if each["property"].startswith("STORAGE_LOCATION_")]
    known = {each["storageLocationName"]: each for each in properties.get("storageLocations") or ()}
    return {
        "name": name,
        "allowWrites": row["allow_writes"],
        "comment": row["comment"],
        "storageLocations": [_as_input(each, known.get(each["NAME"])) for each in found],
        "describeOutputs": [_described(found, row)],
        "fullyQualifiedName": quoted(name),
    }


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> Properties:
    """A volume is never without a location: where the first one changes, another stands in meanwhile."""
    _refuse(new)
    target = f"EXTERNAL VOLUME {quoted(new['name'])}"
    clients.execute(*alterations(target, SETTINGS, old, new))
    clients.execute(*_relocations(target, old["storageLocations"], new["storageLocations"]))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    drop(clients, "EXTERNAL VOLUME", quoted(named(id_, properties)))


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
    """What stays the same however it is spelled."""
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
    """As DESCRIBE has it, in the shape that the provider gives it."""
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
                "s3StorageLocations": [
                    given(
                        {
                            "storageAwsRoleArn": each["STORAGE_AWS_ROLE_ARN"],
                            "storageAwsIamUserArn": each["STORAGE_AWS_IAM_USER_ARN"],
                            "storageAwsExternalId": each["STORAGE_AWS_EXTERNAL_ID"],
                            "encryptionKmsKeyId": each["ENCRYPTION_KMS_KEY_ID"],
                        }
                    )
                ],
            }
            for each in found
        ],
    }


def _refuse(inputs: Properties) -> None:
    refuse_others(TYPE, inputs, KNOWN)
    for location in inputs["storageLocations"]:
        refuse_others(f"{TYPE}, storageLocations", location, {*LOCATION, *ENCRYPTION})
