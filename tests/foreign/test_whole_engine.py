"""The whole engine on other people's Kinesis, DynamoDB and S3: real Spark, the real SDK, whole commands."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from firnline_infra.cli.main import firnline
from tests.foreign.commands import command, proven_records, rows_of
from tests.foreign.conftest import ForeignLane
from tests.foreign.servers import KINESALITE, KINESIS_MOCK
from tests.spark.conftest import HANGS_S, until

pytestmark = [pytest.mark.foreign, pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]

BOTH = [pytest.param(KINESIS_MOCK, id="kinesis-mock"), pytest.param(KINESALITE, id="kinesalite")]


@pytest.mark.parametrize("foreign_environment", BOTH, indirect=True)
def test_a_stream_that_is_split_and_merged_under_an_engine_that_is_killed_arrives_once(
    new_lane: Callable[..., ForeignLane], s3a_jars: Path
) -> None:
    lane = new_lane(s3a_jars=s3a_jars)
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
    assert {name.partition("/")[0] for name in lane.object_names()} >= {"checkpoint", "dead-letters"}
    closed = {f"shardId-{number:012}" for number in (0, 1, 3)}
    assert {key for key, row in rows_of(lane).items() if row.ended} == closed
