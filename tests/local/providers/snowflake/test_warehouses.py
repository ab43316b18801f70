"""Interactive warehouses."""

import pytest
from snowflake.connector.errors import ProgrammingError

from firnline_local.providers.snowflake.warehouses import WAREHOUSE_INTERACTIVE
from firnline_local.pulumi.diff import changes

W = "ALTER WAREHOUSE M_WH"
T1, T2 = '"PROVIDED_DB"."S"."I1"', '"PROVIDED_DB"."S"."I2"'


def test_a_size_that_is_taken_back_makes_another_warehouse() -> None:
    kind = WAREHOUSE_INTERACTIVE

    def replaces(before: str, **now: str) -> list[bool]:
        found = changes(kind.type, kind.rules, old={"warehouseSize": before}, state={}, new=now)
        return [change.replaces for change in found]

    assert replaces("SMALL") == [True]
    assert replaces("XSMALL") == [True]
    assert replaces("SMALL", warehouseSize="LARGE") == [False]


def test_an_interactive_warehouse_lives_and_repairs(live, clients) -> None:
    for name in ("I1", "I2"):
        clients.execute(f"CREATE INTERACTIVE TABLE PROVIDED_DB.S.{name} (A VARCHAR) CLUSTER BY (A)")
    inputs = {
        "name": "M_WH",
        "warehouseSize": "XSMALL",
        "tables": [T1, T2],
        "fallbackWarehouse": "COMPUTE_WH",
        "initiallySuspended": True,
        "statementTimeoutInSeconds": 600,
    }
    with live(WAREHOUSE_INTERACTIVE, inputs) as made:
        assert made.read()["autoSuspend"] == 86_400
        made.drifts(f"{W} DROP TABLES ({T2})", tables=[T1])
        made.drifts(f"{W} SET COMMENT = 'x'", comment="x")
        made.drifts(f"{W} UNSET FALLBACK_WAREHOUSE", fallbackWarehouse=None)
        made.drifts(f"{W} SET AUTO_RESUME = FALSE", autoResume="false")
        made.drifts(f"{W} UNSET STATEMENT_TIMEOUT_IN_SECONDS", statementTimeoutInSeconds=None)
        made.drifts(f"{W} SET MAX_CONCURRENCY_LEVEL = 4", maxConcurrencyLevel=4)
        changed = made.changes_to(tables=[T2], warehouseSize="SMALL", autoSuspend=90_000)
        assert (changed["tables"], changed["warehouseSize"], changed["autoSuspend"]) == ([T2], "SMALL", 90_000)
        with pytest.raises(ProgrammingError, match="86400 seconds are the least"):
            clients.execute(f"{W} SET AUTO_SUSPEND = 60")
