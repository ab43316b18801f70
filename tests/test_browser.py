"""The Chromium of the tests is pinned, and found where scripts/chromium puts it."""

import json
import os
import re
import subprocess
from pathlib import Path

from tests.browser import PINNED, PINS, provided

ROOT = Path(__file__).parents[1]


def test_each_package_is_pinned_by_its_checksum_and_no_registry_is_named() -> None:
    locked = {name: each for name, each in json.loads((PINS / PINNED[0]).read_text())["packages"].items() if name}
    assert {name for name, each in locked.items() if not re.match(r"sha512-", each.get("integrity", ""))} == set()
    assert {name for name, each in locked.items() if "resolved" in each} == set()
    for name, version in json.loads((PINS / "package.json").read_text())["dependencies"].items():
        assert locked[f"node_modules/{name}"]["version"] == version


def test_the_script_keeps_it_where_the_tests_look(tmp_path: Path) -> None:
    place = provided(tmp_path / "firnline")
    place.mkdir(parents=True)
    done = subprocess.run(
        [ROOT / "scripts" / "chromium"],
        env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip # a paragraph, not a column
    assert (done.returncode, done.stderr) == (0, f"Chromium: {place}\n")


def test_without_node_it_says_what_is_left_out_and_in_ci_it_fails(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name, said in (("uname", "case $1 in -s) echo Linux ;; *) echo x86_64 ;; esac"), ("node", "exit 1")):
        (programs / name).write_text(f"#!/bin/sh\n{said}\n")
        (programs / name).chmod(0o755)
    for ci, status in (("", 0), ("true", 2)):
        done = subprocess.run(
            [ROOT / "scripts" / "chromium"],
            env={"PATH": f"{programs}:/usr/bin:/bin", "HOME": str(tmp_path), "CI": ci},
            capture_output=True, text=True, check=False, timeout=60,
        )  # fmt: skip # a paragraph, not a column
        assert done.returncode == status
        assert "with Node 20 or newer; found none" in done.stderr
        assert "then: scripts/chromium" in done.stderr
