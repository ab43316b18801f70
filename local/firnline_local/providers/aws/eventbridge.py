"""Schedules of EventBridge Scheduler in the group that each account has, and rules on the default event bus.

Rules: terraform-provider-aws 6, `resourceSchedule` (internal/service/scheduler/schedule.go), `resourceRule`
(internal/service/events/rule.go).
"""

from typing import Any

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, arn_as, document, made_by, on, tags_by
from firnline_local.providers.aws.values import as_list, block_like
from firnline_local.providers.kind import Form, Properties, Rules

GROUP = "default"
ALWAYS_RETRIED = {"maximumEventAgeInSeconds": 86400, "maximumRetryAttempts": 185}
"""What the service answers where a schedule says nothing."""


def _wire(block: Properties) -> dict[str, Any]:
    return {
        f"{name[0].upper()}{name[1:]}": _wire(value) if isinstance(value, dict) else value
        for name, value in block.items()
    }


def _unwired(found: Properties) -> dict[str, Any]:
    return {
        f"{name[0].lower()}{name[1:]}": _unwired(value) if isinstance(value, dict) else value
        for name, value in found.items()
    }


def _target_like(found: Properties, known: Any) -> dict[str, Any]:
    target, said = _unwired(found), known or {}
    retries = block_like(target.pop("retryPolicy", {}), said.get("retryPolicy"), ALWAYS_RETRIED)
    return {**target, **({"retryPolicy": retries} if retries else {})}


def _where(it: Subject) -> dict[str, Any]:
    group, _, name = it.id.rpartition("/")
    return {"GroupName": group or GROUP, "Name": name}


def _update(it: Subject) -> None:
    it.client.update_schedule(**it.request())  # with all of it: what is not said goes back to its default


SCHEDULE = AwsKind(
    type="aws:scheduler/schedule:Schedule",
    service="scheduler",
    rules=Rules.of(
        "name groupName region",
        defaults={
            "groupName": GROUP,
            "description": None,
            "scheduleExpressionTimezone": "UTC",
            "state": "ENABLED",
        },
        values={"state": "ENABLED DISABLED", "flexibleTimeWindow.mode": "OFF FLEXIBLE"},
        forms={"name": Form(r"[0-9A-Za-z_.-]+", "a text of letters, digits and _.-")},
        lengths={
            "name": (1, 64),
            "scheduleExpression": (1, 256),
            "scheduleExpressionTimezone": (1, 50),
            "description": (0, 512),
        },
        ranges={
            "flexibleTimeWindow.maximumWindowInMinutes": (1, 1440),
            "target.retryPolicy.maximumEventAgeInSeconds": (60, 86400),
            "target.retryPolicy.maximumRetryAttempts": (0, 185),
        },
        arns="target.arn target.roleArn kmsKeyArn",
    ),
    fields={
        "name": "Name",
        "groupName": WireField("GroupName", absent=GROUP),
        "description": "Description",
        "scheduleExpression": "ScheduleExpression",
        "scheduleExpressionTimezone": "ScheduleExpressionTimezone",
        "state": "State",
        "flexibleTimeWindow": WireField("FlexibleTimeWindow", sent=_wire, like=lambda found, _: _unwired(found)),
        "target": WireField("Target", sent=_wire, like=_target_like),
    },
    outputs={"arn": "Arn"},
    by=_where,
    make=made_by("create_schedule", f"{GROUP}/{{name}}"),
    look=lambda it: it.ask("get_schedule"),
    updates=(on("description scheduleExpression scheduleExpressionTimezone state flexibleTimeWindow target", _update),),
    remove=lambda it: it.ask("delete_schedule"),
    gone="ResourceNotFoundException",
)


def _rule(it: Subject) -> Properties:
    found: dict[str, Any] = it.ask("describe_rule")
    return {**found, "Tags": it.client.list_tags_for_resource(ResourceARN=found["Arn"])["Tags"]}


EVENT_RULE = AwsKind(
    type="aws:cloudwatch/eventRule:EventRule",
    service="events",
    rules=Rules.of(
        "name region",
        defaults={"description": None, "state": "ENABLED", "tags": {}},
        values={"state": "ENABLED DISABLED ENABLED_WITH_ALL_CLOUDTRAIL_MANAGEMENT_EVENTS"},
        one_of="eventPattern scheduleExpression",
        forms={"name": Form(r"[0-9A-Za-z_.-]+", "a text of letters, digits and _.-")},
        lengths={"name": (1, 64), "description": (0, 512), "scheduleExpression": (0, 256)},
        json="eventPattern",
    ),
    fields={
        "name": "Name",
        "description": "Description",
        "eventPattern": document("EventPattern"),
        "state": "State",
    },
    outputs={"arn": "Arn"},
    by="Name",
    make=made_by("put_rule", "{name}", tags=as_list),  # the service has no other operation to make one
    look=_rule,
    updates=(on("description eventPattern state", lambda it: it.client.put_rule(**it.request())),),
    tags=tags_by("tag_resource", "untag_resource", where=arn_as("ResourceARN")),
    remove=lambda it: it.ask("delete_rule"),
    gone="ResourceNotFoundException",
)
KINDS = (SCHEDULE, EVENT_RULE)
