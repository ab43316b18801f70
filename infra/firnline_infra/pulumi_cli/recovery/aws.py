"""Asks AWS for the ids that are not made of names alone. Loads no SDK: the caller brings the clients."""

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

from firnline_infra.pulumi_cli.recovery.import_ids import Lookup, Properties

NOT_THERE = {"ResourceNotFoundException", "NotFoundException"}
DENIED = {"AccessDeniedException"}


def aws_lookups(client: Callable[[str], Any]) -> Mapping[str, Lookup]:
    """`client` makes a boto3 client of a service, in the account and region of the stack."""
    return {
        "aws:iam/policy:Policy": lambda inputs: [_policy(client("sts"), inputs)],
        "aws:kinesis/streamConsumer:StreamConsumer": lambda inputs: _consumer(client("kinesis"), inputs),
        "aws:kms/key:Key": lambda inputs: _keys(client("kms"), inputs),
        "aws:secretsmanager/secret:Secret": lambda inputs: _secret(client("secretsmanager"), inputs),
    }


def _policy(sts: Any, inputs: Properties) -> str:
    """Where it would be: its ARN has the account, which nobody needs a permission to ask for."""
    _, partition, _, _, account, _ = sts.get_caller_identity()["Arn"].split(":", 5)
    return f"arn:{partition}:iam::{account}:policy{inputs.get('path') or '/'}{inputs['name']}"


def _consumer(kinesis: Any, inputs: Properties) -> Sequence[str]:
    described = _unless_absent(
        kinesis.describe_stream_consumer, StreamARN=inputs["streamArn"], ConsumerName=inputs["name"]
    )
    return [described["ConsumerDescription"]["ConsumerARN"]] if described else []


def _secret(secrets: Any, inputs: Properties) -> Sequence[str]:
    described = _unless_absent(secrets.describe_secret, SecretId=inputs["name"])
    return [described["ARN"]] if described and "DeletedDate" not in described else []


def _keys(kms: Any, inputs: Properties) -> Sequence[str]:
    """A key has no name: it is known by its tags. Ours carry the one that lets the deployer look at them."""
    wanted = inputs.get("tags") or {}
    ids = [key["KeyId"] for page in kms.get_paginator("list_keys").paginate() for key in page["Keys"]]
    return [id_ for id_ in ids if wanted and wanted.items() <= _key_tags(kms, id_).items() and _is_kept(kms, id_)]


def _key_tags(kms: Any, key_id: str) -> dict[str, str]:
    """None, of a key that is not for us to look at."""

    def read() -> dict[str, str]:
        pages = kms.get_paginator("list_resource_tags").paginate(KeyId=key_id)
        return {tag["TagKey"]: tag["TagValue"] for page in pages for tag in page["Tags"]}

    return _unless(DENIED, read) or {}


def _is_kept(kms: Any, key_id: str) -> bool:
    state: str = kms.describe_key(KeyId=key_id)["KeyMetadata"]["KeyState"]
    return state != "PendingDeletion"


def _unless_absent(call: Callable[..., Any], **arguments: str) -> Any:
    return _unless(NOT_THERE, lambda: call(**arguments))


def _unless(codes: Collection[str], ask: Callable[[], Any]) -> Any:
    """What the service answers, or None where it refuses with one of the codes."""
    try:
        return ask()
    except Exception as error:
        if getattr(error, "response", {}).get("Error", {}).get("Code") in codes:
            return None
        raise
