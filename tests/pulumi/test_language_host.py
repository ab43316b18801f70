"""A program without any provider, through the real engine and our language host."""

from pathlib import Path

import pytest

from firnline_infra.pulumi_cli.errors import CommandFailed, NoSuchStack, PlanExceeded
from tests.pulumi.trial_project import TrialProject

pytestmark = pytest.mark.pulumi

PROGRAM = """
import pulumi

class Room(pulumi.ComponentResource):
    def __init__(self, name: str) -> None:
        super().__init__("trial:index:Room", name)
        self.register_outputs({})

Room(pulumi.Config().require("room"))
pulumi.export("answer", 42)
pulumi.export("hidden", pulumi.Output.secret("a secret value"))
"""

WAITS = """
import pathlib, time
import pulumi

pathlib.Path(pulumi.Config().require("sign")).touch()
time.sleep(60)
"""


def test_a_program_runs_with_its_configuration_and_its_components_are_in_the_state(
    project: TrialProject,
) -> None:
    project.write(PROGRAM, room="kitchen")
    project.cli.up("dev")
    types = [resource["type"] for resource in project.cli.export("dev")["deployment"]["resources"]]
    assert types == ["pulumi:pulumi:Stack", "trial:index:Room"]
    assert project.cli.outputs("dev") == {"answer": 42, "hidden": "[secret]"}
    assert "a secret value" not in "".join(
        file.read_text() for file in project.cli.project.parent.rglob("*.json") if "states" in file.parts
    )


def test_a_second_look_finds_no_change_no_more_is_done_than_it_found_and_the_stack_can_be_removed(
    project: TrialProject, tmp_path: Path
) -> None:
    plan = tmp_path / "plan.json"
    project.write(PROGRAM, room="kitchen")
    project.cli.up("dev")
    project.cli.preview("dev", refresh=True, expect_no_changes=True, save_plan=plan)
    project.write(PROGRAM, room="cellar")
    with pytest.raises(PlanExceeded, match="cellar"):
        project.cli.up("dev", plan=plan)
    project.cli.destroy("dev")
    project.cli.remove("dev")
    assert (project.folder / "Pulumi.dev.yaml").exists()
    with pytest.raises(NoSuchStack, match="FL-7104"):
        project.cli.outputs("dev")


def test_a_program_that_fails_shows_its_own_lines_and_not_those_of_the_host(project: TrialProject) -> None:
    project.write("def cook():\n    raise ValueError('no salt')\n\ncook()\n")
    with pytest.raises(CommandFailed, match="ValueError: no salt") as failed:
        project.cli.up("dev")
    shown = str(failed.value)
    assert '__main__.py", line 2, in cook' in shown
    assert "firnline_infra" not in shown


def test_a_virtual_environment_that_is_none_is_named(project: TrialProject) -> None:
    project.write(PROGRAM, room="kitchen")
    (project.folder / "Pulumi.yaml").write_text(
        "name: trial\nruntime:\n  name: python\n  options:\n    virtualenv: nowhere\n"
    )
    with pytest.raises(CommandFailed, match="nowhere"):
        project.cli.up("dev")


def test_host_and_program_end_within_five_seconds_of_the_engines_death(project: TrialProject, tmp_path: Path) -> None:
    sign = tmp_path / "sign"
    project.write(WAITS, sign=str(sign))
    with project.killed("up", "--yes", "--skip-preview") as up:
        up.wait_for(sign)
        assert len(project.processes()) >= 3  # the engine, the host, the program
    project.wait_until_all_have_ended(within_s=5)
