"""A table of latest rows, made by the statements that an `up` makes it by, against what a program says of the same rows."""

import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from firnline_infra.audit.latest import LatestReport, audit_latest
from firnline_infra.blueprint.latest import latest_table
from firnline_infra.cli.audit import latest_claims
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.target_tables import TargetTable
from firnline_ingest.identifiers import text_literal
from firnline_local.running import RunningEnvironment
from tests.infra.specifications import one_pipeline, smallest

COLUMNS = [{"name": "ORDER_ID", "type": "NUMBER"}, {"name": "OP", "type": "VARCHAR"}, {"name": "AT", "type": "NUMBER"}]


@dataclass
class Keeper:
    """A table and its table of latest rows, in the shared environment."""

    environment: RunningEnvironment
    spec: EnvironmentSpec
    session: Any

    @property
    def pipeline(self) -> Pipeline:
        (pipeline,) = self.spec.pipelines
        return pipeline

    def run(self, statement: str) -> list[tuple[Any, ...]]:
        with self.session.cursor() as cursor:
            return list(cursor.execute(statement).fetchall())

    def make(self) -> None:
        self.run("CREATE OR REPLACE DATABASE LAKE")
        self.run("CREATE SCHEMA LAKE.RAW")
        self.run("USE WAREHOUSE COMPUTE_WH")
        self.run(
            "CREATE TABLE LAKE.RAW.ORDERS (KINESISMETADATA OBJECT, RECORD_CONTENT VARIANT, ORDER_ID NUMBER, OP VARCHAR, "
            "AT NUMBER) ROW_TIMESTAMP = TRUE"
        )
        made = latest_table(TargetTable(self.pipeline), Identifier("COMPUTE_WH"), "")
        assert made is not None
        self.run(
            f"CREATE DYNAMIC TABLE {made.name.sql} TARGET_LAG = '{made.target_lag}' WAREHOUSE = COMPUTE_WH "
            f"REFRESH_MODE = INCREMENTAL AS {made.query}"
        )

    def put(self, *rows: dict[str, Any]) -> None:
        for row in rows:
            metadata = {
                "stream": "orders",
                "shardId": row["shard"],
                "partitionKey": row.get("key", "k"),
                "sequenceNumber": str(row["at"]),
                "subSequenceNumber": row.get("sub", 0),
            }
            values = ", ".join(
                "NULL" if row.get(each) is None else text_literal(str(row[each])) for each in ("id", "op", "version")
            )
            content = "NULL" if row.get("id") is None else "PARSE_JSON('{\"a\": 1}')"
            self.run(
                f"INSERT INTO LAKE.RAW.ORDERS SELECT PARSE_JSON('{json.dumps(metadata)}')::OBJECT, {content}, {values}"
            )

    def refresh(self) -> None:
        self.run(f"ALTER DYNAMIC TABLE LAKE.RAW.{self.claim.name} REFRESH")

    @property
    def claim(self) -> Any:
        (claim,) = latest_claims(self.spec)
        return claim

    @property
    def found(self) -> list[tuple[Any, ...]]:
        number = 'KINESISMETADATA:"sequenceNumber"::VARCHAR'
        return sorted(self.run(f"SELECT ORDER_ID, {number} FROM LAKE.RAW.{self.claim.name}"), key=repr)

    def audit(self) -> LatestReport:
        return audit_latest(self.session, self.claim, role="ACCOUNTADMIN")


@pytest.fixture
def keeper(request: pytest.FixtureRequest, local_environment: RunningEnvironment) -> Iterator[Keeper]:
    options = {"latest_by": ["ORDER_ID"], "columns": COLUMNS, "content_column": "RECORD_CONTENT", **request.param}
    session = local_environment.connect("admin")
    made = Keeper(local_environment, smallest(**one_pipeline(**options)), session)
    made.make()
    yield made
    made.run("DROP DATABASE LAKE")
    session.close()


PLAIN: dict[str, Any] = {}
DELETES = {"latest": {"deleted_by": "OP", "deleted_values": ["D", "it's"]}}
VERSIONED = {"latest": {"order_by": ["AT"]}}
TOMBSTONES = {"latest_by": [], "latest": {"partition_key": True, "deleted_by": "RECORD_CONTENT"}}


@pytest.mark.parametrize("keeper", [PLAIN], indirect=True)
def test_the_last_row_of_a_key_stays_whichever_shard_it_came_through(keeper: Keeper) -> None:
    """The key goes on in a child after a split: its numbers are greater there, also where they have a digit more."""
    keeper.put(
        {"id": 1, "shard": "shardId-0", "at": 99, "op": "old"},
        {"id": 1, "shard": "shardId-1", "at": 100, "op": "new"},
        {"id": 2, "shard": "shardId-0", "at": 98, "sub": 9},
        {"id": 2, "shard": "shardId-0", "at": 98, "sub": 10, "op": "last of its aggregate"},
        {"id": None, "shard": "shardId-0", "at": 97},
    )
    assert keeper.found == []  # the lag has not passed
    assert keeper.audit() == LatestReport(table="LAKE.RAW.ORDERS_LATEST", shown=keeper.audit().shown)
    keeper.refresh()
    assert keeper.found == [(1, "100"), (2, "98")]
    assert [row for (row,) in keeper.run("SELECT OP FROM LAKE.RAW.ORDERS_LATEST ORDER BY ORDER_ID")] == [
        "new",
        "last of its aggregate",
    ]
    report = keeper.audit()
    assert (report.keys, report.is_proven) == (2, True)


