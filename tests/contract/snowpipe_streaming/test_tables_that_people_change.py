"""Somebody changes the table or its pipe while an engine writes to it: never silent, never lost, never twice.

What is asked of each: the next look at the table tells (or the next append), in words that name the table, what was done, and
what to run. See docs/when-snowflake-changes.md.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from firnline_ingest.ledger.resume import resume_from
from firnline_ingest.ledger.row import ResumeFrom
from firnline_ingest.shard import channel_writer
from firnline_ingest.snowflake.target import GRANTS_EVERY_S
from firnline_ingest.spark.columns_by_hand import LOOKS
from tests.contract.snowpipe_streaming.marks import WITH_CONNECTOR
from tests.contract.snowpipe_streaming.under_change import CHANNEL, GRANTED, Engine, numbers

World = Any  # of conftest.py
Sql = Callable[[str], list[tuple[Any, ...]]]

pytestmark = WITH_CONNECTOR
STALLED_S = 3.0
"""Instead of two minutes: rows that the SDK took in the moment of the change, and keeps, are sent again after that."""
ANOTHER = "CREATE TABLE {} (N NUMBER, V VARCHAR, KINESISMETADATA OBJECT)"


def decide(engine: Engine, where: ResumeFrom) -> None:
    """`firnline resume`, and the engine is started again."""
    engine.group.close()
    row = engine.shard.row
    taken = engine.shard.ledger.take(row.key, row.fence, "a person", row.start)
    engine.shard.ledger.reset(resume_from(taken, where, 1))
    engine.start_again()


@dataclass(frozen=True)
class Change:
    statements: tuple[str, ...]
    stops_with: str
    says: tuple[str, ...]
    back: tuple[str, ...] = ()
    """What makes it good again, where that is all."""
    first: tuple[str, ...] = ()
    """Before the engine starts."""
    pipe: str | None = None


PIPE = (
    "CREATE OR REPLACE PIPE P AS COPY INTO ORDERS (N, V, KINESISMETADATA) FROM (SELECT $1:n, {}, $1:KINESISMETADATA "
    "FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING')))"
)
OPERATE = "GRANT OPERATE ON PIPE P TO ROLE INGEST"
CHANGES = {
    "replaced": Change(
        ("CREATE OR REPLACE TABLE ORDERS (N NUMBER, V VARCHAR, KINESISMETADATA OBJECT)", GRANTED),
        "FL-3107",
        ("The table DB.{schema}.ORDERS was replaced", "shard events/shardId-000000000000"),
    ),
    "renamed": Change(
        ("ALTER TABLE ORDERS RENAME TO OLD",),
        "FL-3261",
        ("is DB.{schema}.OLD now", "ALTER TABLE DB.{schema}.OLD RENAME TO"),
        back=("ALTER TABLE OLD RENAME TO ORDERS",),
    ),
    "swapped": Change(
        (ANOTHER.format("NEW"), "GRANT INSERT ON TABLE NEW TO ROLE INGEST", "ALTER TABLE ORDERS SWAP WITH NEW"),
        "FL-3107",
        ("The table DB.{schema}.ORDERS was replaced", "SWAP"),
        back=("ALTER TABLE ORDERS SWAP WITH NEW",),
    ),
    "dropped": Change(
        ("DROP TABLE ORDERS",),
        "FL-3006",
        ("does not exist",),
        back=("UNDROP TABLE ORDERS",),
    ),
    "pipe-made-again": Change(
        (PIPE.format("$1:other"), OPERATE),
        "FL-3107",
        ("The pipe P was replaced", "firnline audit", "pause"),
        first=(PIPE.format("$1:v"), OPERATE),
        pipe="P",
    ),
    "pipe-that-loses-the-position": Change(
        (PIPE.format("$1:v").replace("$1:KINESISMETADATA", "$1:kinesismetadata"), OPERATE),
        "FL-3301",
        ('does not put $1:"KINESISMETADATA"', "audit: false"),
        first=(PIPE.format("$1:v"), OPERATE),
        pipe="P",
    ),
    "insert-revoked": Change(
        ("REVOKE INSERT ON TABLE ORDERS FROM ROLE INGEST",),
        "FL-3009",
        ("it lacks INSERT on table DB.{schema}.ORDERS", "GRANT INSERT ON TABLE"),
        back=("GRANT INSERT ON TABLE ORDERS TO ROLE INGEST",),
    ),
    "evolve-schema-revoked": Change(
        ("REVOKE EVOLVE SCHEMA ON TABLE ORDERS FROM ROLE INGEST",),
        "FL-3009",
        ("it lacks EVOLVE SCHEMA on table",),
        back=("GRANT EVOLVE SCHEMA ON TABLE ORDERS TO ROLE INGEST",),
    ),
}


@pytest.fixture(autouse=True)
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel_writer, "STALLED_S", STALLED_S)


@pytest.mark.parametrize("change", list(CHANGES))
def test_the_engine_stops_before_the_next_row_with_what_was_done_and_what_to_do(
    world: World, sql: Sql, start: Callable[..., Engine], change: str
) -> None:
    asked, schema = CHANGES[change], world.schema.name
    engine = start(statements=asked.first, **({"pipe": asked.pipe} if asked.pipe else {}))
    for statement in asked.statements:
        sql(statement.format(schema=schema))
    engine.records(2, v="x")
    engine.now_s += GRANTS_EVERY_S
    engine.until(lambda: engine.stopped is not None)
    problem = engine.stopped
    assert problem.id == asked.stops_with, problem
    for words in asked.says:
        assert words.format(schema=schema) in f"{problem.what} {problem.next_step}"
    if asked.back:
        for statement in asked.back:
            sql(statement.format(schema=schema))
        engine.now_s += 3600
        engine.until(lambda: engine.proven == 5)
        assert engine.stopped is None
        assert numbers(sql) == [0, 1, 2, 3, 4]


@dataclass(frozen=True)
class Told:
    """A change to rows that refuses none: the log names it, and the rows go on."""

    statements: tuple[str, ...]
    event: str
    says: tuple[str, ...]
    evolves: bool = True


TOLD = {
    "column-dropped-of-a-fixed-schema": Told(
        ("ALTER TABLE ORDERS DROP COLUMN V",),
        "schema.changed",
        ("dropped or renamed", "['V']", "are not kept"),
        evolves=False,
    ),
    "another-type": Told(
        ("ALTER TABLE ORDERS ALTER COLUMN V SET DATA TYPE VARCHAR(16777217)",),
        "schema.changed",
        ("another type: V VARCHAR(16777216) → VARCHAR(16777217)",),
        evolves=False,
    ),
    "column-added": Told(
        ("ALTER TABLE ORDERS ADD COLUMN MINE VARCHAR",),
        "schema.changed",
        ("added", "['MINE']", "no record that this engine has read had such a key"),
    ),
    "evolution-off": Told(
        ("ALTER TABLE ORDERS SET ENABLE_SCHEMA_EVOLUTION = FALSE",),
        "table.changed",
        ("schema evolution is off", "SET ENABLE_SCHEMA_EVOLUTION = TRUE"),
    ),
}


@pytest.mark.parametrize("change", list(TOLD))
def test_what_changes_rows_and_refuses_none_is_named_once_with_what_it_means(
    sql: Sql, start: Callable[..., Engine], caplog: pytest.LogCaptureFixture, change: str
) -> None:
    told = TOLD[change]
    engine = start(evolves=told.evolves)
    engine.run_epoch()
    caplog.set_level(logging.INFO)
    for statement in told.statements:
        sql(statement)
    engine.records(2, v="x")
    engine.until(lambda: engine.proven == 5)
    for _ in range(LOOKS):
        engine.run_epoch()
    assert engine.stopped is None
    named = [record for record in caplog.records if record.name.startswith("firnline_ingest.spark")]
    (line,) = (vars(record) for record in named if record.message == told.event)
    for words in told.says:
        assert words in f"{line['change']} {line.get('columns', '')} {line['next_step']}"
    assert {record.message for record in named} == {told.event}
    assert numbers(sql) == [0, 1, 2, 3, 4]


def test_keys_of_a_table_whose_grants_do_not_let_it_evolve_are_not_lost_for_longer_than_a_look(
    sql: Sql, start: Callable[..., Engine]
) -> None:
    engine = start()
    sql("REVOKE EVOLVE SCHEMA ON TABLE ORDERS FROM ROLE INGEST")
    engine.now_s += GRANTS_EVERY_S
    engine.run_epoch()
    assert engine.stopped is not None
    sql(GRANTED)
    engine.records(1, late=7)
    engine.until(lambda: engine.proven == 4)
    assert engine.stopped is None
    assert sql("SELECT LATE FROM ORDERS WHERE N = 3") == [(7,)]


def test_a_replaced_table_says_in_the_log_what_the_earlier_one_is_called(
    world: World, sql: Sql, start: Callable[..., Engine], caplog: pytest.LogCaptureFixture
) -> None:
    engine = start()
    sql(ANOTHER.format("NEW"))
    sql("GRANT INSERT ON TABLE NEW TO ROLE INGEST")
    sql("ALTER TABLE ORDERS SWAP WITH NEW")
    engine.run_epoch()
    (line,) = (vars(record) for record in caplog.records if record.message == "table.replaced")
    assert line["earlier_is_now"] == f"DB.{world.schema.name}.NEW"
    engine.until(lambda: engine.stopped is not None)
    assert numbers(sql) == []
    decide(engine, ResumeFrom.PROVEN)
    engine.records(2, v="x")
    engine.until(lambda: engine.proven == 2)
    assert (numbers(sql, "NEW"), numbers(sql)) == ([0, 1, 2], [3, 4])


def test_paused_then_made_again_then_resumed_loses_and_repeats_nothing(sql: Sql, start: Callable[..., Engine]) -> None:
    """docs/rollout.md, "An ALTER that the engine must not see half-way", with a pipe whose SELECT gains a column."""
    engine = start(statements=(PIPE.format("$1:v"), OPERATE), pipe="P")
    engine.records(2, v="x", other="y")
    engine.until(lambda: engine.proven == 5)
    engine.pause()
    engine.records(2, v="x", other="y")
    sql(PIPE.format("$1:other"))
    sql(OPERATE)
    engine.resume()
    engine.until(lambda: engine.proven_through == 6)
    assert engine.stopped is None
    assert sql("SELECT N, V FROM ORDERS") == [(0, "x"), (1, "x"), (2, "x"), (3, "x"), (4, "x"), (5, "y"), (6, "y")]


def test_a_replica_that_has_less_is_filled_up_from_its_own_token(
    world: World, sql: Sql, start: Callable[..., Engine]
) -> None:
    """A secondary account is promoted: table and channel are as they were at the last refresh (user guide, "Account
    replication and failover": reopen the channels, and insert again what is missing after their tokens).
    """
    engine = start()
    replica = world.channel(CHANNEL, world.pipe_of("ORDERS")).progress
    engine.records(4, v="x")
    engine.until(lambda: engine.proven == 7)
    engine.group.close()
    channel = world.channel(CHANNEL, world.pipe_of("ORDERS"))
    channel.offset_token, channel.rows_inserted = replica.offset_token, replica.rows_inserted
    sql("DELETE FROM ORDERS WHERE N > 2")
    engine.start_again()
    engine.until(lambda: engine.stopped is not None)
    assert engine.stopped.id == "FL-2110"
    assert "failover" in engine.stopped.next_step
    assert "--from trim-horizon" in engine.stopped.next_step
    decide(engine, ResumeFrom.TRIM_HORIZON)
    engine.records(1, v="x")
    engine.until(lambda: engine.proven == 8)
    assert numbers(sql) == [0, 1, 2, 3, 4, 5, 6, 7]


@dataclass(frozen=True)
class Locked:
    statement: str
    stops_with: str
    says: str
    back: str


LOCKED = {
    "user-disabled": Locked(
        "ALTER USER ENGINE SET DISABLED = TRUE",
        "FL-3011",
        "ALTER USER ENGINE SET DISABLED = FALSE",
        "ALTER USER ENGINE SET DISABLED = FALSE",
    ),
    "key-taken-away": Locked(
        "ALTER USER ENGINE UNSET RSA_PUBLIC_KEY",
        "FL-3004",
        "DESC USER ENGINE",
        "ALTER USER ENGINE SET RSA_PUBLIC_KEY = '{key}'",
    ),
    "role-revoked": Locked(
        "REVOKE ROLE INGEST FROM USER ENGINE",
        "FL-3011",
        "GRANT ROLE INGEST TO USER ENGINE",
        "GRANT ROLE INGEST TO USER ENGINE",
    ),
}


@pytest.mark.parametrize("event", list(LOCKED))
def test_who_is_locked_out_is_told_why_and_goes_on_when_let_in_again(
    world: World, sql: Sql, start: Callable[..., Engine], event: str
) -> None:
    """An engine is refused as soon as the token that it had ends, within the hour."""
    locked, engine = LOCKED[event], start()
    key = "".join(world.key.public_pem.split("-----")[2].split())
    sql(locked.statement)
    try:
        world.snowflake.streaming.tokens.end()
        engine.records(2, v="x")
        engine.until(lambda: engine.stopped is not None)
    finally:
        sql(locked.back.format(key=key))
    assert engine.stopped.id == locked.stops_with, engine.stopped
    assert locked.says in engine.stopped.next_step
    engine.now_s += 3600
    engine.until(lambda: engine.proven == 5)
    assert engine.stopped is None
    assert numbers(sql) == [0, 1, 2, 3, 4]


def test_a_pipe_that_fails_over_costs_its_client_and_no_row(
    world: World, sql: Sql, start: Callable[..., Engine]
) -> None:
    engine = start()
    world.fail("append", "ERROR", status=410, code="ERR_PIPE_FAILED_OVER", times=2)
    engine.records(2, v="x")
    receipts = engine.until(lambda: engine.proven == 5)
    assert engine.stopped is None
    assert sum(receipt.interruptions for receipt in receipts) >= 1
    assert numbers(sql) == [0, 1, 2, 3, 4]
