"""Rights that the role needs for the runtime's own sake, beside the engine's: a node's agent, logs that are sent on.

The engine's policy and its boundary hold the same statements. They are from AWS's pages, and no account has been asked yet
(docs/design/beliefs.md).
"""

from collections.abc import Iterator

from firnline_infra.blueprint.iam.statement import PolicyStatement
from firnline_infra.environment import Environment
from firnline_infra.specification.runtime import Trust

NODE_ACTIONS = tuple(
    f"elasticmapreduce:{action}"
    for action in (
        *("DescribeCluster", "DescribeStep", "ListBootstrapActions"),
        *("ListInstanceGroups", "ListInstances", "ListSteps"),
    )
)
"""Those that AWS's default profile gives, as far as a node without Hive and Glue has use for them."""
NODE_BUCKETS = ("{region}.elasticmapreduce", "repo.{region}.emr.amazonaws.com")
"""AWS's own: what a node installs itself from (Management Guide, private subnets)."""
LOG_ACTIONS = ("logs:CreateLogStream", "logs:PutLogEvents")


def runtime_statements(environment: Environment) -> tuple[PolicyStatement, ...]:
    """The runtime's own statements; most runtimes need none."""
    return (*_node(environment), *_logs(environment))


def _node(environment: Environment) -> Iterator[PolicyStatement]:
    aws = environment.aws
    if aws.runtime.trust is not Trust.EMR_EC2:
        return
    buckets = [f"arn:{aws.partition}:s3:::{name.format(region=aws.region)}" for name in NODE_BUCKETS]
    yield PolicyStatement(
        sid="NodeOfCluster",
        actions=NODE_ACTIONS,
        resources=(f"arn:{aws.partition}:elasticmapreduce:{aws.region}:{aws.account}:cluster/*",),
    )
    yield PolicyStatement(
        sid="InstallNode", actions=("s3:GetObject",), resources=tuple(f"{bucket}/*" for bucket in buckets)
    )
    yield PolicyStatement(sid="FindInstallations", actions=("s3:ListBucket",), resources=tuple(buckets))


def _logs(environment: Environment) -> Iterator[PolicyStatement]:
    aws = environment.aws
    section = aws.runtime.emr_serverless or aws.runtime.emr_eks
    if section is None or section.log_group is None:
        return
    arns, group = environment.arns, section.log_group
    yield PolicyStatement(sid="SendLogs", actions=LOG_ACTIONS, resources=(f"{arns.log_group(group)}:log-stream:*",))
    yield PolicyStatement(
        sid="FindLogStreams", actions=("logs:DescribeLogStreams",), resources=(arns.in_log_group(group),)
    )
    yield PolicyStatement(
        sid="FindLogGroups",
        actions=("logs:DescribeLogGroups",),
        resources=("*",),
        conditions={"StringEquals": {"aws:RequestedRegion": aws.region}},
    )