@pytest.mark.parametrize("keeper", [DELETES], indirect=True)
def test_a_key_is_gone_from_the_row_that_deletes_it_to_the_row_that_brings_it_back(keeper: Keeper) -> None:
    keeper.put({"id": 1, "shard": "s", "at": 1}, {"id": 1, "shard": "s", "at": 2, "op": "D"})
    keeper.put({"id": 2, "shard": "s", "at": 3, "op": "D"}, {"id": 2, "shard": "s", "at": 4, "op": "I"})
    keeper.refresh()
    assert keeper.found == [(2, "4")]
    assert (keeper.audit().keys, keeper.audit().is_proven) == (1, True)


@pytest.mark.parametrize("keeper", [VERSIONED], indirect=True)
def test_a_version_decides_before_the_sequence_number(keeper: Keeper) -> None:
    keeper.put(
        {"id": 1, "shard": "a", "at": 1, "version": 7},
        {"id": 1, "shard": "b", "at": 9, "version": 6},
        {"id": 1, "shard": "b", "at": 10},
        {"id": 2, "shard": "b", "at": 1},
        {"id": 2, "shard": "b", "at": 2},
    )
    keeper.refresh()
    assert keeper.found == [(1, "1"), (2, "2")]
    assert (keeper.audit().keys, keeper.audit().is_proven) == (2, True)


@pytest.mark.parametrize("keeper", [TOMBSTONES], indirect=True)
def test_a_tombstone_deletes_what_has_its_partition_key(keeper: Keeper) -> None:
    keeper.put({"id": 1, "key": "a", "shard": "s", "at": 1}, {"id": 2, "key": "b", "shard": "s", "at": 2})
    keeper.put({"id": None, "key": "a", "shard": "s", "at": 3})
    keeper.refresh()
    assert keeper.found == [(2, "2")]
    assert (keeper.audit().keys, keeper.audit().is_proven) == (1, True)


@pytest.mark.parametrize("keeper", [DELETES], indirect=True)
def test_what_a_program_says_is_the_latest_is_what_it_has(keeper: Keeper) -> None:
    draw = random.Random(35)
    rows = [
        {
            "id": draw.randrange(6),
            "shard": f"s{draw.randrange(3)}",
            "at": at,
            "op": draw.choice(["I", "U", "D", "it's"]),
        }
        for at in draw.sample(range(90, 120), 25)
    ]
    keeper.put(*rows)
    keeper.refresh()
    last = {row["id"]: row for row in sorted(rows, key=lambda row: row["at"])}
    wanted = [(key, str(row["at"])) for key, row in sorted(last.items()) if row["op"] not in ("D", "it's")]
    assert keeper.found == wanted
    assert (keeper.audit().keys, keeper.audit().is_proven) == (len(wanted), True)


@pytest.mark.parametrize("keeper", [DELETES], indirect=True)
@pytest.mark.parametrize(
    ("query", "kind"),
    [
        ("SELECT * FROM LAKE.RAW.ORDERS WHERE AT = 1", "stale"),
        ("SELECT * FROM LAKE.RAW.ORDERS WHERE ORDER_ID = 9", "missing"),
        ("SELECT * FROM LAKE.RAW.ORDERS WHERE AT IN (2, 4)", "deleted"),
        (
            "SELECT * FROM LAKE.RAW.ORDERS WHERE AT = 2 UNION ALL SELECT * FROM LAKE.RAW.ORDERS WHERE AT = 2",
            "unexpected",
        ),
        ("SELECT * FROM LAKE.RAW.ORDERS WHERE AT IN (1, 2)", "stale"),
    ],
)
def test_another_query_is_refuted(keeper: Keeper, query: str, kind: str) -> None:
    keeper.put(
        {"id": 1, "shard": "s", "at": 1, "op": "I", "version": 1},
        {"id": 1, "shard": "s", "at": 2, "op": "U", "version": 2},
        {"id": 2, "shard": "s", "at": 3, "op": "I", "version": 3},
        {"id": 2, "shard": "s", "at": 4, "op": "D", "version": 4},
    )
    named = query.replace("*", "KINESISMETADATA, RECORD_CONTENT, ORDER_ID, OP, AT")
    keeper.run(
        "CREATE OR REPLACE DYNAMIC TABLE LAKE.RAW.ORDERS_LATEST TARGET_LAG = '1 hour' WAREHOUSE = COMPUTE_WH AS "
        + named
    )
    assert kind in keeper.audit().found


@pytest.mark.parametrize("keeper", [DELETES], indirect=True)
def test_a_row_that_says_no_position_is_the_latest_only_of_a_key_that_has_no_other(keeper: Keeper) -> None:
    """History that somebody inserted, without the engine's metadata."""
    keeper.run("INSERT INTO LAKE.RAW.ORDERS (ORDER_ID, OP) VALUES (1, 'I'), (2, 'I')")
    keeper.put({"id": 2, "shard": "s", "at": 5, "op": "U"})
    keeper.refresh()
    assert keeper.found == [(1, None), (2, "5")]
    report = keeper.audit()
    assert (report.keys, report.found) == (2, {})
    keeper.run("INSERT INTO LAKE.RAW.ORDERS (ORDER_ID, OP) VALUES (1, 'U')")  # nothing says which of the two is later
    keeper.refresh()
    report = keeper.audit()
    assert (report.keys, report.found) == (2, {})
