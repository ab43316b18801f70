"""A view that EventBridge Scheduler refreshes, with the role, the schedule and the rule of the specification."""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
import yaml

from firnline_infra.blueprint import blueprint_of
from firnline_infra.blueprint.iam import policy_document
from firnline_infra.kinds import iam
from firnline_infra.kinds.redshift import EVENT_RULE, SCHEDULE
from firnline_infra.specification import parse_spec
from firnline_local.runtimes.redshift import schedules
from tests.local.runtimes.redshift.conftest import ACCOUNT, REGION, ROLE, STREAM, Account

ON_CALL = f"arn:aws:sns:{REGION}:{ACCOUNT}:on-call"
VIEW = f"CREATE MATERIALIZED VIEW my_view AS SELECT JSON_PARSE(kinesis_data) AS kinesis_data FROM kds.{STREAM}"


@dataclass(frozen=True)
class Rendered:
    """The arguments of the schedule, of its rule and of its role."""

    schedule: Mapping[str, Any]
    rule: Mapping[str, Any]
    role: Mapping[str, Any]

    @property
    def trust(self) -> dict[str, Any]:
        return policy_document(self.role["assume_role_policy"].statements)


def rendered(secret_arn: str) -> Rendered:
    view = {"stream": STREAM, "name": "my_view", "refresh": "manual", "refresh_every_minutes": 1}
    arn = f"arn:aws:redshift-serverless:{REGION}:{ACCOUNT}:workgroup/0f1e2d3c"
    document = {
        "version": 1,
        "name": "dev",
        "aws": {"region": REGION, "account": ACCOUNT},
        "snowflake": {"account": "ORG-ACCOUNT"},
        "streams": [{"name": STREAM}],
        "pipelines": [{"stream": STREAM, "database": "LAKE", "schema": "RAW"}],
        "alarms": {"topics": [ON_CALL]},
        "redshift": {
            "workgroup": {"origin": "adopt", "name": "analytics", "arn": arn},
            "secret_arn": secret_arn,
            "views": [view],
        },
    }
    blueprint = blueprint_of(parse_spec(yaml.safe_dump(document), "dev.yaml"))
    (schedule,), (rule,) = SCHEDULE.instances(blueprint), EVENT_RULE.instances(blueprint)
    roles = (each.arguments for each in iam.ROLE.instances(blueprint))
    (role,) = (each for each in roles if each["name"] == blueprint.names.redshift_refresh_role)
    return Rendered(schedule.arguments, rule.arguments, role)


def make(account: Account, refreshes: Rendered, trust: dict[str, Any]) -> str:
    """The ARN of the role."""
    schedule, rule = refreshes.schedule, refreshes.rule
    given, name = json.dumps(trust), refreshes.role["name"]
    arn: str = account.client("iam").create_role(RoleName=name, AssumeRolePolicyDocument=given)["Role"]["Arn"]
    account.client("events").put_rule(Name=rule["name"], EventPattern=rule["event_pattern"])
    target = schedule["target"]
    account.client("scheduler").create_schedule(
        Name=schedule["name"],
        ScheduleExpression=schedule["schedule_expression"],
        FlexibleTimeWindow={"Mode": schedule["flexible_time_window"]["mode"]},
        Target={"Arn": target["arn"], "RoleArn": arn, "Input": target["input"]},
    )
    return arn


@pytest.fixture
def secret(account: Account) -> Any:
    secrets = account.client("secretsmanager")
    arn = secrets.create_secret(Name="redshift-owner", SecretString='{"username": "loader", "password": "p"}')["ARN"]
    account.run(f"CREATE EXTERNAL SCHEMA kds FROM KINESIS IAM_ROLE '{ROLE}'")
    account.run(VIEW)
    account.run("ALTER TABLE my_view OWNER TO loader")
    yield arn
    secrets.delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)
    refreshes = rendered(arn)
    # others of this process are their tests' own
    account.client("scheduler").delete_schedule(Name=refreshes.schedule["name"])
    account.client("events").delete_rule(Name=refreshes.rule["name"])
    account.client("iam").delete_role(RoleName=refreshes.role["name"])


def counted(account: Account, name: str) -> float:
    now = datetime.now(UTC)
    found = account.client("cloudwatch").get_metric_statistics(
        Namespace="AWS/Events",
        MetricName="MatchedEvents",
        Dimensions=[{"Name": "RuleName", "Value": name}],
        StartTime=now - timedelta(minutes=5),
        EndTime=now + timedelta(minutes=1),
        Period=60,
        Statistics=["Sum"],
    )
    return float(sum(each["Sum"] for each in found["Datapoints"]))


def test_what_is_due_is_refreshed_as_the_owner_and_what_ends_well_is_counted(
    account: Account, secret: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    refreshes = rendered(secret)
    account.put(b'{"n": 1}')
    make(account, refreshes, refreshes.trust)
    name = refreshes.rule["name"]
    for expected in ([(1,)], [(1,)]):  # a minute has not passed
        assert account.run("SELECT kinesis_data.n::int FROM my_view") == expected
        account.put(b'{"n": 2}')
    assert counted(account, name) == 1
    monkeypatch.setattr(schedules, "MINUTE_S", 0.0)
    assert len(account.run("SELECT 1 FROM my_view")) == 3
    before = counted(account, name)
    account.put(b"no json")
    account.run("SELECT 1")
    account.run("SELECT 1")
    assert counted(account, name) == before  # silence, which is what rings
    ((error,),) = account.run("SELECT max(error_reason) FROM sys_stream_scan_errors")
    assert "not valid JSON" in str(error)


def test_a_schedule_that_may_not_be_its_role_refreshes_nothing(account: Account, secret: str) -> None:
    refreshes = rendered(secret)
    account.put(b'{"n": 1}')
    trust = json.dumps(refreshes.trust)
    make(account, refreshes, json.loads(re.sub("schedule-group/default", "schedule-group/other", trust)))
    assert account.run("SELECT 1 FROM my_view") == []
