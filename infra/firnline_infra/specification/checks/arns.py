"""Every ARN belongs to the environment's partition, account and region, so that no stack reaches into another's."""

from collections.abc import Iterator

from firnline_infra.specification.model import EnvironmentSpec

PARTITION_OF = {"cn": "aws-cn", "us-gov": "aws-us-gov"}
MANAGED_BY_AWS = "aws"  # in place of the account, in the ARN of AWS's own policies


def _the_region_lies_in_the_partition(spec: EnvironmentSpec) -> Iterator[str]:
    region = spec.aws.region
    expected = next((each for start, each in PARTITION_OF.items() if region.startswith(f"{start}-")), "aws")
    if spec.aws.partition != expected:
        yield f"aws.partition: {spec.aws.partition!r} does not have the region {region}; expected {expected!r}."


def _arns_belong_to_the_environment(spec: EnvironmentSpec) -> Iterator[str]:
    for path, arn in _arns(spec):
        if arn is None:
            continue
        _, partition, _, region, account, *_ = arn.split(":")
        given = {"aws.partition": partition, "aws.region": region, "aws.account": account}
        wanted = {
            "aws.partition": spec.aws.partition,
            "aws.region": spec.aws.region if region else "",  # the ARNs of IAM have none
            "aws.account": MANAGED_BY_AWS if account == MANAGED_BY_AWS else spec.aws.account,
        }
        for name, value in given.items():
            if value != wanted[name]:
                yield f"{path}: is of {name.removeprefix('aws.')} {value}; expected {wanted[name]}, as in {name}."


def _arns(spec: EnvironmentSpec) -> Iterator[tuple[str, str | None]]:
    yield "aws.key.arn", spec.aws.key.arn
    yield "aws.permissions_boundary", spec.aws.permissions_boundary
    for index, stream in enumerate(spec.streams):
        yield f"streams[{index}].key_arn", stream.key_arn
    for index, topic in enumerate(spec.alarms.topics):
        yield f"alarms.topics[{index}]", topic
    yield "snowflake.ingest.secret_arn", spec.snowflake.ingest.secret_arn
    yield "snowflake.reader.secret_arn", spec.snowflake.reader.secret_arn


CHECKS = (_the_region_lies_in_the_partition, _arns_belong_to_the_environment)
