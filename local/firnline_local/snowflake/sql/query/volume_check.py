"""Whether an external volume can be used: what SYSTEM$VERIFY_EXTERNAL_VOLUME says, and CREATE ICEBERG TABLE relies on."""

import json
from typing import Any

from firnline_local.snowflake.catalog import ExternalVolume, StorageLocation
from firnline_local.snowflake.catalog.volumes import storage_user_arn
from firnline_local.snowflake.sql.scope import Context

PASSED, FAILED = "PASSED", "FAILED"
TESTS = ("readResult", "writeResult", "listResult", "deleteResult", "awsRoleArnValidationResult")


def obstacles(context: Context, volume: ExternalVolume) -> list[str]:
    """What is in the way at the active location, the first; empty where nothing is."""
    return _ask(context, volume.locations[0])


def verify(context: Context, volume: ExternalVolume) -> str:
    """The JSON that a real account answers (`sql-reference/functions/system_verify_external_volume`)."""
    location, found = volume.locations[0], obstacles(context, volume)
    result = FAILED if found else PASSED
    answer: dict[str, Any] = {
        "success": not found,
        "storageLocationSelectionResult": result,
        "storageLocationName": location.name,
        "servicePrincipalProperties": (
            f"STORAGE_AWS_IAM_USER_ARN: {storage_user_arn(context.account.name)}; "
            f"STORAGE_AWS_EXTERNAL_ID: {location.external_id}"
        ),
        "location": location.base_url,
        "storageAccount": None,
        "region": None,
        **dict.fromkeys(TESTS, result),
        "azureGetUserDelegationKeyResult": "SKIPPED",
    }
    return json.dumps(answer | ({"error": "; ".join(found)} if found else {}))


def _ask(context: Context, location: StorageLocation) -> list[str]:
    return context.catalog.volume_access(location, storage_user_arn(context.account.name))
