"""Policies that Redshift reads streams with: the two of its page on streaming ingestion, on the streams that views read.

Actions are that page's ("Getting started with streaming ingestion from Amazon Kinesis Data Streams", step 1); who may be the role
is on "Restricting access to IAM roles" and "Authorizing Amazon Redshift to access AWS services on your behalf".
"""

from collections.abc import Iterator

from firnline_infra.blueprint.iam.statement import Conditions, PolicyStatement, allow, via
from firnline_infra.blueprint.value import Value
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.redshift import Redshift

READ_ACTIONS = (
    "kinesis:DescribeStreamSummary",
    "kinesis:GetShardIterator",
    "kinesis:GetRecords",
    "kinesis:DescribeStream",
)
LIST_ACTIONS = ("kinesis:ListStreams", "kinesis:ListShards")
USE_KEY = ("kms:DescribeKey", "kms:CreateGrant", "kms:Decrypt", "kms:GenerateDataKey", "kms:Encrypt")
"""The Data API keeps statements and results under the cluster's key, by a grant that Redshift makes on behalf of who runs one
("Using AWS KMS with the Amazon Redshift Data API")."""
RUN, LOG_IN = "redshift-data:ExecuteStatement", "redshift:GetClusterCredentials"
SERVICES = ("redshift.amazonaws.com", "redshift-serverless.amazonaws.com")


def ingestion_statements(*, streams: tuple[Value, ...], keys: tuple[Value, ...]) -> tuple[PolicyStatement, ...]:
    """`keys` are those of customers that a stream is encrypted with; one of AWS's own needs no right."""
    decrypt = PolicyStatement(sid="DecryptStream", actions=("kms:Decrypt",), resources=keys)
    return (
        PolicyStatement(sid="ReadStream", actions=READ_ACTIONS, resources=streams),
        *((decrypt,) if keys else ()),
        PolicyStatement(sid="ListStream", actions=LIST_ACTIONS, resources=("*",)),
    )


def ingestion_trust(*, users: str, serverless: bool) -> tuple[PolicyStatement, ...]:
    """`users` is a pattern of database users' ARNs: Redshift gives that of the one it acts for as the external id ("Restricting
    access to IAM roles"). That it gives `aws:SourceArn` or `aws:SourceAccount` is on no page.
    """
    return (
        PolicyStatement(
            sid="RedshiftReadsStreams",
            actions=("sts:AssumeRole",),
            principals={"Service": SERVICES if serverless else SERVICES[0]},
            conditions={"StringLike": {"sts:ExternalId": users}},
        ),
    )


def schedule_trust(*, account: str, group: str) -> tuple[PolicyStatement, ...]:
    """`group` is the ARN of the group whose schedules use the role: EventBridge Scheduler names no single one ("Confused deputy
    prevention", its user guide)."""
    return (
        PolicyStatement(
            sid="SchedulerRefreshesViews",
            actions=("sts:AssumeRole",),
            principals={"Service": "scheduler.amazonaws.com"},
            conditions={"StringEquals": {"aws:SourceAccount": account, "aws:SourceArn": group}},
        ),
    )


def refresh_statements(
    arns: Arns, section: Redshift, *, application: str, key: Value | None
) -> tuple[PolicyStatement, ...]:
    """`key` is the customer's that encrypts the cluster; None without one."""
    return tuple(_refresh_statements(arns, section, application, key))


def login_with_secret(section: Redshift, region: str) -> Iterator[PolicyStatement]:
    """The Data API reads the secret in the name of who asks, and Secrets Manager decrypts it so. None without a secret."""
    if section.secret_arn is None:
        return
    why = {"secretsmanager:GetSecretValue": "The Data API logs in with it, in the name of who asks."}
    yield allow("ReadLogin", why, resources=(section.secret_arn,))
    if section.secret_key_arn is not None:
        through = via("secretsmanager", region, {"SecretARN": section.secret_arn})
        why = {"kms:Decrypt": "GetSecretValue decrypts the secret in the reader's name."}
        yield allow("DecryptLogin", why, resources=(section.secret_key_arn,), conditions=through)


def _refresh_statements(
    arns: Arns, section: Redshift, application: str, key: Value | None
) -> Iterator[PolicyStatement]:
    """One statement to run, and the login of the views' owner."""
    run, cluster, group = (RUN,), section.cluster_name(application), section.workgroup
    if cluster is not None:
        yield PolicyStatement(sid="RefreshViews", actions=run, resources=(arns.redshift_cluster(cluster),))
    elif group is not None:
        ours: Conditions = {"StringEquals": {"aws:ResourceTag/firnline:application": application}}
        places = (group.arn or arns.workgroup("*"),)
        yield PolicyStatement(sid="RefreshViews", actions=run, resources=places, conditions={} if group.arn else ours)
    yield from login_with_secret(section, arns.spec.aws.region)
    if key is not None:
        through = via("redshift", arns.spec.aws.region)
        yield PolicyStatement(sid="UseKey", actions=USE_KEY, resources=(key,), conditions=through)
    if cluster is not None and section.db_user is not None:
        user = arns.redshift_user(cluster, section.db_user)
        owner = (user, arns.redshift_database(cluster, section.database))
        yield PolicyStatement(sid="LogInAsOwner", actions=(LOG_IN,), resources=owner)
