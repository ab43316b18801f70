"""Redshift, Serverless and provisioned, and its Data API (Service Authorization Reference, `list_amazonredshiftserverless`,
`list_amazonredshift`, `list_amazonredshiftdataapi`).

`parameters` are the request's, with the tags of the workgroup or namespace as `ResourceTags`. AWS makes up the ids in their ARNs,
so policies know them by tag: any id stands for them here.
"""

from collections.abc import Iterator, Mapping

from tests.iam.request import Access, Request

LISTING, MAKING = {"ListNamespaces", "ListWorkgroups"}, {"CreateNamespace", "CreateWorkgroup"}
CALLER = {"aws:userid": "AROAEXAMPLE:caller", "redshift-data:statement-owner-iam-userid": "AROAEXAMPLE:caller"}
"""A statement is its caller's own: the service finds no other."""


def of_serverless(request: Request) -> Iterator[Access] | None:
    action, parameters = f"redshift-serverless:{request.operation}", request.parameters
    context = _context(parameters)
    if request.operation in LISTING | MAKING:
        return iter((Access(action, "*", context),))
    if "resourceArn" in parameters:
        return iter((Access(action, str(parameters["resourceArn"]), context),))
    if kind := next((each for each in ("workgroup", "namespace") if f"{each}Name" in parameters), None):
        return iter((Access(action, request.arn(f"{kind}/0a1b2c3d"), context),))
    return None


def of_data_api(request: Request) -> Iterator[Access] | None:
    action, parameters = f"redshift-data:{request.operation}", request.parameters
    if request.operation in {"DescribeStatement", "GetStatementResult"}:
        return iter((Access(action, "*", CALLER),))
    if request.operation == "ExecuteStatement" and "WorkgroupName" in parameters:
        group = request.arn("workgroup/0a1b2c3d", service="redshift-serverless")
        login = Access("redshift-serverless:GetCredentials", group, _context(parameters))
        if "SecretArn" in parameters:
            login = Access("secretsmanager:GetSecretValue", str(parameters["SecretArn"]))
        return iter((Access(action, group, _context(parameters)), login))
    if request.operation == "ExecuteStatement" and "DbUser" in parameters:
        cluster, credentials = parameters["ClusterIdentifier"], "redshift:GetClusterCredentials"
        login_at = (f"dbuser:{cluster}/{parameters['DbUser']}", f"dbname:{cluster}/{parameters['Database']}")
        of_cluster = Access(action, request.arn(f"cluster:{cluster}", service="redshift"))
        return iter((of_cluster, *(Access(credentials, request.arn(each, service="redshift")) for each in login_at)))
    return None


def of_clusters(request: Request) -> Iterator[Access] | None:
    """CreateTags and DeleteTags name the cluster's ARN."""
    parameters = request.parameters
    where = parameters.get("ResourceName") or request.arn(f"cluster:{parameters.get('ClusterIdentifier', '*')}")
    actions = [request.operation, *(["CreateTags"] if request.operation == "CreateCluster" else [])]
    accesses = [Access(f"redshift:{each}", str(where), _context(parameters)) for each in actions]
    if last := parameters.get("FinalClusterSnapshotIdentifier"):
        snapshot = request.arn(f"snapshot:{parameters['ClusterIdentifier']}/{last}")
        accesses.append(Access("redshift:CreateClusterSnapshot", snapshot))
    return iter(accesses)


def _context(parameters: Mapping[str, object]) -> dict[str, str]:
    """The tags of a request are a list of keys and values; those of a resource are not."""
    found, asked, of_resource = dict[str, str](), parameters.get("tags"), parameters.get("ResourceTags")
    if isinstance(asked, list):
        found |= {f"aws:RequestTag/{each['key']}": each["value"] for each in asked}
    if isinstance(of_resource, Mapping):
        found |= {f"aws:ResourceTag/{name}": str(value) for name, value in of_resource.items()}
    return found
