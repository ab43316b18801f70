"""Tests of what the driver tells of the keys that its tasks use; a rotation rests on it."""

from dataclasses import replace

import pytest

from firnline_ingest.ledger.errors import LedgerUnavailable
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.spark.job import EngineJob
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.standing_in import StandIn, receipt


def receipts(*fingerprints: str) -> list[Receipt]:
    return [receipt(shard=f"shardId-{number}", fingerprint=each) for number, each in enumerate(fingerprints)]


@pytest.fixture
def job(ledger: MemoryLedger) -> EngineJob:
    job = StandIn(lambda _: []).job(ledger)
    assert job._lease.begin()
    return job


def shown(ledger: MemoryLedger) -> tuple[str, ...]:
    return ledger.current_run().fingerprints


def test_every_key_that_some_task_uses_is_shown(job: EngineJob, ledger: MemoryLedger) -> None:
    job._judge(receipts("SHA256:b", "SHA256:a", "SHA256:b"))
    assert shown(ledger) == ("SHA256:a", "SHA256:b")
    job._judge(receipts("SHA256:b", "SHA256:b"))
    assert shown(ledger) == ("SHA256:b",)


def test_an_epoch_in_which_nothing_was_open_says_nothing(job: EngineJob, ledger: MemoryLedger) -> None:
    job._judge(receipts("SHA256:a"))
    job._judge(receipts("", ""))
    assert shown(ledger) == ("SHA256:a",)


def test_a_ledger_that_was_out_of_reach_is_told_in_the_next_epoch(
    job: EngineJob, ledger: MemoryLedger, monkeypatch: pytest.MonkeyPatch
) -> None:
    def unreachable(*_: object) -> None:
        raise LedgerUnavailable("ledger", "a test")

    with monkeypatch.context() as patch:
        patch.setattr(ledger, "show_fingerprints", unreachable)
        job._judge(receipts("SHA256:a"))
    assert shown(ledger) == ()
    job._judge(receipts("SHA256:a"))
    assert shown(ledger) == ("SHA256:a",)


def test_shards_without_room_are_shown_for_as_long_as_there_is_none(job: EngineJob, ledger: MemoryLedger) -> None:
    def waiting() -> int:
        return ledger.current_run().waiting

    without = [replace(each, state=ShardState.WAITING) for each in receipts("", "")]
    job._judge(without)
    assert waiting() == 2
    job._judge(receipts("SHA256:a", "SHA256:a"))
    assert waiting() == 0
