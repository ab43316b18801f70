"""Rights that `firnline deploy` and its sisters ask of EMR on EKS. Tests run the client against these statements."""

from collections.abc import Iterator

from firnline_infra.blueprint.environment import Blueprint
from firnline_infra.blueprint.iam import Conditions, PolicyStatement
from firnline_infra.blueprint.iam.statement import allow
from firnline_infra.runtimes.job import APPLICATION_TAG

LOOK_FOR_JOBS = {
    "emr-containers:DescribeVirtualCluster": "Whether it can run the job.",
    "emr-containers:ListJobRuns": "Which jobs there are that are not over.",
}
START_JOB = {"emr-containers:StartJobRun": "Starts the job."}
SEE_JOBS = {"emr-containers:DescribeJobRun": "The job's request, its state, and where its logs go."}
CANCEL_JOB = {"emr-containers:CancelJobRun": "Ends a job, so that the service does not start it again."}
TAG_NEW_JOB = {"emr-containers:TagResource": "A job says whose it is, and what it runs."}
REACH_PODS = {
    "eks:DescribeCluster": "Where the cluster is: whether pods of an ended job are left, its Kubernetes is asked."
}
STATUS = {"LookForJobs": ("emr-containers:ListJobRuns",), "SeeJobs": ("emr-containers:DescribeJobRun",)}
"""The actions that `firnline status` needs, by Sid."""


def run_statements(blueprint: Blueprint) -> Iterator[PolicyStatement]:
    """A job runs as the role that its request names: AWS asks for no right to pass it, and has a key of its own for that.

    The id of a virtual cluster that is made is AWS's, so its tag says whose it is, and those of its jobs.
    """
    environment = blueprint.environment
    runtime = environment.aws.runtime
    if runtime.emr_eks is None:
        return
    arns, ours = environment.arns, {f"aws:ResourceTag/{APPLICATION_TAG}": environment.names.application}
    adopted = runtime.emr_eks.virtual_cluster_id
    cluster, known = arns.virtual_cluster(adopted or "*"), {} if adopted else ours
    runs, new = (f"{cluster}/jobruns/*",), {f"aws:RequestTag/{APPLICATION_TAG}": environment.names.application}
    if_known: Conditions = {"StringEquals": known} if known else {}
    yield allow("LookForJobs", LOOK_FOR_JOBS, resources=(cluster,), conditions=if_known)
    role = {"emr-containers:ExecutionRoleArn": runtime.role_arn or arns.role(blueprint.names.engine_role)}
    started: Conditions = {"StringEquals": {**new, **known}, "ArnEquals": role}
    yield allow("StartJob", START_JOB, resources=(cluster,), conditions=started)
    yield allow("SeeJobs", SEE_JOBS, resources=runs, conditions=if_known)
    yield allow("CancelJob", CANCEL_JOB, resources=runs, conditions={"StringEquals": ours})
    tagged: Conditions = {"StringEquals": new, "StringEqualsIfExists": ours}
    yield allow("TagNewJob", TAG_NEW_JOB, resources=runs, conditions=tagged)
    if runtime.cluster is not None:
        yield allow("ReachPods", REACH_PODS, resources=(arns.eks_cluster(runtime.cluster),))
