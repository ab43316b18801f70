"""scripts/setup in a small project of its own, without a network: what it takes for set up, and what it says where it fails."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
WITHOUT_NETWORK = {**os.environ, "PIP_NO_INDEX": "1", "UV_OFFLINE": "1", "PYTHON": sys.executable}

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.timeout(900),
    pytest.mark.skipif(shutil.which("java") is None, reason="scripts/setup asks for Java, which is not there"),
]


@pytest.fixture
def clone(tmp_path: Path) -> Path:
    """A project that locks no packages: what the script makes of it is an empty .venv."""
    folder = tmp_path / "first place"
    for package in ("scripts", "infra", "ingest", "local"):
        (folder / package).mkdir(parents=True)
    shutil.copy(ROOT / "scripts" / "setup", folder / "scripts")
    (folder / "pyproject.toml").write_text(
        '[project]\nname = "empty"\nversion = "0"\n[dependency-groups]\ndev = [\n    "uv==0",\n]\n'
    )
    (folder / "uv.lock").write_text("")
    (folder / "requirements.txt").write_text("")
    return folder


def setup(clone: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [clone / "scripts" / "setup"], check=False, env=WITHOUT_NETWORK, capture_output=True, text=True, timeout=600
    )


def works(clone: Path) -> bool:
    """Returns whether a program of .venv starts: its first line names the interpreter by its whole path."""
    return (
        subprocess.run([clone / ".venv" / "bin" / "pip", "--version"], check=False, capture_output=True).returncode == 0
    )


def test_a_clone_is_set_up_once_and_goes_on_where_it_stopped(clone: Path) -> None:
    (clone / "requirements.txt").write_text("a-package-that-no-index-has==1\n")
    assert_refused(setup(clone))
    assert_refused(setup(clone))  # it is not taken for set up afterwards
    (clone / "requirements.txt").write_text("")
    assert setup(clone).returncode == 0
    assert works(clone)
    again = setup(clone)
    assert (again.returncode, again.stderr) == (0, "")


@pytest.mark.slow
def test_a_clone_is_set_up_again_where_nothing_starts_any_more(clone: Path) -> None:
    """One story: each environment that is made takes as long as all the rest."""
    assert setup(clone).returncode == 0
    interpreter = clone / ".venv" / "bin" / "python"
    interpreter.unlink()
    interpreter.write_text("#!/bin/sh\nexit 127\n")
    interpreter.chmod(0o755)
    assert_set_up_anew(clone)
    assert subprocess.run([interpreter, "-c", ""], check=False).returncode == 0

    moved = clone.rename(clone.with_name("second-place"))
    assert_set_up_anew(moved)
    a_lock_file_that_uv_refuses_is_said(moved)


def assert_set_up_anew(clone: Path) -> None:
    done = setup(clone)
    assert done.returncode == 0, done.stderr
    assert works(clone)


def assert_refused(done: "subprocess.CompletedProcess[str]") -> None:
    assert done.returncode == 2
    assert "  Next: " in done.stderr


def a_lock_file_that_uv_refuses_is_said(clone: Path) -> None:
    uv = ROOT / ".venv" / "bin" / "uv"
    if not uv.exists():
        pytest.skip("this .venv was made without uv")
    (clone / ".venv" / "bin" / "uv").symlink_to(uv)
    (clone / "uv.lock").write_text("no lock file")
    assert_refused(setup(clone))
