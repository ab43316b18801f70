"""Checks that the key that is recorded beside the specification can be used, and is the one that the bootstrap's alias leads to.

The file of keys is reviewed, and policies name what it says: another key in it would be another's, or one that was swapped.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.kinds.keys_and_secrets import why_unusable
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_ingest.checks import Finding, good, wrong

STEP = "find out who changed the file of keys, or moved the alias, and why; then correct the one that is wrong, in a review"


def recorded(spec: EnvironmentSpec, kms: Any) -> Iterator[Finding]:
    """Yields whether it can be used; of the bootstrap's, whether its alias leads to it. Nothing if none is recorded. Raises
    AwsRefused.
    """
    arn = spec.aws.key.arn
    if arn is not None:
        with aws_call("kms:DescribeKey", f"key {arn}"):
            state = why_unusable(kms, arn)
        if state is not None:
            step = (
                f"aws kms cancel-key-deletion --key-id {arn} and aws kms enable-key --key-id {arn}, as an administrator"
            )
            yield wrong(f"key {arn}", f"is {state}: nothing can be encrypted or read with it", next_step=step)
    if spec.aws.key.origin is not Origin.CREATE or arn is None:
        return
    alias = f"alias/{Names.of(spec).key_alias}"
    answer: Any = if_there("kms:DescribeKey", f"key {alias}", kms.describe_key, KeyId=alias)
    found = None if answer is None else str(answer["KeyMetadata"]["Arn"])
    if found is None:
        yield wrong(f"key {alias}", f"is not there, and {arn} is recorded", next_step=STEP)
    elif found == arn:
        yield good(f"key {alias}", "is the recorded one")
    else:
        yield wrong(f"key {alias}", f"leads to {found}, and {arn} is recorded", next_step=STEP)
