"""Whether the key that is recorded beside the specification is the one that the bootstrap's alias leads to.

The file of keys is reviewed, and policies name what it says: another key in it would be another's, or one that was swapped.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.accounts.aws import if_there
from firnline_infra.observe import Finding, good, wrong
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin

STEP = "find out who changed the file of keys, or moved the alias, and why; then correct the one that is wrong, in a review"


def recorded(spec: EnvironmentSpec, kms: Any) -> Iterator[Finding]:
    """Nothing where none is recorded, or it is not the bootstrap's. Raises AwsRefused."""
    arn = spec.aws.key.arn
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
