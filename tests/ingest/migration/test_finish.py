"""The journal's table goes by a command, once nothing can be taken back any more."""

from typing import Any

import pytest

from firnline_ingest.migration.errors import JournalMissing, MigrationNotOver
from firnline_ingest.migration.migrate import UNDER_WAY, MigrationWriter, finish
from firnline_ingest.migration.tables import HEAD, MigrationJournal
from tests.ingest.migration.test_command import Migrate, leases, migrate
from tests.ingest.migration.world import World

__all__ = ["migrate"]


def test_it_stays_until_an_engine_has_opened_what_was_taken_over(
    dynamodb: Any, world: World, writer: MigrationWriter
) -> None:
    world.apply(writer)
    with pytest.raises(MigrationNotOver, match="no engine has opened"):
        finish(writer.ledger, writer.journal)
    assert "ledger_migration" in dynamodb.list_tables()["TableNames"]
    row = writer.ledger.rows(world.lineage.incarnation)["shardId-000000000003"]
    writer.ledger.take(row.key, row.fence, "an engine", row.start)
    assert finish(writer.ledger, writer.journal)
    assert "ledger_migration" not in dynamodb.list_tables()["TableNames"]
    assert not finish(writer.ledger, writer.journal)
    assert len(writer.ledger.rows(world.lineage.incarnation)) == 5


def test_it_stays_while_a_migration_is_under_way(world: World, writer: MigrationWriter) -> None:
    world.apply(writer)
    head = writer.journal.read(world.lineage.incarnation)[HEAD]
    noted = {name: value for name, value in head.items() if name not in ("stream", "shard")}
    writer.journal.write(world.lineage.incarnation, HEAD, {**noted, UNDER_WAY: True})
    row = writer.ledger.rows(world.lineage.incarnation)["shardId-000000000003"]
    writer.ledger.take(row.key, row.fence, "an engine", row.start)
    with pytest.raises(MigrationNotOver, match="is under way"):
        finish(writer.ledger, writer.journal)


def test_one_in_which_nothing_was_ever_noted_goes(dynamodb: Any, writer: MigrationWriter) -> None:
    assert finish(writer.ledger, writer.journal)
    with pytest.raises(JournalMissing):
        MigrationJournal(dynamodb, "ledger_migration").all_noted()


def test_the_command_says_what_became_of_the_table(
    migrate: Migrate, dynamodb: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    leases(dynamodb, "TRIM_HORIZON", "TRIM_HORIZON")
    assert migrate("--from", "old", "--watch", "0", "--apply") == 0
    assert migrate("--finish") == 2
    assert "FL-2432" in capsys.readouterr().err
    assert migrate("--undo") == 0
    assert migrate("--finish") == 0
    assert migrate("--finish") == 0
    assert capsys.readouterr().out.endswith("ledger_migration is gone.\nledger_migration is gone already.\n")
