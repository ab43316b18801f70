"""The engine is killed at a step, before the step had its effect or after it; the next `up` puts all in order."""

import json
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from firnline_infra.local.pulumi.plugin.pause import VARIABLE
from firnline_infra.local.running import RunningEnvironment
from firnline_infra.pulumi_cli.errors import PendingForeign, StackInUse
from firnline_infra.pulumi_cli.recovery import recovered_up
from firnline_infra.pulumi_cli.recovery.aws import aws_lookups
from firnline_infra.pulumi_cli.recovery.up import LOOKING
from firnline_infra.pulumi_cli.testing import TrialProject

pytestmark = pytest.mark.pulumi

STREAM = "aws:kinesis/stream:Stream"
PROGRAM = """
import pulumi
import pulumi_aws as aws

class Room(pulumi.ComponentResource):
    def __init__(self, name: str, hours: int) -> None:
        super().__init__("trial:index:Room", name)
        aws.kinesis.Stream(
            name,
            name=name,
            stream_mode_details={"stream_mode": "ON_DEMAND"},
            retention_period=hours,
            tags={"firnline:environment": name},
            opts=pulumi.ResourceOptions(parent=self),
        )

config = pulumi.Config()
if config.get("hours"):
    Room(config.require("name"), config.require_int("hours"))
"""


@pytest.fixture
def name() -> str:
    return f"killed-{uuid.uuid4().hex[:8]}"


@pytest.fixture
def retention_hours(local_environment: RunningEnvironment, name: str) -> Iterator[Callable[[], int | None]]:
    """What the stream has, as boto3 sees it; None where there is none."""
    kinesis = local_environment.client("kinesis")

    def read() -> int | None:
        try:
            found = kinesis.describe_stream_summary(StreamName=name)["StreamDescriptionSummary"]
        except kinesis.exceptions.ResourceNotFoundException:
            return None
        hours: int = found["RetentionPeriodHours"]
        return hours

    yield read
    if read():
        kinesis.delete_stream(StreamName=name)


def kill(project: TrialProject, *, when: str, call: str, marker: Path, type_: str = STREAM) -> None:
    pause = {"when": when, "call": call, "type": type_, "marker": str(marker)}
    with project.killed("up", "--yes", "--skip-preview", **{VARIABLE: json.dumps(pause)}) as up:
        up.wait_for(marker)
    project.wait_until_all_have_ended(within_s=5)


def recover(project: TrialProject, environment: RunningEnvironment) -> list[str]:
    said: list[str] = []
    recovered_up(project.cli, "dev", say=said.append, lookups=aws_lookups(environment.client))
    project.cli.preview("dev", refresh=True, expect_no_changes=True)
    assert not project.cli.export("dev")["deployment"].get("pending_operations")
    return [line for line in said if line != LOOKING]


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("call", "first", "then"), [("create", "", "48"), ("update", "24", "48"), ("delete", "24", "")]
)
def test_an_up_that_was_killed_is_completed_by_the_next(
    embedded_project: TrialProject,
    local_environment: RunningEnvironment,
    retention_hours: Callable[[], int | None],
    name: str,
    tmp_path: Path,
    call: str,
    first: str,
    then: str,
    when: str,
) -> None:
    if first:
        embedded_project.write(PROGRAM, name=name, hours=first)
        embedded_project.cli.up("dev")
    embedded_project.write(PROGRAM, name=name, hours=then)
    kill(embedded_project, when=when, call=call, marker=tmp_path / "marker")
    assert retention_hours() == (int((first if when == "before" else then) or 0) or None)
    said = recover(embedded_project, local_environment)
    assert retention_hours() == (int(then or 0) or None)
    assert "which is gone: its lock is removed" in said[0]
    if call == "create":
        assert said[-1].endswith("is imported." if when == "after" else "it is made now.")


def test_what_somebody_else_made_meanwhile_is_refused_and_not_touched(
    embedded_project: TrialProject,
    local_environment: RunningEnvironment,
    retention_hours: Callable[[], int | None],
    name: str,
    tmp_path: Path,
) -> None:
    embedded_project.write(PROGRAM, name=name, hours="48")
    kill(embedded_project, when="before", call="create", marker=tmp_path / "marker")
    local_environment.client("kinesis").create_stream(StreamName=name, StreamModeDetails={"StreamMode": "ON_DEMAND"})
    with pytest.raises(PendingForeign, match=f"lacks the tag firnline:environment={name}"):
        recover(embedded_project, local_environment)
    assert retention_hours() == 24
    state = embedded_project.cli.export("dev")["deployment"]
    assert [operation["type"] for operation in state["pending_operations"]] == ["creating"]
    assert STREAM not in {resource["type"] for resource in state["resources"]}


def test_the_lock_of_an_engine_that_runs_is_respected(
    embedded_project: TrialProject, local_environment: RunningEnvironment, name: str, tmp_path: Path
) -> None:
    embedded_project.write(PROGRAM, name=name, hours="48")
    marker = tmp_path / "marker"
    pause = {"when": "before", "call": "create", "type": STREAM, "marker": str(marker)}
    with embedded_project.killed("up", "--yes", "--skip-preview", **{VARIABLE: json.dumps(pause)}) as up:
        up.wait_for(marker)
        with pytest.raises(StackInUse, match="it is still running"):
            recover(embedded_project, local_environment)
    embedded_project.wait_until_all_have_ended(within_s=5)
