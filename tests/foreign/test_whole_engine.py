"""The whole engine on other people's Kinesis and DynamoDB: real Spark, the real SDK, whole commands."""

import contextlib
import io
from collections.abc import Callable, Mapping

import pytest
from click.testing import CliRunner

from firnline_infra.audit import ReaderUser, audit
from firnline_infra.audit.report_text import report_text
from firnline_infra.cli.main import firnline
from firnline_ingest.__main__ import main as engine_command
from firnline_ingest.config.load import load_config
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.ledger.row import ShardRow
from tests.foreign.conftest import ForeignLane
from tests.spark.conftest import HANGS_S, until

pytestmark = [pytest.mark.foreign, pytest.mark.spark, pytest.mark.timeout(HANGS_S)]


def command(lane: ForeignLane, *arguments: str) -> tuple[int, str]:
    """An engine's command, in this process: its exit status and all that it prints."""
    said = io.StringIO()
    with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
        status = engine_command([*arguments, "--config", str(lane.config_file)])
    return status, said.getvalue()


def rows_of(lane: ForeignLane) -> Mapping[str, ShardRow]:
    """The ledger's, by shard."""
    config = load_config(lane.config_file)
    return open_ledger(config).rows(read_lineage(kinesis_client(config.aws), lane.name).incarnation)


def proven_records(lane: ForeignLane) -> int:
    """What the audit has proven, values and all."""
    login = lane.environment.logins["reader"]
    reader = ReaderUser(user=login.user, role=login.role, key_file=login.private_key_file)
    report = audit(load_config(lane.config_file), reader, content=True)
    assert report.exit_status == 0, report_text(report)
    return report.pipelines[0].totals.records


def test_a_stream_that_is_split_and_merged_under_an_engine_that_is_killed_arrives_once(
    new_lane: Callable[..., ForeignLane],
) -> None:
    lane = new_lane()
    status, said = command(lane, "validate")
    assert status == 0, said
    lane.put(*({"n": n, "deep": {"list": [n]}} for n in range(300)), b"not json")
    with lane.engine(available_now=False) as first:
        until(lambda: first.total("rows"), first)
        status, said = command(lane, "run")
        assert (status, "FL-2106" in said) == (2, True), said
        lane.split(lane.open_shards()[0])
        lane.put(*({"n": n} for n in range(300, 500)))
        until(lambda: first.total("rows") > 300, first)
        shown = CliRunner().invoke(firnline, ["status", "--config", str(lane.config_file)], catch_exceptions=False)
        assert shown.exit_code == 0, shown.output
        assert "alive" in shown.output
        first.kill_driver()
    lane.merge(*lane.open_shards()[1:])
    lane.put(*({"n": n} for n in range(500, 700)))

    with lane.engine(available_now=True) as second:
        assert second.wait(HANGS_S) == 0, list(second.last_lines)
    assert lane.rows("COUNT(*), COUNT(DISTINCT N)") == [(700, 700)]
    assert proven_records(lane) == 701
    closed = {f"shardId-{number:012}" for number in (0, 1, 3)}
    assert {key for key, row in rows_of(lane).items() if row.ended} == closed
