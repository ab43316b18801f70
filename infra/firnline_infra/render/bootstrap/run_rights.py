"""What `firnline deploy` asks of EMR on EKS and of EMR on EC2, where the engine is a job of a virtual cluster or a step.

Adopted ones are named by their ids. Tests run the clients of the roll-out against these statements.
"""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.render.bootstrap.engine_run import OURS
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of


def runs_on_eks(spec: EnvironmentSpec, blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """A job runs as the role that its request names: AWS asks for no right to pass it, and has a key of its own for that.

    The id of a virtual cluster that is made is AWS's, so its tag says whose it is, and those of its jobs.
    """
    runtime = spec.aws.runtime
    if runtime.emr_eks is None:
        return
    arns, ours = Arns(spec), {f"aws:ResourceTag/{OURS}": application_of(spec)}
    adopted = runtime.emr_eks.virtual_cluster_id
    cluster, known = arns.virtual_cluster(adopted or "*"), {} if adopted else ours
    runs, tag = (f"{cluster}/jobruns/*",), {f"aws:RequestTag/{OURS}": application_of(spec)}
    yield PolicyStatement(
        sid="LookForJobs",
        actions=("emr-containers:DescribeVirtualCluster", "emr-containers:ListJobRuns"),
        resources=(cluster,),
        conditions={"StringEquals": known} if known else {},
    )
    role = runtime.role_arn or arns.role(blueprint.names.engine_role)
    yield PolicyStatement(
        sid="StartJob",
        actions=("emr-containers:StartJobRun",),
        resources=(cluster,),
        conditions={"StringEquals": {**tag, **known}, "ArnEquals": {"emr-containers:ExecutionRoleArn": role}},
    )
    yield PolicyStatement(
        sid="SeeJobs",
        actions=("emr-containers:DescribeJobRun",),
        resources=runs,
        conditions={"StringEquals": known} if known else {},
    )
    yield PolicyStatement(
        sid="CancelJob", actions=("emr-containers:CancelJobRun",), resources=runs, conditions={"StringEquals": ours}
    )
    yield PolicyStatement(
        sid="TagNewJob",
        actions=("emr-containers:TagResource",),
        resources=runs,
        conditions={"StringEquals": tag, "StringEqualsIfExists": ours},
    )
    if runtime.cluster is not None:
        yield PolicyStatement(
            sid="ReachPods", actions=("eks:DescribeCluster",), resources=(arns.eks_cluster(runtime.cluster),)
        )


def runs_on_ec2(spec: EnvironmentSpec, _: Blueprint) -> Iterator[PolicyStatement]:
    """A step has neither an ARN nor tags: the cluster is all that can be named, or, of one that is made, known by its tag."""
    section = spec.aws.runtime.emr_ec2
    if section is None:
        return
    cluster = (Arns(spec).emr_cluster(section.cluster_id or "*"),)
    ours = {"StringEquals": {f"aws:ResourceTag/{OURS}": application_of(spec)}}
    known: Conditions = {} if section.cluster_id else ours
    yield PolicyStatement(
        sid="SeeSteps",
        actions=("elasticmapreduce:DescribeCluster", "elasticmapreduce:DescribeStep", "elasticmapreduce:ListSteps"),
        resources=cluster,
        conditions=known,
    )
    yield PolicyStatement(
        sid="RunSteps",
        actions=("elasticmapreduce:AddJobFlowSteps", "elasticmapreduce:CancelSteps"),
        resources=cluster,
        conditions=known,
    )
