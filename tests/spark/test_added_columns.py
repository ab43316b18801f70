"""Columns that an engine adds, through the whole command: planned, approved by a person, and each value in its row, with routes.

The keys are those that other connectors have stumbled over: more than any log line names, reserved words, quotes and statements.
"""

import json
import time
from collections.abc import Callable

import pytest

from firnline_ingest.identifiers import quoted
from tests.spark.conftest import HANGS_S, Lane, until
from tests.spark.test_engine import command

pytestmark = [pytest.mark.spark, pytest.mark.slow, pytest.mark.timeout(HANGS_S)]

KEYS = (
    'x" NUMBER); DROP TABLE RAW.ORDERS; --',
    "trigger",
    "table",
    "select",
    "back\\slash",
    'q"q',
    "'",
    "@timestamp",
    "detail-type",
    "k8s.io/app",
    "😀",
    "$1",
    "_",
    ";",
    "%s",
    "{}",
    "é",
    "METADATA$ACTION",
    *(f"more{number}" for number in range(12)),
)
UNUSABLE = ("a\nb", "tab\tin", "\x1b[31mred", "\u202eabc", "\u200b")
IDS = (1234567890123456789, 1234567890123456788)


def grown(lane: Lane) -> str:
    """The lane's table has a fixed schema and a second one beside it, both the engine's own; returns that one's name."""
    environment, side = lane.environment, f"{lane.table}_SIDE"
    role, reader = environment.logins["ingest"].role, environment.logins["reader"].role
    for statement in (
        f"ALTER TABLE {lane.table} SET ENABLE_SCHEMA_EVOLUTION = FALSE",
        f"CREATE TABLE {side} (KINESISMETADATA OBJECT, N NUMBER, KIND VARCHAR) ERROR_LOGGING = TRUE",
        f"GRANT SELECT ON TABLE {side} TO ROLE {reader}",
        f"GRANT OWNERSHIP ON TABLE {lane.table} TO ROLE {role} COPY CURRENT GRANTS",
        f"GRANT OWNERSHIP ON TABLE {side} TO ROLE {role} COPY CURRENT GRANTS",
    ):
        environment.query(statement, login="admin")
    return side


def test_each_value_of_each_new_key_is_in_its_row_once_a_person_has_approved_its_column(
    new_lane: Callable[..., Lane],
) -> None:
    lane = new_lane(", N NUMBER, KIND VARCHAR")
    side = grown(lane)
    routes = {"key": "kind", "tables": {"side": side.rpartition(".")[2]}, "unmatched": "own_table"}
    document = json.loads(lane.config_file.read_text())
    document["pipelines"][0] |= {"adds_columns": "approved", "routes": routes}
    lane.config_file.write_text(json.dumps(document))
    lane.put(*({"n": n, key: n} for n, key in enumerate(KEYS)))
    lane.put(*({"n": 100 + n, "order_no": each} for n, each in enumerate(IDS)))
    lane.put(*({"n": n, "kind": "side", key: n} for n, key in enumerate(KEYS)))
    lane.put(*({"n": 200 + n, key: 1} for n, key in enumerate(UNUSABLE)))

    with lane.engine(available_now=True) as engine:
        until(lambda: "planned" in command(lane, "columns").stdout, engine)
        assert lane.rows() == [(0,)]
        while engine.exit_status is None:
            assert command(lane, "columns", "--approve").returncode == 0
            time.sleep(1)
        assert engine.wait(HANGS_S) == 0, list(engine.last_lines)

    for table in (lane.table, side):
        for n, key in enumerate(KEYS):
            query = f"SELECT N, {quoted(key.upper())} FROM {table} WHERE {quoted(key.upper())} IS NOT NULL"
            assert lane.environment.query(query)[1] == [(n, n)], (table, key)
    order_numbers = f"SELECT ORDER_NO FROM {lane.table} WHERE ORDER_NO IS NOT NULL ORDER BY N"
    assert [int(number) for (number,) in lane.environment.query(order_numbers)[1]] == [*IDS]
    assert lane.rows() == [(len(KEYS) + len(IDS),)]
    receipts = [line for line in lane.log() if line["event"] == "shard.receipt"]
    assert sum(line["dead_letters"] for line in receipts) == len(UNUSABLE)
    assert sum(line["unknown_keys"] for line in receipts) == 0
    assert "No column waits" in command(lane, "columns").stdout
