"""What is made, adopted or left out, against what the environment is for."""

from collections.abc import Iterator

from firnline_infra.specification.aws import Origin, Trust
from firnline_infra.specification.model import Durability, EnvironmentSpec

WITHOUT_A_ROLE = (Trust.STATIC_KEYS, Trust.NOBODY)


def _a_bucket_is_left_out_only_where_nothing_has_to_last(spec: EnvironmentSpec) -> Iterator[str]:
    bucket, trust = spec.aws.bucket, spec.aws.runtime.trust
    if bucket.origin is not Origin.SKIP:
        return
    if bucket.name is not None:
        yield "aws.bucket.name: belongs to origin: create or adopt; remove it."
    if spec.durability is Durability.PROTECTED:
        yield (
            "aws.bucket.origin: 'skip' leaves the engine's configuration and Spark's checkpoint in a folder of one machine; "
            "durability: PROTECTED needs 'create' or 'adopt'."
        )
    if trust is not Trust.NOBODY:
        yield (
            f"aws.bucket.origin: 'skip' leaves Spark's checkpoint without a place that {trust.value} reaches; expected "
            f"'create' or 'adopt' (only runtime.trust: nobody does without)."
        )


def _a_role_has_a_name_where_there_is_one(spec: EnvironmentSpec) -> Iterator[str]:
    runtime = spec.aws.runtime
    if runtime.role is not None and runtime.trust in WITHOUT_A_ROLE:
        yield f"aws.runtime.role: no role is made with trust: {runtime.trust.value}; remove it."


CHECKS = (
    _a_bucket_is_left_out_only_where_nothing_has_to_last,
    _a_role_has_a_name_where_there_is_one,
)
