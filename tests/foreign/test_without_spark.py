"""Tests of what needs no Spark on other people's Kinesis, DynamoDB and S3: processes that are killed at each effect,
and a migration.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from firnline_ingest.migration import kcl
from firnline_ingest.shard.steps import EpochStep
from tests.foreign.commands import command, proven_records, rows_of
from tests.foreign.conftest import ForeignLane
from tests.foreign.servers import KINESALITE, KINESIS_MOCK
from tests.ingest.migration.conftest import make_table

pytestmark = [pytest.mark.foreign, pytest.mark.contract, pytest.mark.timeout(600)]

EFFECTS = [EpochStep.DEAD_LETTERED, EpochStep.APPENDED, EpochStep.COMMITTED, EpochStep.LEDGERED]
ROOT = Path(__file__).parents[2]
REPAIRS = "def number(data):\n    return b'{\"n\": %d}' % (900 + int(data.split()[2]))\n"
REPLAYS = (
    "import sys; from firnline_infra.cli.dead_letters import dead_letters; dead_letters(['replay', *sys.argv[1:]])"
)
DIES = f"""
import os
from firnline_ingest.dead_letters.journal import Journal
Journal.finish = lambda *_: os._exit(9)
{REPLAYS}
"""


def run(lane: ForeignLane, *step: EpochStep) -> int:
    ended = python(lane, ROOT, "-m", "tests.foreign.killed_engine", str(lane.config_file), *step)
    assert ended.returncode in (0, -signal.SIGKILL), ended.stderr
    return ended.returncode


def python(lane: ForeignLane, folder: Path, *arguments: str) -> "subprocess.CompletedProcess[str]":
    """In a process of its own: the SDK learns whom to trust once a process."""
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env={**os.environ, **lane.environment.variables, "SSL_CERT_FILE": str(lane.environment.endpoints.ca_file)},
        capture_output=True,
        text=True,
        check=False,
    )


def replay(lane: ForeignLane, program: str) -> tuple[int, str]:
    """Dead letters of S3, repaired by repairs.py of the lane's folder."""
    (lane.folder / "repairs.py").write_text(REPAIRS)
    ended = python(lane, lane.folder, "-c", program, "--config", str(lane.config_file), "--with", "repairs:number")
    return ended.returncode, ended.stdout + ended.stderr


@pytest.mark.parametrize(
    "foreign_environment",
    [pytest.param(KINESIS_MOCK, id="kinesis-mock"), pytest.param(KINESALITE, id="kinesalite", marks=pytest.mark.slow)],
    indirect=True,
)
def test_each_record_arrives_once_though_engine_and_replay_are_killed_at_each_effect(
    new_lane: Callable[..., ForeignLane],
) -> None:
    lane = new_lane()
    assert command(lane, "validate")[0] == 0
    for part, effect in enumerate(EFFECTS):
        lane.put(*({"n": 10 * part + n} for n in range(10)), b"not json %d" % part)
        assert run(lane, effect) == -signal.SIGKILL
    assert run(lane) == 0
    assert lane.rows("COUNT(*), COUNT(DISTINCT N)") == [(10 * len(EFFECTS),) * 2]
    assert proven_records(lane) == 11 * len(EFFECTS)

    status, said = replay(lane, DIES)
    assert status == 9, said
    assert proven_records(lane) == 11 * len(EFFECTS)
    status, said = replay(lane, REPLAYS)
    assert status == 0, said
    assert lane.rows("COUNT(*), COUNT(DISTINCT N), MAX(N)") == [(11 * len(EFFECTS), 11 * len(EFFECTS), 903)]
    assert proven_records(lane) == 11 * len(EFFECTS)


def test_a_consumers_leases_are_taken_over_undone_and_taken_over_again(new_lane: Callable[..., ForeignLane]) -> None:
    lane = new_lane()
    left, right = lane.open_shards()
    old = f"leases-of-{lane.name}"
    taken = lane.put_into(left, *({"n": n} for n in range(5)))
    lane.put_into(right, *({"n": n} for n in range(5, 10)))
    lease = {"leaseCounter": {"N": "3"}, "checkpointSubSequenceNumber": {"N": "0"}}
    places = {left["ShardId"]: taken[2], right["ShardId"]: "TRIM_HORIZON"}
    make_table(
        lane.environment.client("dynamodb"),
        old,
        kcl.KEY,
        [{"leaseKey": {"S": shard}, "checkpoint": {"S": place}, **lease} for shard, place in places.items()],
    )
    migrate = ("migrate", "--from", old, "--watch", "0")
    status, said = command(lane, *migrate)
    assert (status, "Nothing was written" in said) == (0, True), said
    status, said = command(lane, *migrate, "--apply")
    assert (status, f"2 rows of {lane.name} are in the ledger" in said) == (0, True), said
    assert command(lane, "migrate", "--undo")[0] == 0
    assert rows_of(lane) == {}
    assert command(lane, *migrate, "--apply")[0] == 0
    assert run(lane) == 0
    assert lane.rows("COUNT(*), MIN(N)") == [(7, 3)]
    assert proven_records(lane, migrated=True) == 7
