"""A schedule that runs a statement, and a rule that counts what comes of it."""

import json
from typing import Any

from firnline_local.providers.aws import eventbridge
from firnline_local.providers.clients import Clients

from .case import ACCOUNT, Case, a_role, fresh

TARGET = {
    "arn": "arn:aws:scheduler:::aws-sdk:redshiftdata:executeStatement",
    "roleArn": f"arn:aws:iam::{ACCOUNT}:role/refresh",
    "input": "{}",
    "retryPolicy": {"maximumRetryAttempts": 0},
}
PATTERN = json.dumps({"source": ["aws.redshift-data"]})


def schedule_inputs(clients: Clients) -> dict[str, Any]:
    role = f"arn:aws:iam::{ACCOUNT}:role/{a_role(clients)}"
    name = fresh("schedule")
    window, target = {"mode": "OFF"}, {**TARGET, "roleArn": role}
    return {"name": name, "scheduleExpression": "rate(15 minutes)", "flexibleTimeWindow": window, "target": target}


def slower(clients: Clients, id_: str) -> None:
    scheduler, name = clients.aws("scheduler"), id_.rpartition("/")[2]
    found = scheduler.get_schedule(Name=name)
    keep = {each: found[each] for each in ("FlexibleTimeWindow", "Target")}
    scheduler.update_schedule(Name=name, ScheduleExpression="rate(1 hour)", **keep)


CASES = [
    Case(
        kind=eventbridge.SCHEDULE,
        inputs=schedule_inputs,
        taken="ConflictException",
        behind={"scheduleExpression": slower},
        changes={"scheduleExpression": "rate(1 minute)", "target": {**TARGET, "input": '{"Sql": "SELECT 1"}'}},
    ),
    Case(
        kind=eventbridge.EVENT_RULE,
        inputs=lambda _: {"name": fresh("rule"), "eventPattern": PATTERN, "description": "counts", "tags": {"a": "1"}},
        taken=None,
        behind={"state": lambda clients, id_: clients.aws("events").disable_rule(Name=id_)},
        changes={"eventPattern": json.dumps({"source": ["aws.s3"]}), "tags": {"b": "2"}},
    ),
]
