"""EMR on EC2 (Service Authorization Reference, `list_amazonelasticmapreduce`): steps are asked for on their cluster."""

from collections.abc import Iterator

from tests.iam.request import Access, Request

OF_CLUSTER = {"AddJobFlowSteps", "CancelSteps", "DescribeCluster", "DescribeStep", "ListSteps"}


def accesses(request: Request) -> Iterator[Access] | None:
    if request.operation not in OF_CLUSTER:
        return None
    cluster = request.parameters.get("ClusterId") or request.parameters["JobFlowId"]
    return iter((Access(f"elasticmapreduce:{request.operation}", request.arn(f"cluster/{cluster}")),))
