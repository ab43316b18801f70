"""Checks the region: it must be of its partition, and have the services that the environment uses."""

from collections.abc import Iterator

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.partition import LACKING, partition_of_region


def _the_region_lies_in_the_partition(spec: EnvironmentSpec) -> Iterator[str]:
    region = spec.aws.region
    expected = partition_of_region(region)
    if spec.aws.partition != expected:
        yield f"aws.partition: {spec.aws.partition!r} does not have the region {region}; expected {expected!r}."


OF_OTHER_PARTITIONS = ("eusc-", "us-iso", "eu-isoe-")
"""The beginnings of regions of the European Sovereign Cloud and of isolated clouds, which have partitions, domains and endpoints
of their own (botocore's endpoint data, 2026-11-30)."""


def _the_partition_is_one_that_is_known(spec: EnvironmentSpec) -> Iterator[str]:
    if spec.aws.region.startswith(OF_OTHER_PARTITIONS):
        known = "aws, aws-cn and aws-us-gov"
        yield f"aws.region: {spec.aws.region} lies in none of the partitions {known}; others are not supported."


def _the_region_has_the_services(spec: EnvironmentSpec) -> Iterator[str]:
    """A region that the list does not know may be younger than the list."""
    region, runtime, redshift = spec.aws.region, spec.aws.runtime, spec.redshift
    asked = {
        "aws.runtime.emr_eks": "emr-containers" if runtime.emr_eks is not None else "",
        "redshift.workgroup": "redshift-serverless" if redshift is not None and redshift.workgroup is not None else "",
    }
    for path, service in asked.items():
        if region in LACKING.get(service, ()):
            yield (
                f"{path}: AWS lists no endpoint of {service} in {region} (botocore's endpoint data); use another region, or "
                f"leave it out and use another way."
            )


WITHOUT_SPARK_8_0 = ("me-south-1", "me-central-1")
"""EMR Serverless user guide, "AWS runtime for Apache Spark (emr-spark-8.0.0)", Regional Availability (2026-11-30)."""


def _the_region_has_the_release(spec: EnvironmentSpec) -> Iterator[str]:
    section = spec.aws.runtime.emr_serverless
    if section is not None and section.release.startswith("emr-spark-8.0.") and spec.aws.region in WITHOUT_SPARK_8_0:
        yield (
            f"aws.runtime.emr_serverless.release: EMR Serverless does not have {section.release} in {spec.aws.region}; use "
            f"emr-spark-8.1.0, or another region."
        )


CHECKS = (
    _the_region_lies_in_the_partition,
    _the_partition_is_one_that_is_known,
    _the_region_has_the_services,
    _the_region_has_the_release,
)
