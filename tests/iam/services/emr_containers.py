"""EMR on EKS (Service Authorization Reference, `list_amazonemroneksemrcontainers`).

A job is started *on* a virtual cluster; the role that it runs as is a condition key, and not passed. `parameters` are the
request's, with the tags of what it is about as `ResourceTags`.
"""

from collections.abc import Iterator

from tests.iam.request import Access, Request
from tests.iam.services.eks import tags_of

EVERYWHERE = {"ListVirtualClusters"}
ON_CLUSTER = {
    "DescribeVirtualCluster": "id",
    "DeleteVirtualCluster": "id",
    "ListJobRuns": "virtualClusterId",
    "StartJobRun": "virtualClusterId",
}
ON_RUN = {"DescribeJobRun", "CancelJobRun"}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"emr-containers:{operation}"
    if operation in EVERYWHERE:
        return iter((Access(action, "*"),))
    if operation == "CreateVirtualCluster":
        return _created(request)
    if operation in ON_RUN:
        run = request.arn(f"/virtualclusters/{parameters['virtualClusterId']}/jobruns/{parameters['id']}")
        return iter((Access(action, run, tags_of(request)),))
    if operation in ON_CLUSTER:
        return _on_cluster(request)
    if "resourceArn" in parameters:
        return iter((Access(action, str(parameters["resourceArn"]), tags_of(request)),))
    return None


def _created(request: Request) -> Iterator[Access]:
    """The object's id is the service's: a policy can name it only by a tag."""
    yield Access("emr-containers:CreateVirtualCluster", "*", tags_of(request))
    if request.parameters.get("tags"):
        yield Access("emr-containers:TagResource", request.arn("/virtualclusters/*"), tags_of(request))


def _on_cluster(request: Request) -> Iterator[Access]:
    operation, parameters, context = request.operation, request.parameters, tags_of(request)
    cluster = request.arn(f"/virtualclusters/{parameters[ON_CLUSTER[operation]]}")
    if operation != "StartJobRun":
        yield Access(f"emr-containers:{operation}", cluster, context)
        return
    role = {"emr-containers:ExecutionRoleArn": str(parameters["executionRoleArn"])}
    yield Access("emr-containers:StartJobRun", cluster, {**context, **role})
    if parameters.get("tags"):
        asked = {key: value for key, value in context.items() if key.startswith("aws:RequestTag/")}
        yield Access("emr-containers:TagResource", f"{cluster}/jobruns/*", asked)
