"""One stream into several tables, from a specification to rows, and audited: the real engine, its SDK, and what it may."""

import uuid
from pathlib import Path

import pytest

from firnline_infra.audit.findings import ProblemKind
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.engine_config import engine_config
from firnline_infra.blueprint.snowflake import Table
from firnline_infra.environment import Environment
from firnline_infra.specification import parse_spec
from firnline_local.running import RunningEnvironment
from tests.fakes.kinesis import made_active

from .conftest import Lane
from .test_replay import RUNS, replay

pytestmark = pytest.mark.contract
SPECIFICATION = """
version: 1
name: dev
aws: {{region: eu-central-1, account: "123456789012"}}
snowflake: {{account: ORG-ACCOUNT, ingest: {{role: {ingest}}}, reader: {{role: {reader}}}}}
streams: [{{name: {stream}}}]
pipelines:
  - stream: {stream}
    database: FIRNLINE
    schema: RAW
    table: {own}
    routes:
      key: kind
      unmatched: own_table
      tables:
        - {{table: {orders}, values: [order, again], columns: [{{name: PRICE, type: "NUMBER(18, 2)"}}]}}
        - {{table: {refunds}, values: [refund], schema_evolution: false, columns: [{{name: ID, type: "NUMBER(38, 0)"}}]}}
"""
KINDS = ("order", "refund", "again", "other")


def table_statement(table: Table) -> str:
    """Returns the statement as the provider makes it, as far as the audit looks."""
    columns = ", ".join(column.sql for column in (*table.metadata, *table.columns))
    switches = {"ENABLE_SCHEMA_EVOLUTION": table.schema_evolution, "ERROR_LOGGING": table.error_logging}
    return f"CREATE TABLE {table.name.sql} ({columns}) " + " ".join(f"{name} = {on}" for name, on in switches.items())


def make(lane: Lane, blueprint: Blueprint) -> None:
    """Makes what the routes of the specification add to the lane's own table."""
    _own, *routed = blueprint.landing.tables
    for table in routed:
        assert isinstance(table, Table)
        lane.sql(table_statement(table))
    roles = [lane.environment.logins[login].role for login in ("ingest", "reader")]
    for grant in blueprint.landing.grants:
        if grant.name in [table.name for table in routed] and str(grant.role) in roles:
            privileges = ", ".join(grant.privileges)
            lane.sql(f"GRANT {privileges} ON TABLE {grant.name.sql} TO ROLE {grant.role.sql}")


def test_a_specification_with_routes_brings_each_record_into_its_table_and_the_audit_knows(
    environment: RunningEnvironment, tmp_path: Path
) -> None:
    stream = f"routed-{uuid.uuid4().hex[:8]}"
    made_active(environment.client("kinesis"), stream, shards=2)
    events = [{"id": number, "kind": KINDS[number % 4], "price": number / 4} for number in range(16)]
    environment.put_events(stream, [*events, b"nonsense"], key=lambda number, _: str(number))
    lane = Lane(environment, stream, tmp_path / "letters", columns="KINESISMETADATA OBJECT")
    orders, refunds = (f"FIRNLINE.RAW.{lane.table}_{name}" for name in ("ORDERS", "REFUNDS"))
    roles = {login: environment.logins[login].role for login in ("ingest", "reader")}
    tables = {"orders": f"{lane.table}_ORDERS", "refunds": f"{lane.table}_REFUNDS"}
    spec = parse_spec(SPECIFICATION.format(stream=stream, own=lane.table, **tables, **roles), "dev.yaml")
    blueprint = blueprint_of(spec)
    make(lane, blueprint)
    (written,) = engine_config(Environment.of(spec), blueprint.outputs)["pipelines"]
    lane.options["routes"] = written["routes"]

    receipts = lane.run_engine()
    assert {receipt["state"] for receipt in receipts} == {"done"}, receipts
    report = lane.audit()
    assert report.is_proven, report.shards
    by_table = {table: counts["rows"] for table, counts in report.by_table.items()}
    assert by_table == {lane.name: 4, orders: 8, refunds: 4}
    assert (report.totals.records, report.totals.rows, report.totals.dead_letters) == (17, 16, 1)
    counted = {name: sum(receipt[name] for receipt in receipts) for name in ("rows", "routed_rows", "dead_letters")}
    assert counted == {"rows": 16, "routed_rows": by_table[orders] + by_table[refunds], "dead_letters": 1}
    assert report.totals.values_without_column == 8, "kind and price of each refund: that table takes no new columns"

    (lane.folder.parent / "repairs.py").write_text('def refund(data):\n    return b\'{"ID": 900, "kind": "refund"}\'\n')
    replayed = replay(lane, RUNS, "--with", "repairs:refund")
    assert replayed.returncode == 0, replayed.stdout + replayed.stderr
    report = lane.audit()
    assert report.is_proven, report.shards
    assert {table: counts["rows"] for table, counts in report.by_table.items()} == {**by_table, refunds: 5}
    assert (report.totals.replayed, report.totals.dead_letters) == (1, 0)
    assert lane.sql(f"SELECT COUNT(*) FROM {refunds} WHERE ID = 900") == [(1,)]

    lane.sql(f"INSERT INTO {refunds} (KINESISMETADATA, ID) SELECT KINESISMETADATA, ID FROM {orders} WHERE ID = 0")
    lane.sql(f"DELETE FROM {orders} WHERE ID = 0")
    lane.sql(f"UPDATE {orders} SET PRICE = 99 WHERE ID = 4")
    lane.sql(f"INSERT INTO {lane.name} (KINESISMETADATA, ID) SELECT KINESISMETADATA, ID FROM {refunds} WHERE ID = 5")
    report = lane.audit()
    assert report.found == {ProblemKind.MISROUTED: 1, ProblemKind.DOUBLED: 1, ProblemKind.CHANGED: 3}
    (misplaced,) = report.problems(ProblemKind.MISROUTED)
    assert misplaced.detail == f"in the table {refunds}; by the routes its record goes to {orders}"
    (doubled,) = report.problems(ProblemKind.DOUBLED)
    assert doubled.detail == f"1 x table {lane.name}, 1 x table {refunds}"
    assert "PRICE NUMBER(18,2): the record has 1.0, the table 99.00" in [
        problem.detail for problem in report.problems(ProblemKind.CHANGED)
    ]
