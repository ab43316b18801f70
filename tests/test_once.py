"""Tests of `once`: another process waits, and one that fails does not leave a half."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.once import once

ROOT = Path(__file__).parents[1]
FILES = """
import time
import pytest
from tests.once import once

def make(folder):
    time.sleep(0.2)
    with (folder / "made").open("a") as made:
        made.write("x")

@pytest.mark.parametrize("number", range(4))
def test_it_is_there(tmp_path_factory, number):
    assert (once(tmp_path_factory, "shared", make) / "made").read_text() == "x"
"""


def test_of_several_processes_one_makes_it_and_the_others_wait(tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(FILES, encoding="utf-8")
    alone = ("-p", "no:cacheprovider", "--rootdir", str(tmp_path), "--basetemp", str(tmp_path / "base"))
    command = [sys.executable, "-m", "pytest", "-n", "2", *alone, str(tmp_path / "test_some.py")]
    ran = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert (ran.returncode, "4 passed" in ran.stdout) == (0, True), ran.stdout
    assert [file.read_text() for file in tmp_path.rglob("shared/made")] == ["x"]


def test_what_could_not_be_made_is_tried_again(tmp_path_factory: pytest.TempPathFactory) -> None:
    def refuse(_: Path) -> None:
        raise OSError("full")

    name = "tried-again"
    with pytest.raises(OSError, match="full"):
        once(tmp_path_factory, name, refuse)
    assert once(tmp_path_factory, name, lambda folder: (folder / "file").touch()).joinpath("file").exists()
