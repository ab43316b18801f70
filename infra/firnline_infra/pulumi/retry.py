"""Retries of the first uses of a role that AWS does not know everywhere yet; and the error if that did not help."""

import asyncio

import pulumi
from pulumi.runtime.proto import resource_pb2
from pulumi.runtime.settings import monitor_supports_feature

from firnline_ingest.errors import Fatal, FirnlineError


class VolumeUnusable(FirnlineError, Fatal):
    """Snowflake could not use an external volume, again and again."""

    id = "FL-7120"
    causes = "An external volume could not be used, also after a minute of trying"
    remedy = (
        "the error of the resource has Snowflake's answer; each part of it that is FAILED names a right. Look for "
        "what denies it: the role's trust, a policy of the organisation, the key's policy, the bucket's. Then run "
        "the same command again."
    )

    def __init__(self, resource: str, *, tries: int) -> None:
        super().__init__(f"{resource} failed {tries} times: Snowflake can't use the external volume.")


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
