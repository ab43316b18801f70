"""The ledger's table, where the engine makes it, and the engine's report in it."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import AwsConfig
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.engine_report import EngineProblem, EngineReport, MinuteCounts, ShardReading
from firnline_ingest.ledger.errors import LedgerTableMissing

pytestmark = pytest.mark.contract


@pytest.fixture
def ledger() -> Iterator[DynamoLedger]:
    from moto import mock_aws

    with mock_aws():
        yield DynamoLedger(dynamodb_client(AwsConfig(region="us-east-1")), "ledger")


def test_a_table_that_is_made_is_a_ledger(ledger: DynamoLedger) -> None:
    with pytest.raises(LedgerTableMissing):
        ledger.check()
    ledger.create()
    ledger.check()
    assert ledger.current_run() is None


def test_of_two_engines_that_make_it_both_go_on(ledger: DynamoLedger) -> None:
    ledger.create()
    ledger.create()
    ledger.check()


def test_the_newest_engines_report_is_kept_also_after_it_has_ended(ledger: DynamoLedger) -> None:
    ledger.create()
    assert ledger.report() is None
    problem = EngineProblem(id="FL-3006", what="There is no table.", next_step="create it.", stream="orders", tries=3)
    minute = MinuteCounts("orders", 29_000_000, records=5, rows=5, bytes=900, lag_ms=12)
    reading = ShardReading("orders", "shardId-0", "reading", behind_ms=12, proof_delay_ms=800, rows=5)
    report = EngineReport(
        run_id="one", at_ms=7, problems=(problem,), all_problems=1, minutes=(minute,), shards=(reading,)
    )
    ledger.write_report(report)
    assert ledger.report() == report
    assert ledger.begun_streams() == []
    ledger.write_report(replace(report, run_id="two", ended_ms=8))
    found = ledger.report()
    assert (found.run_id, found.ended_ms) == ("two", 8)
