"""EMR on EKS (Service Authorization Reference, `list_amazonemroneksemrcontainers`).

A job is started *on* a virtual cluster; the role that it runs as is a condition key, and not passed.
"""

from collections.abc import Iterator

from tests.iam.request import Access, Request

ON_CLUSTER = {"DescribeVirtualCluster": "id", "ListJobRuns": "virtualClusterId", "StartJobRun": "virtualClusterId"}
ON_RUN = {"DescribeJobRun", "CancelJobRun"}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    if operation in ON_RUN:
        run = request.arn(f"/virtualclusters/{parameters['virtualClusterId']}/jobruns/{parameters['id']}")
        tags = parameters.get("ResourceTags") or {}
        context = {f"aws:ResourceTag/{name}": str(value) for name, value in tags.items()}
        return iter((Access(f"emr-containers:{operation}", run, context),))
    if operation not in ON_CLUSTER:
        return None
    return _on_cluster(request)


def _on_cluster(request: Request) -> Iterator[Access]:
    operation, parameters = request.operation, request.parameters
    cluster = request.arn(f"/virtualclusters/{parameters[ON_CLUSTER[operation]]}")
    if operation != "StartJobRun":
        yield Access(f"emr-containers:{operation}", cluster)
        return
    tags = {f"aws:RequestTag/{name}": str(value) for name, value in parameters.get("tags", {}).items()}
    role = {"emr-containers:ExecutionRoleArn": str(parameters["executionRoleArn"])}
    yield Access("emr-containers:StartJobRun", cluster, {**tags, **role})
    if tags:
        yield Access("emr-containers:TagResource", f"{cluster}/jobruns/*", tags)
