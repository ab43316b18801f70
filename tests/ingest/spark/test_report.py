import logging
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.spark.report import MOST_RECEIPTS, EpochReport
from tests.ingest.spark.standing_in import problem, receipt


@pytest.fixture
def lines(caplog: pytest.LogCaptureFixture) -> Callable[[str], list[Any]]:
    caplog.set_level(logging.INFO, "firnline_ingest")
    return lambda event: [record for record in caplog.records if record.getMessage() == event]


def many(count: int) -> list[Receipt]:
    return [receipt(shard=f"shard-{n:04}", records=n, rows=n, behind_ms=n) for n in range(count)]


def test_an_epoch_is_added_up_in_one_line(lines: Callable[[str], list[Any]]) -> None:
    failed = receipt(shard="bad", state=ShardState.FAILED, problem=problem())
    EpochReport().write([*many(4), failed], stopped={failed.key})
    (line,) = lines("epoch.ended")
    assert (line.shards, line.reading, line.failed) == (5, 4, 1)
    assert (line.records, line.rows, line.behind_ms) == (6, 6, 3)
    assert line.problems == {"FL-3006": 1}
    assert line.stopped == [str(failed.key)]


def test_few_shards_are_told_in_full(lines: Callable[[str], list[Any]]) -> None:
    EpochReport().write(many(3))
    assert len(lines("shard.receipt")) == 3


def test_lines_are_bounded_whatever_the_number_of_shards_and_problems_and_changes_come_first(
    lines: Callable[[str], list[Any]],
) -> None:
    report, receipts = EpochReport(), many(500)
    report.write(receipts)
    assert len(lines("shard.receipt")) == MOST_RECEIPTS
    receipts[400] = replace(receipts[400], state=ShardState.FAILED, problem=problem())
    receipts[450] = replace(receipts[450], state=ShardState.ENDED)
    report.write(receipts)
    second = lines("shard.receipt")[MOST_RECEIPTS:]
    assert len(second) == MOST_RECEIPTS
    assert [line.shard_id for line in second[:2]] == ["shard-0400", "shard-0450"]


def test_what_has_not_changed_is_not_repeated(lines: Callable[[str], list[Any]]) -> None:
    """64 idle shards wrote 5.7 MB an hour."""
    report = EpochReport()
    idle = [receipt(shard=f"shard-{n:04}", end="7", proven="7", reads=n) for n in range(64)]
    failing = receipt(shard="bad", state=ShardState.FAILED, problem=problem())
    for _ in range(100):
        report.write([*idle, failing])
    assert len(lines("shard.receipt")) == 65
    assert len(lines("epoch.ended")) == 100
    report.write([replace(idle[0], end="8"), replace(idle[1], rows=1), *idle[2:], failing])
    assert [line.shard_id for line in lines("shard.receipt")[65:]] == ["shard-0000", "shard-0001"]


def test_a_receipt_for_which_there_was_no_room_is_written_with_the_next_epoch(
    lines: Callable[[str], list[Any]],
) -> None:
    report, idle = EpochReport(), [receipt(shard=f"shard-{n:04}", end="7") for n in range(40)]
    report.write(idle)
    report.write(idle)
    assert {line.shard_id for line in lines("shard.receipt")} == {each.shard_id for each in idle}


def test_no_incident_is_left_out(lines: Callable[[str], list[Any]]) -> None:
    EpochReport().write([replace(each, incidents=1) for each in many(3 * MOST_RECEIPTS)])
    assert len(lines("shard.receipt")) == 3 * MOST_RECEIPTS
    assert lines("epoch.ended")[0].incidents == 3 * MOST_RECEIPTS
