"""One case for each type: how it is asked for, what can change behind its back, and what an update may change."""

from . import (
    cloudwatch,
    dynamodb,
    ec2,
    ecr,
    eks,
    emr,
    eventbridge,
    iam,
    kinesis,
    kms,
    redshift,
    s3,
    secretsmanager,
    ssm,
)
from .case import ACCOUNT, Case, a_bucket, a_policy, a_role, a_user, fresh, policy

CASES = [
    case
    for service in (
        kinesis,
        dynamodb,
        iam,
        kms,
        s3,
        secretsmanager,
        ssm,
        cloudwatch,
        ec2,
        ecr,
        eks,
        emr,
        redshift,
        eventbridge,
    )
    for case in service.CASES
]

__all__ = ["ACCOUNT", "CASES", "Case", "a_bucket", "a_policy", "a_role", "a_user", "fresh", "policy"]
