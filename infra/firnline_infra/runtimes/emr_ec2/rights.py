"""Rights that `firnline deploy` and its sisters ask of EMR on EC2. Tests run the client against these statements."""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.runtimes.job import APPLICATION_TAG

SEE_STEPS = {
    "elasticmapreduce:DescribeCluster": "Whether it can run the step, and where its logs go.",
    **dict.fromkeys(
        ("elasticmapreduce:DescribeStep", "elasticmapreduce:ListSteps"),
        "Which steps there are, and how the engine's is doing.",
    ),
}
RUN_STEPS = {
    "elasticmapreduce:AddJobFlowSteps": "Starts the engine, and the step that ends its YARN application.",
    "elasticmapreduce:CancelSteps": "Cancels a step.",
}
STATUS = {"SeeSteps": ("elasticmapreduce:DescribeStep", "elasticmapreduce:ListSteps")}
"""The actions that `firnline status` needs, by Sid."""


def run_statements(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """A step has neither an ARN nor tags: the cluster is all that can be named, or, of one that is made, known by its tag."""
    environment = blueprint.environment
    section = environment.aws.runtime.emr_ec2
    if section is None:
        return
    cluster = (environment.arns.emr_cluster(section.cluster_id or "*"),)
    ours: Conditions = {"StringEquals": {f"aws:ResourceTag/{APPLICATION_TAG}": environment.names.application}}
    known: Conditions = {} if section.cluster_id else ours
    yield allow("SeeSteps", SEE_STEPS, resources=cluster, conditions=known)
    yield allow("RunSteps", RUN_STEPS, resources=cluster, conditions=known)
