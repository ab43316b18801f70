"""Access of Snowflake to an external volume: role, trust, bucket, policies and key, as they are in the embedded AWS.

Actions are those of Snowflake's page on external volumes for S3 (`tables-iceberg-configure-external-volume-s3`). What stands
in the way is said in one sentence each, so that whatever is taken away is named.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from firnline_local.aws.policy import (
    Context,
    Statement,
    account_of,
    is_allowed,
    is_allowed_on,
    is_denied,
    names,
    statements_of,
    statements_of_role,
)

OBJECT_ACTIONS = (
    "s3:GetObject",
    "s3:GetObjectVersion",
    "s3:PutObject",
    "s3:DeleteObject",
    "s3:DeleteObjectVersion",
)
KEY_ACTIONS = ("kms:Decrypt", "kms:GenerateDataKey")
PROBE = "verify/metadata.json"
NOT_THERE = {"404", "NoSuchBucket", "NoSuchEntity", "NotFoundException", "NoSuchBucketPolicy"}


@dataclass(frozen=True, kw_only=True)
class Volume:
    """A storage location of an external volume, and who comes to use it."""

    role_arn: str
    external_id: str | None
    principal_arn: str
    """Snowflake's own IAM user."""
    bucket: str
    prefix: str = ""
    """Inside the bucket, with or without a slash at its end."""
    kms_key_arn: str | None = None


def can_use(volume: Volume, client: Callable[[str], Any]) -> list[str]:
    """Returns what stands in the way, nothing if it works. `client` gives the boto3 client of a service."""
    return list(_refusals(volume, client))


def _refusals(volume: Volume, client: Callable[[str], Any]) -> Iterator[str]:
    iam, role = client("iam"), volume.role_arn.rpartition("/")[2]
    found = _or_none(lambda: iam.get_role(RoleName=role)["Role"])
    if found is None or found["Arn"] != volume.role_arn:
        yield f"Role {volume.role_arn} does not exist."
        return
    yield from _trust_refusals(volume, statements_of(found["AssumeRolePolicyDocument"]))
    granted = statements_of_role(iam, role)
    yield from _bucket_refusals(volume, granted, client("s3"))
    if volume.kms_key_arn is not None:
        yield from _key_refusals(volume, volume.kms_key_arn, granted, client("kms"))


def _trust_refusals(volume: Volume, trust: list[Statement]) -> Iterator[str]:
    whom = {volume.principal_arn}
    named = [each for each in trust if names(each, whom)]
    context: Context = {"sts:ExternalId": volume.external_id} if volume.external_id else {}
    if not named:
        yield f"The trust policy of {volume.role_arn} does not name {volume.principal_arn}."
    elif not is_allowed(named, "sts:AssumeRole", volume.role_arn, context):
        said = f"external id {volume.external_id}" if volume.external_id else "no external id"
        yield f"The trust policy of {volume.role_arn} does not let {volume.principal_arn} assume it with {said}."


def _bucket_refusals(volume: Volume, granted: list[Statement], s3: Any) -> Iterator[str]:
    if _or_none(lambda: s3.head_bucket(Bucket=volume.bucket)) is None:
        yield f"Bucket {volume.bucket} does not exist."
        return
    bucket, folder = f"arn:aws:s3:::{volume.bucket}", volume.prefix.strip("/")
    probe = f"{folder}/{PROBE}" if folder else PROBE
    document = _or_none(lambda: s3.get_bucket_policy(Bucket=volume.bucket)["Policy"])
    own = [each for each in statements_of(document or "{}") if names(each, {volume.role_arn})]
    needed: list[tuple[str, str, dict[str, str]]] = [(action, f"{bucket}/{probe}", {}) for action in OBJECT_ACTIONS]
    needed += [("s3:ListBucket", bucket, {"s3:prefix": probe}), ("s3:GetBucketLocation", bucket, {})]
    for action, resource, more in needed:
        context = {"aws:SecureTransport": "true", **more}
        if is_denied(own, action, resource, context):
            yield f"The policy of bucket {volume.bucket} denies {action} on {resource} to {volume.role_arn}."
        elif not is_allowed_on(own, granted, action, resource, principal=volume.role_arn, context=context):
            yield f"No policy of {volume.role_arn} allows {action} on {resource}."


def _key_refusals(volume: Volume, key_arn: str, granted: list[Statement], kms: Any) -> Iterator[str]:
    key = _or_none(lambda: kms.describe_key(KeyId=key_arn)["KeyMetadata"])
    if key is None:
        yield f"Key {key_arn} does not exist."
        return
    if not key["Enabled"]:
        yield f"Key {key_arn} is {key['KeyState']}, not enabled."
    policy = statements_of(kms.get_key_policy(KeyId=key_arn, PolicyName="default")["Policy"])
    region = key_arn.split(":")[3]
    context = {"kms:ViaService": f"s3.{region}.amazonaws.com", "kms:CallerAccount": account_of(volume.role_arn)}
    for action in KEY_ACTIONS:
        if not is_allowed_on(
            policy, granted, action, key_arn, principal=volume.role_arn, context=context, needs_own=True
        ):
            yield (
                f"Neither the policy of key {key_arn} nor, if that leaves it to the account, a policy of "
                f"{volume.role_arn} allows {action}."
            )


def _or_none(ask: Callable[[], Any]) -> Any:
    """Returns None if the service says that there is no such thing."""
    try:
        return ask()
    except Exception as error:
        response = getattr(error, "response", {})
        if response.get("Error", {}).get("Code") not in NOT_THERE:
            raise
        return None
