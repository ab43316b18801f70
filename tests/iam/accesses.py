"""Actions and resources of a request: one table for each service, in services/.

Action names and resource types are those of the AWS Service Authorization Reference. What no table knows is shown as
service:Operation on `*`, never dropped: a missing row is seen wherever calls are compared with policies.
"""

from collections.abc import Callable, Iterable, Mapping

from tests.iam.request import Access, Request
from tests.iam.services import (
    cloudwatch,
    dynamodb,
    ecr,
    eks,
    elasticmapreduce,
    emr_containers,
    emr_serverless,
    eventbridge,
    glue,
    iam,
    kinesis,
    kms,
    logs,
    redshift,
    s3,
    secretsmanager,
    sns,
    ssm,
    sts,
)

Table = Callable[[Request], Iterable[Access] | None]
"""None where the table does not know the operation."""

TABLES: Mapping[str, Table] = {
    "cloudwatch": cloudwatch.accesses,
    "dynamodb": dynamodb.accesses,
    "ecr": ecr.accesses,
    "eks": eks.accesses,
    "elasticmapreduce": elasticmapreduce.accesses,
    "emr-containers": emr_containers.accesses,
    "emr-serverless": emr_serverless.accesses,
    "events": eventbridge.of_events,
    "glue": glue.accesses,
    "iam": iam.accesses,
    "kinesis": kinesis.accesses,
    "kms": kms.accesses,
    "logs": logs.accesses,
    "redshift": redshift.of_clusters,
    "redshift-data": redshift.of_data_api,
    "redshift-serverless": redshift.of_serverless,
    "s3": s3.accesses,
    "scheduler": eventbridge.of_scheduler,
    "secretsmanager": secretsmanager.accesses,
    "sns": sns.accesses,
    "ssm": ssm.accesses,
    "sts": sts.accesses,
}


def accesses_of(request: Request) -> tuple[Access, ...]:
    table = TABLES.get(request.service)
    found = table(request) if table else None
    if found is None:
        return (Access(f"{request.service}:{request.operation}", "*"),)
    return tuple(found)
