"""Rows that no channel takes, by the driver itself: the real snowflake-ingest, killed around each of its effects, and audited."""

import json
import subprocess
import sys
from collections.abc import Sequence

import pytest

from firnline_infra.audit.findings import Counts

from .conftest import BAD, GOOD, Lane

pytestmark = pytest.mark.contract
LARGE = 4
"""Records of the stream whose row is above the limit."""
DRIVER = """
import importlib, json, os, sys
from pathlib import Path
from firnline_ingest.config.load import load_config
from firnline_ingest.dead_letters import file_load
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.spark.oversize import OversizeRounds
file_load.POLL_S = 0.2
config, at = load_config(Path(sys.argv[1])), sys.argv[2]
if at:
    when, module, owner, name = at.split()
    owner = getattr(importlib.import_module(module), owner)
    inner = getattr(owner, name)
    def dies(*given):
        if when == "after":
            inner(*given)
        os._exit(9)
    setattr(owner, name, dies)
rounds = OversizeRounds(config, open_ledger(config), lambda: True)
rounds.round(lambda: False)
told = {"rows": sum(each.replayed_rows for each in rounds.untold()), "left": dict(rounds.left)}
print(json.dumps({**told, "problems": [each.what for each in rounds.problems.values()]}), flush=True)
os._exit(0)
"""
JOURNAL, PIPE = "firnline_ingest.dead_letters.journal Journal", "firnline_ingest.dead_letters.file_pipe AccountSnowpipe"
KILLS = (
    f"before {JOURNAL} begin",
    f"after {JOURNAL} begin",
    f"after {PIPE} put",
    f"after {PIPE} submit",
    f"after {PIPE} remove",
    f"after {JOURNAL} finish",
)
"""The effects of docs/files.md, in their order."""


def driver(lane: Lane, killed: str = "") -> subprocess.CompletedProcess[str]:
    """One round of a driver, in a process of its own."""
    config = lane.config().model_copy(update={"application": lane.table})
    file = lane.folder.parent / "engine.json"
    file.write_text(config.model_dump_json(by_alias=True, exclude_unset=True))
    return subprocess.run(
        [sys.executable, "-W", "ignore::DeprecationWarning", "-c", DRIVER, str(file), killed],
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )


def make_the_way_for_files(lane: Lane) -> None:
    """Makes the way as `file_replay` makes it."""
    role, place = lane.environment.logins["ingest"].role, f"{lane.name}_DEAD_LETTERS"
    lane.sql(f"CREATE STAGE {place}")
    lane.sql(
        f"CREATE PIPE {place} AS COPY INTO {lane.name} FROM @{place} FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) "
        "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE"
    )
    lane.sql(f"GRANT READ, WRITE ON STAGE {place} TO ROLE {role}")
    lane.sql(f"GRANT OPERATE, MONITOR ON PIPE {place} TO ROLE {role}")
    lane.grant("SELECT", "ingest")


LARGE_RECORDS = [{"id": 500 + number, "Name": "x" * 3000} for number in range(LARGE)]


def test_rows_of_an_iceberg_table_go_by_file_as_they_are_streamed(iceberg_lane: Lane) -> None:
    """The embedded COPY makes structured columns by the rules of a cast, as its streaming does: the belief is B1220."""
    lane = iceberg_lane
    lane.options = {"oversize_rows": "file", "max_row_bytes": 1024}
    lane.environment.put_events(lane.stream, LARGE_RECORDS, key=lambda number, _: str(number))
    make_the_way_for_files(lane)
    lane.run_engine()
    told = json.loads(driver(lane).stdout.splitlines()[-1])
    assert (told["rows"], told["problems"], told["left"]) == (LARGE, [], {})
    report = lane.audit()
    assert report.is_proven, report.shards
    everything = GOOD + BAD + LARGE
    assert report.totals == Counts(records=everything, rows=GOOD + LARGE, dead_letters=BAD, replayed=LARGE)
    streamed, loaded = ([set(lane.metadata_of(number))] for number in (1, 500))
    assert streamed == loaded


@pytest.mark.parametrize("kills", [KILLS[3:4], pytest.param(KILLS, marks=pytest.mark.slow)], ids=["submit", "each"])
def test_the_driver_puts_each_row_in_once_wherever_it_is_killed(engines_lane: Lane, kills: Sequence[str]) -> None:
    lane = engines_lane
    lane.options = {"oversize_rows": "file", "max_row_bytes": 1024}
    lane.environment.put_events(lane.stream, LARGE_RECORDS, key=lambda number, _: str(number))
    make_the_way_for_files(lane)
    lane.run_engine()
    assert lane.audit().totals.dead_letters == BAD + LARGE
    for killed in kills:
        ended = driver(lane, killed)
        assert ended.returncode == 9, ended.stderr
        report = lane.audit()
        assert report.is_proven, (killed, report.shards)
        assert report.totals.records == GOOD + BAD + LARGE
    last = driver(lane)
    assert last.returncode == 0, last.stderr
    told = json.loads(last.stdout.splitlines()[-1])
    assert (told["problems"], told["left"]) == ([], {})
    report = lane.audit()
    assert report.is_proven, report.shards
    everything = GOOD + BAD + LARGE
    assert report.totals == Counts(records=everything, rows=GOOD + LARGE, dead_letters=BAD, replayed=LARGE)
    ids = lane.sql(f"SELECT ID FROM {lane.name} WHERE ID >= 500 ORDER BY ID")
    assert [int(number) for (number,) in ids] == [500, 501, 502, 503]
    again = json.loads(driver(lane).stdout.splitlines()[-1])
    assert again["rows"] == 0
