"""EKS, as far as Pod Identity goes (Service Authorization Reference, `list_amazonelastickubernetesservice`).

An association is made, and listed, on its cluster; whoever makes one, or gives it another role, passes the role to pods.
`parameters` are the request's, with the tags of what it is about as `ResourceTags`.
"""

from collections.abc import Iterator

from tests.iam.request import Access, Request

ON_CLUSTER = {"CreatePodIdentityAssociation", "ListPodIdentityAssociations"}
ON_ASSOCIATION = {"DescribePodIdentityAssociation", "UpdatePodIdentityAssociation", "DeletePodIdentityAssociation"}
PASSED_TO = "pods.eks.amazonaws.com"


def accesses(request: Request) -> Iterator[Access] | None:
    if request.operation == "DescribeCluster":
        return iter((Access("eks:DescribeCluster", request.arn(f"cluster/{request.parameters['name']}")),))
    if request.operation in ON_CLUSTER | ON_ASSOCIATION:
        return _of_associations(request)
    if "resourceArn" in request.parameters:
        arn, action = str(request.parameters["resourceArn"]), f"eks:{request.operation}"
        return iter((Access(action, arn, tags_of(request)),))
    return None


def _of_associations(request: Request) -> Iterator[Access]:
    parameters, context = request.parameters, tags_of(request)
    cluster = str(parameters["clusterName"])
    if request.operation in ON_CLUSTER:
        resource = request.arn(f"cluster/{cluster}")
    else:
        resource = request.arn(f"podidentityassociation/{cluster}/{parameters['associationId']}")
    yield Access(f"eks:{request.operation}", resource, context)
    if request.operation == "CreatePodIdentityAssociation" and parameters.get("tags"):
        yield Access("eks:TagResource", request.arn(f"podidentityassociation/{cluster}/*"), context)
    if parameters.get("roleArn"):
        yield Access("iam:PassRole", str(parameters["roleArn"]), {"iam:PassedToService": PASSED_TO})


def tags_of(request: Request) -> dict[str, str]:
    """Returns those that it asks for, and those of what it is about."""
    found = dict[str, str]()
    for key, name in (("aws:RequestTag", "tags"), ("aws:ResourceTag", "ResourceTags")):
        given = request.parameters.get(name) or {}
        found |= {f"{key}/{tag}": str(value) for tag, value in given.items()}
    return found
