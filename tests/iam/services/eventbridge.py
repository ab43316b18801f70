"""EventBridge (Service Authorization Reference, `list_amazoneventbridge` and `list_amazoneventbridgescheduler`)."""

from collections.abc import Iterator

from tests.iam.request import Access, Request

OF_SCHEDULE = {"CreateSchedule", "DeleteSchedule", "GetSchedule", "UpdateSchedule"}


def of_scheduler(request: Request) -> Iterator[Access] | None:
    """Yields the role that is handed over by whoever makes a schedule."""
    parameters = request.parameters
    if request.operation not in OF_SCHEDULE:
        return None
    arn = request.arn(f"schedule/{parameters.get('GroupName', 'default')}/{parameters['Name']}")
    target = parameters.get("Target") or {}
    passed = Access("iam:PassRole", str(target.get("RoleArn")), {"iam:PassedToService": "scheduler.amazonaws.com"})
    return iter((Access(f"scheduler:{request.operation}", arn), *([passed] if target else [])))


def of_events(request: Request) -> Iterator[Access] | None:
    parameters, action = request.parameters, f"events:{request.operation}"
    if "ResourceARN" in parameters:
        return iter((Access(action, str(parameters["ResourceARN"])),))
    if "Name" not in parameters:
        return None
    arn = request.arn(f"rule/{parameters['Name']}")
    tagging = [Access("events:TagResource", arn)] if parameters.get("Tags") else []
    return iter((Access(action, arn), *tagging))
