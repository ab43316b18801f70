"""Tests of what an `up` leaves alone that comes after a killed one. What it repairs: test_kinds_of_resources.py."""

import json
import uuid
from pathlib import Path

import pytest

from firnline_infra.pulumi_cli.errors import PendingForeign, StackInUse
from firnline_infra.pulumi_cli.recovery import recovered_up
from firnline_infra.pulumi_cli.recovery.lookups import aws_lookups
from firnline_local.running import RunningEnvironment
from tests.pulumi.pause import VARIABLE
from tests.pulumi.trial_project import TrialProject

pytestmark = pytest.mark.pulumi

STREAM = "aws:kinesis/stream:Stream"
PROGRAM = """
import pulumi
import pulumi_aws as aws

name = pulumi.Config().require("name")
mode = {"stream_mode": "ON_DEMAND"}
aws.kinesis.Stream(name, name=name, stream_mode_details=mode, tags={"firnline:environment": name})
"""


def test_a_lock_in_use_is_respected_and_what_somebody_else_made_meanwhile_is_not_touched(
    embedded_project: TrialProject, local_environment: RunningEnvironment, tmp_path: Path
) -> None:
    name, marker = f"killed-{uuid.uuid4().hex[:8]}", tmp_path / "marker"
    kinesis = local_environment.client("kinesis")
    embedded_project.write(PROGRAM, name=name)
    pause = {"when": "before", "call": "create", "type": STREAM, "marker": str(marker)}
    with embedded_project.killed("up", "--yes", "--skip-preview", **{VARIABLE: json.dumps(pause)}) as up:
        up.wait_for(marker)
        with pytest.raises(StackInUse, match="it is still running"):
            recover(embedded_project, local_environment)
    embedded_project.wait_until_all_have_ended(within_s=5)

    kinesis.create_stream(StreamName=name, StreamModeDetails={"StreamMode": "ON_DEMAND"}, Tags={"whose": "theirs"})
    try:
        with pytest.raises(PendingForeign, match=f"lacks the tag firnline:environment={name}"):
            recover(embedded_project, local_environment)
        assert kinesis.list_tags_for_stream(StreamName=name)["Tags"] == [{"Key": "whose", "Value": "theirs"}]
    finally:
        kinesis.delete_stream(StreamName=name)
    state = embedded_project.cli.export("dev")["deployment"]
    assert [operation["type"] for operation in state["pending_operations"]] == ["creating"]
    assert STREAM not in {resource["type"] for resource in state["resources"]}


def recover(project: TrialProject, environment: RunningEnvironment) -> None:
    recovered_up(project.cli, "dev", say=_ignore, lookups=aws_lookups(environment.client))


def _ignore(line: str) -> None:
    """Nobody listens."""
