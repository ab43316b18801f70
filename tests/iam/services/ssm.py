"""Systems Manager's parameters (Service Authorization Reference, `list_awssystemsmanager`)."""

from collections.abc import Iterator

from tests.iam.request import Access, Request

EVERYWHERE = {"DescribeParameters"}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"ssm:{operation}"
    if operation in EVERYWHERE:
        return iter((Access(action, "*"),))
    names = parameters.get("Names") or [
        parameters[name] for name in ("Name", "Path", "ResourceId") if parameters.get(name)
    ]
    if not names:
        return None
    arns = [request.arn(f"parameter/{str(name).lstrip('/')}") for name in names]
    tagging = [
        Access("ssm:AddTagsToResource", arn) for arn in arns if parameters.get("Tags") and operation == "PutParameter"
    ]
    return iter((*(Access(action, arn) for arn in arns), *tagging))
