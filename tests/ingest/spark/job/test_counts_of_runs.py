"""Counts of one run after another, from the shard's thread to the report: what the ledger's row had, or has lost."""

import json
from pathlib import Path
from typing import Any

from firnline_ingest.metrics import Unread
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.receipt import Receipt
from firnline_ingest.shard.request import Deadline
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from tests.fakes.configs import TARGET, config, reading
from tests.ingest.shard.conftest import World
from tests.ingest.spark.job.running import runs
from tests.ingest.spark.standing_in import StandIn

EPOCHS, EPOCH_S = 2, 1.0


def run(world: World, name: str) -> tuple[int, int]:
    """One process of a run, with a stand-in for Spark. Returns the rows and dead letters of all runs, as the report has them."""
    group, key = ShardGroup(world.services(name)), world.key()
    asked = config(pipelines=[reading(key.stream)])

    def epoch(number: int) -> list[Receipt]:
        assert spark.runner is not None
        spark.runner.planned([Unread(key, 1, 24)])
        reported = spark.runner.reported(key)
        names = key.stream, key.stream_created_ms, key.shard_id
        shard = PlannedShard(number, *names, "h", 24, "", TARGET, reported=reported)
        handed_over = Assignment(asked, name, (shard,), EPOCH_S).to_json()
        return sent(group.run(Assignment.from_json(handed_over).works, Deadline.after(EPOCH_S)))

    spark = StandIn(epoch, ledger=world.ledger, finish=lambda: sent(group.finish()))
    assert runs(spark, epochs=EPOCHS).stops() == 0
    group.close()
    report = world.ledger.report()
    assert report is not None
    return sum(each.rows for each in report.minutes), sum(each.dead_letters for each in report.minutes)


def sent(receipts: list[Receipt]) -> list[Receipt]:
    """Over the JVM."""
    documents: list[dict[str, Any]] = json.loads(json.dumps([each.as_dict() for each in receipts]))
    return list(map(Receipt.from_dict, documents))


def test_runs_count_each_row_and_dead_letter_once_also_where_the_ledgers_row_was_deleted(tmp_path: Path) -> None:
    world = World(tmp_path / "dead-letters")
    world.put(0, 1, b"bad", 3)
    assert run(world, "first") == (3, 1)
    world.put(4, b"worse", 6)
    assert run(world, "second") == (5, 2)
    world.ledger.forget(world.key())
    world.put(7, b"the last")
    assert run(world, "third") == (6, 3)
