"""SNS (Service Authorization Reference, `list_amazonsns`)."""

from collections.abc import Iterator

from tests.iam.request import Access, Request

ON_NO_TOPIC = {
    "GetSubscriptionAttributes",
    "ListSubscriptions",
    "ListTopics",
    "SetSubscriptionAttributes",
    "Unsubscribe",
}


def accesses(request: Request) -> Iterator[Access] | None:
    operation, parameters = request.operation, request.parameters
    action = f"sns:{operation}"
    if operation in ON_NO_TOPIC:
        return iter((Access(action, "*"),))
    if operation == "CreateTopic":
        made = request.arn(str(parameters["Name"]))
        return iter([Access(each, made) for each in (action, "sns:TagResource")[: 2 if parameters.get("Tags") else 1]])
    arn = parameters.get("TopicArn") or parameters.get("ResourceArn")
    return None if arn is None else iter((Access(action, str(arn)),))
