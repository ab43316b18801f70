"""CloudWatch Logs (user guide, "Overview of managing access permissions", 2026-11-28).

Tags are asked for on the log group's own ARN, everything else on what lies below it: refusals name
`log-group:NAME:log-stream:STREAM`, and no stream where the request names none.
"""

from collections.abc import Iterator

from tests.iam.request import Access, Request

ON_TAGS = {"ListTagsForResource", "TagResource", "UntagResource"}
EVERYWHERE = {"DescribeLogGroups"}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"logs:{operation}"
    if operation in ON_TAGS:
        return iter((Access(action, str(parameters["resourceArn"])),))
    if operation in EVERYWHERE:
        return iter((Access(action, "*", {"aws:RequestedRegion": request.region}),))
    group = parameters.get("logGroupName")
    if not group:
        return None
    stream = parameters.get("logStreamName", "")
    return _of_group(request, f"log-group:{group}", f"log-group:{group}:log-stream:{stream}")


def _of_group(request: Request, group: str, below: str) -> Iterator[Access]:
    yield Access(f"logs:{request.operation}", request.arn(below))
    if request.operation == "CreateLogGroup" and request.parameters.get("tags"):
        yield Access("logs:TagResource", request.arn(group))
