"""Tests of what the CLI says, and what becomes of it: a stand-in for it answers. The real one is in tests/pulumi/."""

import json
import sys
from pathlib import Path

import pytest

from firnline_infra.pulumi_cli import PulumiCli, engine_variables
from firnline_infra.pulumi_cli.errors import (
    CommandFailed,
    ErrorsReported,
    NoSuchStack,
    NotLoggedIn,
    PlanExceeded,
    StackLocked,
    UnexpectedChanges,
)

LOCKED = "  file:///s/1.json: created by ann@build-7 (pid 4711) at 2026-11-21T15:57:42Z"


def cli(folder: Path, script: str) -> PulumiCli:
    binary = folder / "pulumi"
    binary.write_text(f'#!/bin/sh\necho "$@" >> {folder}/asked\n{script}\n')
    binary.chmod(0o755)
    return PulumiCli(binary=binary, project=folder, variables=engine_variables())


def asked(folder: Path) -> list[str]:
    return (folder / "asked").read_text().splitlines()


def test_every_command_is_told_the_project_and_asks_nothing(tmp_path: Path) -> None:
    cli(tmp_path, "").up("dev", refresh=True)
    unattended = f"--non-interactive --color never --cwd {tmp_path}"
    assert asked(tmp_path) == [f"up --yes --skip-preview --refresh --stack dev {unattended}"]


def test_what_it_says_is_handed_on_line_by_line(tmp_path: Path) -> None:
    lines: list[str] = []
    quiet = cli(tmp_path, "echo one; echo two >&2; echo; echo four")
    PulumiCli(binary=quiet.binary, project=tmp_path, variables=quiet.variables, on_line=lines.append).up("dev")
    assert lines == ["one", "two", "", "four"]


def test_a_failure_shows_the_last_lines_and_the_status(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed, match=r"`pulumi up` ended with status 4(?s:.*)    error: throttled") as failed:
        cli(tmp_path, "echo 'error: throttled' >&2; exit 4").up("dev")
    assert failed.value.exit_status == 4


def test_without_a_login_the_next_step_is_the_bootstraps_settings(tmp_path: Path) -> None:
    refusal = "error: PULUMI_ACCESS_TOKEN must be set for login during non-interactive CLI sessions"
    with pytest.raises(NotLoggedIn, match=r"set -a; \. bootstrap/dev\.env; set \+a"):
        cli(tmp_path, f"echo '{refusal}' >&2; exit 255").export("dev")


@pytest.mark.parametrize(
    "line",
    [
        "    aws:s3:Bucket lake **creating failed** error: resource-aws exited prematurely",
        "    pulumi:pulumi:Stack firnline-dev **failed** 3 errors",
        "Resources: 1 errored",
        "    1 errored",
    ],
)
def test_an_up_that_printed_errors_is_no_success_whatever_its_status(tmp_path: Path, line: str) -> None:
    with pytest.raises(ErrorsReported, match="same command again"):
        cli(tmp_path, f"echo '{line}'").up("dev")
    cli(tmp_path, "echo '    155 unchanged'; echo ' +  t:T failed-orders created'").up("dev")


def test_a_lock_is_told_from_other_failures(tmp_path: Path) -> None:
    with pytest.raises(StackLocked) as refused:
        cli(tmp_path, f"echo '{LOCKED}' >&2; exit 255").up("dev")
    assert [lock.pid for lock in refused.value.locks] == [4711]


@pytest.mark.parametrize(
    "script", ["exit 7", "echo 'error: no changes were expected but changes were proposed'; exit 255"]
)
def test_changes_that_were_not_expected_are_told_from_failures_by_old_and_new_versions(
    tmp_path: Path, script: str
) -> None:
    engine = cli(tmp_path, f"echo '~ retentionPeriod: 72 => 48'; {script}")
    with pytest.raises(UnexpectedChanges, match="retentionPeriod: 72 => 48"):
        engine.preview("dev", refresh=True, expect_no_changes=True)
    assert "--refresh --expect-no-changes" in asked(tmp_path)[0]


@pytest.mark.parametrize(
    "said",
    [
        "error: resource urn:pulumi:dev::p::aws:kinesis/stream:Stream::orders violates plan: properties changed",
        "error: create is not allowed by the plan: no steps were expected for this resource",
        "error: update is not allowed by the plan: this resource is constrained to same",
        "error: expected resource operations for urn:pulumi:dev::p::trial:index:Room::kitchen but none were seen",
    ],
)
def test_what_is_not_as_the_plan_has_it_is_told_from_other_failures(tmp_path: Path, said: str) -> None:
    engine = cli(tmp_path, f"echo '{said}'; exit 1")
    with pytest.raises(PlanExceeded, match="FL-7110"):
        engine.up("dev", plan=tmp_path / "plan.json")
    with pytest.raises(CommandFailed, match="FL-7103"):
        engine.up("dev")


def test_a_failure_while_no_changes_are_expected_is_no_drift(tmp_path: Path) -> None:
    with pytest.raises(CommandFailed):
        cli(tmp_path, "echo 'error: no credentials'; exit 255").preview("dev", expect_no_changes=True)


def test_a_stack_is_made_only_where_there_is_none(tmp_path: Path) -> None:
    cli(tmp_path, "echo {}").init("dev")
    assert [line.split(" --")[0] for line in asked(tmp_path)] == ["stack export"]
    with pytest.raises(NoSuchStack):
        cli(tmp_path, "exit 6").init("dev")
    assert [line.split(" --")[0] for line in asked(tmp_path)] == ["stack export", "stack export", "stack init"]


def test_a_document_is_read_from_stdout_alone(tmp_path: Path) -> None:
    assert cli(tmp_path, """echo 'warning: old' >&2; echo '{"arn": "a"}'""").outputs("dev") == {"arn": "a"}


def test_pending_operations_are_dropped_by_writing_the_state_back(tmp_path: Path) -> None:
    state = {"version": 3, "deployment": {}}
    script = f"""case "$2" in export) echo '{json.dumps(state)}' ;; import) cp "$4" {tmp_path}/written ;; esac"""
    cli(tmp_path, script).drop_pending_operations("dev")
    assert json.loads((tmp_path / "written").read_text()) == state


def test_the_engines_variables_add_to_those_around_it() -> None:
    around = {"HOME": "/home/a", "PULUMI_CONFIG_PASSPHRASE_FILE": "/p"}
    variables = engine_variables(around, backend="file:///s", passphrase="x")
    assert variables == {
        "HOME": "/home/a",
        "PULUMI_PYTHON_CMD": sys.executable,
        "PULUMI_BACKEND_URL": "file:///s",
        "PULUMI_CONFIG_PASSPHRASE": "x",
        "PULUMI_SKIP_UPDATE_CHECK": "true",
        "NO_COLOR": "1",
    }
    assert engine_variables(around)["PULUMI_CONFIG_PASSPHRASE_FILE"] == "/p"
