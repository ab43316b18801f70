"""Retries of the first uses of a role that AWS does not know everywhere yet."""

import asyncio

import pulumi
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import monitor_supports_feature

from firnline_infra.kinds.errors import VolumeUnusable

TRIES, PAUSE_S = 12, 5.0
"""A minute in all; AWS speaks of seconds."""
SIGNS = (
    *("volume", "assume", "access denied", "accessdenied", "not authorized to perform"),
    "is not recognized",  # how a volume that could not be used fails (blueprint: IcebergVolume.prove)
)


def until_the_volume_can_be_used(name: str) -> pulumi.ResourceHookBinding | None:
    """A hook that retries only creations whose error speaks of the volume or of its role.

    Returns None if the engine can't retry (Pulumi before 3.217).
    """
    if not monitor_supports_feature(resource_pb2.RESOURCE_MONITOR_FEATURE_ERROR_HOOKS):
        return None
    return pulumi.ResourceHookBinding(on_error=[pulumi.ErrorHook(f"{name}-again", try_again)])


async def try_again(failed: pulumi.ErrorHookArgs) -> bool:
    """Says what to do where time did not help."""
    if not can_pass(failed.failed_operation, failed.errors):
        return False
    if len(failed.errors) > TRIES:
        pulumi.error(str(VolumeUnusable(failed.name, tries=len(failed.errors))))
        return False
    await asyncio.sleep(PAUSE_S)
    return True


def can_pass(operation: str, errors: list[str]) -> bool:
    """`errors` are those of all tries so far, the newest first."""
    newest = errors[0].lower() if errors else ""
    return operation == "create" and any(sign in newest for sign in SIGNS)
