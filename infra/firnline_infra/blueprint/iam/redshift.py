"""What Redshift reads streams as: the two policies of its page on streaming ingestion, on the streams that views read.

Actions are that page's ("Getting started with streaming ingestion from Amazon Kinesis Data Streams", step 1); who may be the role
is on "Restricting access to IAM roles" and "Authorizing Amazon Redshift to access AWS services on your behalf".
"""

from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.blueprint.value import Value

READ_ACTIONS = (
    "kinesis:DescribeStreamSummary",
    "kinesis:GetShardIterator",
    "kinesis:GetRecords",
    "kinesis:DescribeStream",
)
LIST_ACTIONS = ("kinesis:ListStreams", "kinesis:ListShards")
SERVICES = ("redshift.amazonaws.com", "redshift-serverless.amazonaws.com")


def ingestion_statements(*, streams: tuple[Value, ...], keys: tuple[Value, ...]) -> tuple[PolicyStatement, ...]:
    """`keys` are those of customers that a stream is encrypted with; one of AWS's own needs no right."""
    decrypt = PolicyStatement(sid="DecryptStream", actions=("kms:Decrypt",), resources=keys)
    return (
        PolicyStatement(sid="ReadStream", actions=READ_ACTIONS, resources=streams),
        *((decrypt,) if keys else ()),
        PolicyStatement(sid="ListStream", actions=LIST_ACTIONS, resources=("*",)),
    )


def ingestion_trust(*, account: str, sources: tuple[str, ...], serverless: bool) -> tuple[PolicyStatement, ...]:
    """`sources` are the ARNs, or patterns of them, of what may use the role: a cluster, or a workgroup and its namespace."""
    return (
        PolicyStatement(
            sid="RedshiftReadsStreams",
            actions=("sts:AssumeRole",),
            principals={"Service": SERVICES if serverless else SERVICES[0]},
            conditions={"StringEquals": {"aws:SourceAccount": account}, "ArnLike": {"aws:SourceArn": sources}},
        ),
    )
