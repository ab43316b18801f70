"""ECR (Service Authorization Reference, `list_amazonelasticcontainerregistry`)."""

from collections.abc import Iterator

from tests.iam.request import Access, Request


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"ecr:{operation}"
    if operation == "GetAuthorizationToken":
        return iter((Access(action, "*"),))
    if operation in ("TagResource", "UntagResource", "ListTagsForResource"):
        return iter((Access(action, str(parameters["resourceArn"])),))
    names = parameters.get("repositoryNames") or [parameters.get("repositoryName")]
    if None in names:
        return None
    asked = [Access(action, request.arn(f"repository/{name}")) for name in names]
    if operation == "CreateRepository" and parameters.get("tags"):
        asked += [Access("ecr:TagResource", request.arn(f"repository/{name}")) for name in names]
    return iter(asked)
