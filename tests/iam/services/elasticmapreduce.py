"""EMR on EC2 (Service Authorization Reference, `list_amazonelasticmapreduce`): steps are asked for on their cluster.

A cluster is made with two roles: the one that EMR itself is, and the one that its machines are.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from tests.iam.request import Access, Request

EVERYWHERE = {"ListClusters"}
OF_CLUSTER = {
    *("AddJobFlowSteps", "CancelSteps", "DescribeCluster", "DescribeStep", "ListSteps", "ListInstanceGroups"),
    *("ModifyCluster", "ModifyInstanceGroups", "AddTags", "RemoveTags"),
}
OF_CLUSTERS = {"TerminateJobFlows", "SetTerminationProtection"}
PASSED_TO, MACHINES = "elasticmapreduce.amazonaws.com", "ec2.amazonaws.com"


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"elasticmapreduce:{operation}"
    if operation in EVERYWHERE:
        return iter((Access(action, "*"),))
    if operation == "RunJobFlow":
        return _made(request)
    context = _context(parameters)
    if operation in OF_CLUSTERS:
        return iter(Access(action, request.arn(f"cluster/{each}"), context) for each in parameters["JobFlowIds"])
    if operation not in OF_CLUSTER:
        return None
    cluster = parameters.get("ClusterId") or parameters.get("ResourceId") or parameters["JobFlowId"]
    return iter((Access(action, request.arn(f"cluster/{cluster}"), context),))


def _made(request: Request) -> Iterator[Access]:
    """The instance profile has its role's name here; a policy names the role."""
    parameters, context = request.parameters, _context(request.parameters)
    yield Access("elasticmapreduce:RunJobFlow", "*", context)
    if context:
        yield Access("elasticmapreduce:AddTags", request.arn("cluster/*"), context)
    for role, service in ((parameters["ServiceRole"], PASSED_TO), (parameters["JobFlowRole"], MACHINES)):
        yield Access("iam:PassRole", request.directory.role_arn(role), {"iam:PassedToService": service})


def _context(parameters: Mapping[str, Any]) -> dict[str, str]:
    found = {f"aws:RequestTag/{each['Key']}": str(each.get("Value", "")) for each in parameters.get("Tags") or ()}
    return found | {
        f"aws:ResourceTag/{name}": str(each) for name, each in (parameters.get("ResourceTags") or {}).items()
    }
