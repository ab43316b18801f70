"""The demo at a small size: everything it is made of, in one run, as a newcomer starts it."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.e2e

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 240


def demo(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [str(Path(sys.executable).with_name("firnline")), "demo", *arguments],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def test_the_demo_loses_and_doubles_nothing_although_its_driver_is_killed(tmp_path: Path) -> None:
    run = demo("--records", "6000", "--folder", str(tmp_path / "demo"))
    assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]
    assert re.search(r"killed: [\d,]+ records read", run.stdout)
    assert "5,998 rows in FIRNLINE.RAW.ORDERS" in run.stdout
    assert "PROVEN: each of 6,000 records" in run.stdout
    assert "2 records became dead letters: 2 not-json" in run.stdout
    assert re.search(r"^  lost or doubled +none$", run.stdout, re.MULTILINE)
    told = run.stdout.partition("engine.json that was used")[0]
    assert max(map(len, told.splitlines())) <= 80, max(told.splitlines(), key=len)
    assert re.search(r"The status page is at http://127\.0\.0\.1:\d+/", run.stdout)
    assert "CHANNEL" in run.stdout
    assert "LOYALTY" in run.stdout


def test_a_file_without_events_is_refused_at_once(tmp_path: Path) -> None:
    events = tmp_path / "events.ndjson"
    events.write_text("")
    run = demo("--file", str(events))
    assert run.returncode == 2
    assert "FL-6061" in run.stderr
