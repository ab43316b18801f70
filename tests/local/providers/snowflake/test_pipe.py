"""Pipes."""

import pytest

from firnline_local.providers.snowflake.tables import PIPE

COPIED = (
    'COPY INTO "PROVIDED_DB"."S"."P_T"  FROM TABLE(DATA_SOURCE(TYPE => \'STREAMING\')) '
    "MATCH_BY_COLUMN_NAME = CASE_SENSITIVE"
)
INPUTS = {"database": "PROVIDED_DB", "schema": "S", "name": "P", "copyStatement": COPIED, "comment": "c"}


@pytest.fixture(autouse=True)
def _table(clients):
    clients.execute("CREATE TABLE PROVIDED_DB.S.P_T (A INT)")
    yield
    clients.execute("DROP TABLE PROVIDED_DB.S.P_T")


def test_a_pipe_lives_and_repairs(live, clients) -> None:
    with live(PIPE, INPUTS) as made:
        assert made.made.id == "PROVIDED_DB|S|P"
        assert PIPE.read(made.made.id, {}, clients) == made.read()
        made.drifts("ALTER PIPE PROVIDED_DB.S.P SET COMMENT = 'x'", comment="x")


def test_another_definition_is_drift_and_a_semicolon_is_none(live, clients) -> None:
    with live(PIPE, {**INPUTS, "copyStatement": f"{COPIED};"}) as made:
        clients.execute("CREATE OR REPLACE PIPE PROVIDED_DB.S.P AS " + COPIED.replace("SENSITIVE", "INSENSITIVE"))
        assert made.read()["copyStatement"].endswith("CASE_INSENSITIVE")
