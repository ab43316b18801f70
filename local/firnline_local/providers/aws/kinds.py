"""The rows of pulumi-aws that there are."""

from firnline_local.providers.aws import (
    cloudwatch,
    dynamodb,
    ec2,
    ecr,
    eventbridge,
    iam,
    kms,
    redshift,
    runtimes,
    s3,
    secrets,
    streams,
)

FAMILIES = (cloudwatch, dynamodb, ec2, ecr, eventbridge, iam, kms, redshift, runtimes, s3, secrets, streams)
KINDS = tuple(kind for family in FAMILIES for kind in family.KINDS)
