"""Dynamic tables."""

from typing import Any

import pytest

from firnline_local.providers.snowflake.dynamic import DYNAMIC_TABLE

QUERY = 'SELECT "A" FROM "PROVIDED_DB"."S"."D_T" QUALIFY ROW_NUMBER() OVER (PARTITION BY "A" ORDER BY "A") = 1'
INPUTS: dict[str, Any] = {
    "database": "PROVIDED_DB",
    "schema": "S",
    "name": "D",
    "query": QUERY,
    "warehouse": "COMPUTE_WH",
    "targetLag": {"maximumDuration": "5 minutes"},
    "refreshMode": "INCREMENTAL",
    "initialize": "ON_CREATE",
    "comment": "c",
}
PATH = "PROVIDED_DB.S.D"


@pytest.fixture(autouse=True)
def _table(clients):
    clients.execute("CREATE TABLE PROVIDED_DB.S.D_T (A INT)")
    yield
    clients.execute("DROP TABLE PROVIDED_DB.S.D_T")


def test_a_dynamic_table_lives_repairs_and_is_imported(live, clients) -> None:
    with live(DYNAMIC_TABLE, INPUTS) as made:
        assert made.made.id == "PROVIDED_DB|S|D"
        imported = DYNAMIC_TABLE.read(made.made.id, {}, clients)
        assert {**imported, "initialize": "ON_CREATE", "refreshMode": "INCREMENTAL"} == made.read()
        assert (imported["query"], imported["targetLag"]) == (QUERY, INPUTS["targetLag"])
        made.drifts(f"ALTER DYNAMIC TABLE {PATH} SET COMMENT = 'x'", comment="x")
        made.drifts(f"ALTER DYNAMIC TABLE {PATH} SET TARGET_LAG = '1 hour'", targetLag={"maximumDuration": "1 hour"})


def test_its_lag_and_its_warehouse_can_be_changed(live, clients) -> None:
    clients.execute("CREATE WAREHOUSE D_WH")
    with live(DYNAMIC_TABLE, INPUTS) as made:
        found = made.changes_to(warehouse="D_WH", targetLag={"maximumDuration": "2 hours"}, comment=None)
        assert (found["warehouse"], found["targetLag"]["maximumDuration"]) == ("D_WH", "2 hours")
    clients.execute("DROP WAREHOUSE D_WH")


def test_another_query_is_drift_and_blanks_are_none(live, clients) -> None:
    with live(DYNAMIC_TABLE, {**INPUTS, "query": QUERY.replace(" QUALIFY", "\n  QUALIFY")}) as made:
        clients.execute(
            f"CREATE OR REPLACE DYNAMIC TABLE {PATH} TARGET_LAG = '5 minutes' WAREHOUSE = COMPUTE_WH "
            "AS SELECT A FROM PROVIDED_DB.S.D_T"
        )
        assert (made.read()["query"], made.read()["orReplace"]) == ("SELECT A FROM PROVIDED_DB.S.D_T", True)
