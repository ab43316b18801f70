"""One stream, made by the real engine in the embedded environment, and looked at with boto3."""

import uuid
from pathlib import Path

import pytest

from firnline_infra.observe.changes import changes_table
from firnline_infra.pulumi_cli.errors import PlanExceeded, UnexpectedChanges
from firnline_local.running import RunningEnvironment
from tests.pulumi.trial_project import TrialProject

pytestmark = [pytest.mark.slow, pytest.mark.pulumi]

PROGRAM = """
import pulumi
import pulumi_aws as aws

stream = aws.kinesis.Stream(
    "orders",
    name=pulumi.Config().require("stream"),
    stream_mode_details={"stream_mode": "ON_DEMAND"},
    retention_period=48,
    tags={"team": "trial"},
)
pulumi.export("stream_arn", stream.arn)
"""


def test_a_stream_is_made_kept_repaired_and_removed(
    embedded_project: TrialProject, local_environment: RunningEnvironment, tmp_path: Path
) -> None:
    name = f"trial-{uuid.uuid4().hex[:8]}"
    kinesis, cli = local_environment.client("kinesis"), embedded_project.cli
    embedded_project.write(PROGRAM, stream=name)

    plan = tmp_path / "plan.json"
    said = cli.preview("dev", refresh=True, save_plan=plan)
    assert [line.split() for line in changes_table(said).splitlines()[2:]] == [["kinesis", "stream", *"1000"]]
    cli.up("dev", refresh=True, plan=plan)
    made = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
    assert made["RetentionPeriodHours"] == 48
    assert cli.outputs("dev") == {"stream_arn": made["StreamARN"]}
    cli.preview("dev", refresh=True, expect_no_changes=True, save_plan=plan)

    kinesis.increase_stream_retention_period(StreamName=name, RetentionPeriodHours=72)
    with pytest.raises(UnexpectedChanges, match=r"retentionPeriod.*72 => 48") as unexpected:
        cli.preview("dev", refresh=True, expect_no_changes=True)
    assert [line.split() for line in changes_table(unexpected.value.lines).splitlines()[2:]] == [
        ["kinesis", "stream", *"0100"]
    ]
    with pytest.raises(PlanExceeded, match="orders"):
        cli.up("dev", refresh=True, plan=plan)
    cli.up("dev", refresh=True)
    assert kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]["RetentionPeriodHours"] == 48

    cli.destroy("dev")
    assert name not in kinesis.list_streams()["StreamNames"]
