"""Dead letters that come back through the real SDK, killed on the way, and audited at every moment of it."""

import subprocess
import sys

import pytest

from firnline_infra.audit.findings import Counts

from .conftest import Lane

pytestmark = pytest.mark.contract
GOOD, BAD = 20, 3  # records of the stream
REPAIRS = "def number(data):\n    return b'{\"id\": %d}' % (900 + int(data.split()[1]))\n"
DYING = (
    "import os, sys\n"
    "from firnline_ingest.dead_letters.journal import Journal\n"
    "from firnline_infra.cli.dead_letters import dead_letters\n"
    "Journal.finish = lambda *_: os._exit(9)\n"
    "dead_letters(sys.argv[1:])\n"
)


RUNS = "import sys; from firnline_infra.cli.dead_letters import dead_letters; dead_letters(sys.argv[1:])"


def replay(lane: Lane, program: str, *options: str) -> subprocess.CompletedProcess[str]:
    """In a process of its own: the SDK learns whom to trust once a process."""
    config = lane.config().model_copy(update={"application": lane.table})
    file = lane.folder.parent / "engine.json"
    file.write_text(config.model_dump_json(by_alias=True, exclude_unset=True))
    arguments = ["replay", "--config", str(file), *options]
    return subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
        cwd=lane.folder.parent,
    )


def test_letters_are_replayed_once_though_the_first_replay_is_killed(engines_lane: Lane) -> None:
    lane = engines_lane
    lane.run_engine()
    (lane.folder.parent / "repairs.py").write_text(REPAIRS)

    looked = replay(lane, RUNS, "--dry-run")
    assert looked.returncode == 1, looked.stderr
    assert f"{BAD} stay dead letters: not-json" in looked.stdout

    killed = replay(lane, DYING, "--with", "repairs:number")
    assert killed.returncode == 9, killed.stderr
    report = lane.audit()
    assert report.is_proven, report.shards
    half = report.totals.replayed
    assert 0 < half <= BAD
    assert report.totals.dead_letters == BAD - half

    again = replay(lane, RUNS, "--with", "repairs:number")
    assert again.returncode == 0, again.stderr
    report = lane.audit()
    assert report.is_proven, report.shards
    assert report.totals == Counts(records=GOOD + BAD, rows=GOOD + BAD, replayed=BAD)
    ids = lane.sql(f"SELECT ID FROM {lane.name} WHERE ID >= 900 ORDER BY ID")
    assert [int(number) for (number,) in ids] == [900, 901, 902]

    more = replay(lane, RUNS, "--with", "repairs:number")
    assert more.returncode == 0, more.stderr
    assert f"0 replayed as 0 rows; {BAD} replayed before." in more.stdout
    assert lane.audit().totals.rows == GOOD + BAD
