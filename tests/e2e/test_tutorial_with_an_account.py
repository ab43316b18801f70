"""The tutorial as it is written, with accounts of one's own: its commands word for word, up to the first one that meets a cloud.

On a machine that has no credentials that one is refused; what it says is the help that a newcomer gets there.
`test_without_a_clone.py` plays the page's other way, `--local` to the proof.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from tests.e2e.test_without_a_clone import commands_of_the_tutorial

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(300)]

BEFORE_A_CLOUD = ["init", "spec check", "bootstrap"]
NOWHERE = {
    "AWS_CONFIG_FILE": os.devnull,
    "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
    "AWS_EC2_METADATA_DISABLED": "true",
}
OWN = ("AWS_", "SNOWFLAKE_", "PULUMI_", "FIRNLINE_")


def typed(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Runs one command in a folder, where no variable names a credential."""
    around = {name: value for name, value in os.environ.items() if not name.startswith(OWN)}
    return subprocess.run(
        [str(Path(sys.executable).with_name("firnline")), *shlex.split(command)],
        cwd=folder,
        env={**around, **NOWHERE},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_its_commands_work_as_written_until_the_first_that_needs_credentials_says_so(tmp_path: Path) -> None:
    commands = commands_of_the_tutorial()
    for command, begins in zip(commands, BEFORE_A_CLOUD, strict=False):
        assert command.startswith(begins), command
        done = typed(command, tmp_path)
        assert done.returncode == 0, f"firnline {command}\n{done.stdout}{done.stderr}"
    written = {str(file.relative_to(tmp_path)) for file in tmp_path.rglob("*") if file.is_file()}
    assert {
        "stacks/environments/dev.yaml",
        "stacks/pulumi/__main__.py",
        ".github/workflows/firnline-dev.yaml",
        "bootstrap/dev-aws.yaml",
        "bootstrap/dev-snowflake.sql",
        "bootstrap/dev.env",
        "bootstrap/dev-workflow.yaml",
    } <= written

    refused = typed(commands[len(BEFORE_A_CLOUD)], tmp_path)
    said = refused.stdout + refused.stderr
    assert refused.returncode == 2, said
    assert re.search(r"\[FL-\d{4}\].*credentials", said), said
    assert "Next: " in said
    assert "Traceback" not in said
