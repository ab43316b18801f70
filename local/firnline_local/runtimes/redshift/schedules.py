"""EventBridge, as far as it runs statements of Redshift and counts how they ended. Schedules and rules are moto's.

A schedule begins at once and goes on by its rate ("Schedule types", EventBridge Scheduler); here it runs when the Data API
is asked for the next statement. What it asks for, it asks as its role, which has to let it.
"""

import json
import re
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from firnline_local.runtimes.jobs.submission import LaunchRefused, Submission
from firnline_local.runtimes.redshift.ingestion import Client
from firnline_local.runtimes.rest_json import ServiceError

TARGET = "aws-sdk:redshiftdata:executeStatement"
RATE = re.compile(r"rate\((\d+) minutes?\)")
MINUTE_S = 60.0
SERVICE, GROUP = "scheduler.amazonaws.com", "default"
AccessKeyOf = Callable[[Submission], str]
"""Assumes a role. Raises LaunchRefused."""
Execute = Callable[[Mapping[str, Any], str], object]
"""Asks for a statement with an access key. Raises ServiceError."""


class ScheduledStatements:
    def __init__(self, client: Client, access_key: AccessKeyOf, execute: Execute) -> None:
        self._client, self._access_key, self._execute = client, access_key, execute
        self._last: dict[str, float] = {}
        self._busy = threading.Lock()

    def run_due(self) -> None:
        """Nothing where it runs already: what it runs asks the runtimes too."""
        if not self._busy.acquire(blocking=False):
            return
        try:
            for schedule in list(self._due(time.monotonic())):
                self._run(schedule)
        finally:
            self._busy.release()

    def _due(self, now: float) -> Iterator[dict[str, Any]]:
        scheduler = self._client("scheduler")
        for each in scheduler.list_schedules(GroupName=GROUP)["Schedules"]:
            found = scheduler.get_schedule(Name=each["Name"], GroupName=GROUP)
            rate = RATE.fullmatch(found["ScheduleExpression"])
            if rate is None or found["State"] != "ENABLED" or not found["Target"]["Arn"].endswith(TARGET):
                continue
            if now - self._last.get(found["Arn"], float("-inf")) >= int(rate[1]) * MINUTE_S:
                self._last[found["Arn"]] = now
                yield found

    def _run(self, schedule: Mapping[str, Any]) -> None:
        target = schedule["Target"]
        group = schedule["Arn"].replace(":schedule/", ":schedule-group/").rpartition("/")[0]
        who = Submission(name=schedule["Name"], role_arn=target["RoleArn"], service=SERVICE, source_arn=group, entry="")
        try:
            self._execute(json.loads(target["Input"]), self._access_key(who))
        except (LaunchRefused, ServiceError):
            return  # as the service: counted by a metric of its own, and tried again when it is due next


def count_end(client: Client, name: str, state: str) -> None:
    """Counts the event about a statement for each rule that matches it."""
    detail = {"statementName": name, "state": state}
    event = {
        "source": "aws.redshift-data",
        "detail-type": "Redshift Data Statement Status Change",
        "detail": detail,
    }
    for rule in client("events").list_rules()["Rules"]:
        if rule["State"] == "ENABLED" and _matches(json.loads(rule.get("EventPattern") or "{}"), event):
            of_rule = [{"Name": "RuleName", "Value": rule["Name"]}]
            counted = {"MetricName": "MatchedEvents", "Dimensions": of_rule, "Value": 1.0}
            client("cloudwatch").put_metric_data(Namespace="AWS/Events", MetricData=[counted])


def _matches(pattern: Mapping[str, Any], event: Mapping[str, Any]) -> bool:
    return bool(pattern) and all(
        _matches(wanted, event.get(name) or {}) if isinstance(wanted, dict) else event.get(name) in wanted
        for name, wanted in pattern.items()
    )
