"""Tests of what is asked about tables, and what of their listing asks for more privileges; the rest is tested against
the embedded Snowflake (tests/contract/test_target_catalog.py).
"""

from collections.abc import Collection
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from firnline_ingest.identifiers import stored_name
from firnline_ingest.snowflake.grants import WantedPrivilege
from firnline_ingest.snowflake.listing import FEW, LONGEST_ANSWER, Listing
from firnline_ingest.snowflake.target import TargetCatalog, TargetState, on_volume
from firnline_ingest.snowflake.target_errors import (
    PipeFilters,
    PipeLeadsElsewhere,
    PipeMissing,
    PipeReadsFiles,
    PositionColumnMissing,
    PositionLost,
    TableMissing,
)
from tests.fakes.configs import pipeline

TABLE = ("LAKE", "RAW", "ORDERS")


@dataclass
class Answers:
    """Gives the same rows to every statement."""

    given: list[dict[str, Any]]
    asked: list[str] = field(default_factory=list)

    def rows(self, statement: str, empty: Collection[int] = ()) -> list[dict[str, Any]]:
        self.asked.append(statement)
        return self.given

    def close(self) -> None: ...


def wanted_where(rows: list[dict[str, Any]]) -> list[WantedPrivilege]:
    session = Answers(rows)
    found = on_volume(session, TABLE)
    assert session.asked == ["""SHOW ICEBERG TABLES LIKE 'ORDERS' IN SCHEMA "LAKE"."RAW\""""]
    return found


def test_an_iceberg_tables_volume_has_to_be_usable() -> None:
    rows = [{"name": "ORDERS", "external_volume_name": "Lake"}]
    assert wanted_where(rows) == [WantedPrivilege("USAGE", "EXTERNAL VOLUME", ("Lake",))]


@pytest.mark.parametrize("volume", ["SNOWFLAKE_MANAGED", "", None])
def test_snowflakes_own_storage_needs_nothing(volume: str | None) -> None:
    assert wanted_where([{"name": "ORDERS", "external_volume_name": volume}]) == []


@pytest.mark.parametrize(
    ("parameters", "volume"),
    [
        ([{"key": "EXTERNAL_VOLUME", "value": "LAKE", "level": "TABLE"}], ("LAKE",)),
        ([{"key": "EXTERNAL_VOLUME", "value": "ELSEWHERE", "level": "SCHEMA"}], None),
        ([], None),
    ],
)
def test_the_volume_of_a_table_that_is_hidden_is_a_parameter_of_it(
    parameters: list[dict[str, Any]], volume: tuple[str, ...] | None
) -> None:
    """SHOW ICEBERG TABLES asks for SELECT, which the engine's role does not have."""
    session = Answers([])
    session.rows = lambda statement, empty=(): parameters if "PARAMETERS" in statement else []  # type: ignore[method-assign]
    found = on_volume(session, TABLE)
    assert found == ([WantedPrivilege("USAGE", "EXTERNAL VOLUME", volume)] if volume else [])


@pytest.mark.parametrize(("name", "pattern"), [("A_B%", r"'A\\_B\\%'"), ("it's", "'it''s'"), ("a\\b", r"'a\\\\b'")])
def test_a_table_is_looked_for_by_its_exact_name(name: str, pattern: str) -> None:
    session = Answers([{"name": name.lower() + name}, {"name": name}])
    wanted = ("LAKE", "RAW", name)
    assert Listing(session, "TABLES", [wanted]).find(*wanted) == {"name": name}
    assert session.asked == [f'SHOW TABLES LIKE {pattern} IN SCHEMA "LAKE"."RAW"']


def many(count: int) -> list[tuple[str, str, str]]:
    return [("LAKE", "RAW", f"T{number}") for number in range(count)]


def test_many_tables_of_a_schema_are_asked_for_at_once() -> None:
    session = Answers([{"name": name} for *_, name in many(50)])
    listing = Listing(session, "TABLES", many(50))
    assert [listing.find(*name) for name in many(50)] == session.given
    assert listing.find("LAKE", "RAW", "GONE") is None
    assert session.asked == ['SHOW TABLES IN SCHEMA "LAKE"."RAW" LIMIT 10000']


def test_a_few_of_a_schema_that_may_hold_thousands_are_asked_for_by_name() -> None:
    session = Answers([])
    listing = Listing(session, "TABLES", many(FEW))
    assert [listing.find(*name) for name in many(FEW)] == [None] * FEW
    assert len(session.asked) == FEW
    assert all(" LIKE " in statement for statement in session.asked)


def test_many_pipes_are_asked_for_without_a_limit_which_their_show_does_not_have() -> None:
    session = Answers([])
    Listing(session, "PIPES", many(50)).find("LAKE", "RAW", "T0")
    assert session.asked == ['SHOW PIPES IN SCHEMA "LAKE"."RAW"']


def test_a_list_that_was_cut_off_misses_nobody() -> None:
    session = Answers([{"name": f"OTHER{number}"} for number in range(LONGEST_ANSWER)])
    listing = Listing(session, "TABLES", many(50))
    assert listing.find("LAKE", "RAW", "T0") is None
    assert session.asked[1:] == ['SHOW TABLES LIKE \'T0\' IN SCHEMA "LAKE"."RAW"']


PIPES = {"ORDERS": "2026-01-01", "LOAD": "2026-02-02"}


@dataclass
class Schema:
    """A schema of one table, and of some pipes, with the statement that made them."""

    pipes: set[str]
    definition: str = ""

    def rows(self, statement: str, empty: Collection[int] = ()) -> list[dict[str, Any]]:
        if statement.startswith("SHOW TABLES"):
            return [
                {"name": name, "created_on": "2026", "enable_schema_evolution": "N", "is_iceberg": "Y"}
                for name in ("ORDERS", "REFUNDS")
            ]
        if statement.startswith("SHOW PIPES"):
            return [{"name": name, "created_on": PIPES[name], "definition": self.definition} for name in self.pipes]
        if statement.startswith("SHOW COLUMNS"):
            return [
                {"column_name": name, "data_type": '{"type":"VARIANT","nullable":true}', "null?": "true"}
                for name in ("KINESISMETADATA", "ID")
            ]
        return []

    def close(self) -> None: ...


def state(pipes: set[str], definition: str = "", **more: Any) -> TargetState:
    config: Any = SimpleNamespace(snowflake=SimpleNamespace(role="INGEST"), logged_in_for=lambda _: config)
    asked = pipeline(stream="orders", database="LAKE", table="ORDERS", **more)
    return TargetCatalog(config, Schema(pipes, definition)).state_of(asked)


@pytest.mark.parametrize(
    ("pipes", "named", "expected"),
    [
        (set(), None, ("ORDERS-STREAMING", "")),
        ({"LOAD"}, None, ("ORDERS-STREAMING", "")),
        ({"ORDERS", "LOAD"}, None, ("ORDERS", "2026-01-01")),  # a pipe with the table's name wins over the default one
        ({"ORDERS", "LOAD"}, "load", ("LOAD", "2026-02-02")),  # and the one that is named over both
    ],
)
def test_rows_go_through_the_pipe_that_is_named_or_has_the_tables_name_or_is_the_default(
    pipes: set[str], named: str | None, expected: tuple[str, str]
) -> None:
    found = state(pipes, **({"pipe": named} if named else {}))
    assert (stored_name(found.target.pipe) if named else found.target.pipe, found.target.pipe_created_on) == expected
    assert found.is_iceberg


def test_a_pipe_that_is_named_and_not_there_is_missed_by_its_name() -> None:
    with pytest.raises(PipeMissing, match="LOAD"):
        state({"ORDERS"}, pipe="load")


STREAM = "FROM TABLE(DATA_SOURCE(TYPE => 'STREAMING'))"


def test_a_pipe_that_loads_files_is_streamed_through_by_nobody() -> None:
    files = "COPY INTO LAKE.RAW.ORDERS FROM @STAGE FILE_FORMAT = (TYPE = JSON)"
    assert state({"ORDERS"}, files).target.pipe == "ORDERS-STREAMING"
    with pytest.raises(PipeReadsFiles, match="loads files"):
        state({"LOAD"}, files, pipe="load")


def test_a_pipe_has_to_lead_into_the_pipelines_table() -> None:
    by_name = "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"
    for into in ("ORDERS", "raw.orders", '"LAKE"."RAW"."ORDERS"'):
        assert state({"LOAD"}, f"COPY INTO {into} {STREAM} {by_name}", pipe="load").matches_by_name
    with pytest.raises(PipeLeadsElsewhere, match='"OTHERS"'):
        state({"LOAD"}, f"COPY INTO others {STREAM} {by_name}", pipe="load")


@pytest.mark.parametrize("pipe", [{"pipe": "load"}, {}])
def test_a_select_has_to_keep_what_says_which_record_a_row_is(pipe: dict[str, str]) -> None:
    names = {"ORDERS", "LOAD"}
    kept = state(names, f"COPY INTO ORDERS FROM (SELECT $1:KINESISMETADATA, $1:id::NUMBER {STREAM})", **pipe)
    assert not kept.matches_by_name
    lost = f"COPY INTO ORDERS (ID) FROM (SELECT $1:id {STREAM})"
    with pytest.raises(PositionLost, match=r'\$1:"KINESISMETADATA"'):
        state(names, lost, **pipe)
    assert not state(names, lost, audit=False, **pipe).matches_by_name
    assert not state(names, lost, metadata={"form": "none"}, **pipe).matches_by_name


@pytest.mark.parametrize(
    "behind",
    ["WHERE $1:region = 'EU'", "s LEFT OUTER JOIN dim d ON s.$1:k = d.k", ", LATERAL FLATTEN(INPUT => $1:items) f"],
)
@pytest.mark.parametrize("pipe", [{"pipe": "load"}, {}])
def test_a_select_that_keeps_not_one_row_of_each_record_needs_audit_off(pipe: dict[str, str], behind: str) -> None:
    filtering = f"COPY INTO ORDERS FROM (SELECT $1:KINESISMETADATA, $1:id::NUMBER {STREAM} {behind})"
    wanted = "some" if behind.startswith("WHERE") else "several"
    with pytest.raises(PipeFilters, match=f"rows: {wanted} .*audit: false"):
        state({"ORDERS", "LOAD"}, filtering, **pipe)
    assert not state({"ORDERS", "LOAD"}, filtering, audit=False, **pipe).matches_by_name


@pytest.mark.parametrize(
    ("behind", "wanted"),
    [
        ("", "one"),
        ("WHERE $1:region = 'EU'", "some"),
        ("s WHERE s.$1:join = 'x' AND s.$1:n > (1)", "some"),
        ("s LEFT OUTER JOIN dim d ON s.$1:k = d.k", "several"),
        ("s, dim d WHERE s.$1:k = d.k", "several"),
        (", LATERAL FLATTEN(INPUT => $1:items) f", "several"),
        ("s WHERE s.$1:n > 1 UNION ALL SELECT 1", "several"),
    ],
)
@pytest.mark.parametrize("said", ["one", "some", "several"])
def test_a_pipe_that_is_named_makes_at_most_what_its_pipeline_says(behind: str, wanted: str, said: str) -> None:
    order = ["one", "some", "several"]
    made = f"COPY INTO ORDERS FROM (SELECT $1:KINESISMETADATA, $1:id::NUMBER {STREAM} {behind})"
    if order.index(wanted) > order.index(said):
        with pytest.raises(PipeFilters, match=f"rows: {wanted} "):
            state({"LOAD"}, made, pipe="load", pipe_rows=said)
    else:
        assert state({"LOAD"}, made, pipe="load", pipe_rows=said).counts_rows == (said == "one")


def test_a_source_that_is_a_select_itself_may_flatten() -> None:
    inner = f"SELECT s.$1:KINESISMETADATA AS m, f.value AS v {STREAM} s, LATERAL FLATTEN(input => s.$1:items) f"
    made = f"COPY INTO ORDERS FROM (SELECT x.m, x.v FROM ({inner}) x)"
    with pytest.raises(PipeFilters, match="rows: several "):
        state({"LOAD"}, made, pipe="load", pipe_rows="some")


@pytest.mark.parametrize(
    "wrong",
    [{"pipe_rows": "some"}, {"pipe_rows": "several", "pipe": "load", "query": {"schema": "a INT", "sql": "SELECT *"}}],
)
def test_what_a_pipe_makes_is_said_of_one_that_is_named_and_without_a_query(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValidationError, match="pipe_rows"):
        pipeline(stream="orders", database="LAKE", table="ORDERS", **wrong)


def test_a_pipe_whose_statement_is_hidden_is_taken_as_it_is() -> None:
    assert not state({"ORDERS"}).matches_by_name
    assert state(set()).matches_by_name
    assert not state(set(), pipe_selects=True).matches_by_name


BY_NAME = f"COPY INTO ORDERS {STREAM} MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE"


@pytest.mark.parametrize("pipes", [set(), {"ORDERS"}])
@pytest.mark.parametrize(
    "metadata", [{"column": "RECORD_METADATA"}, {"form": "columns"}, {"form": "columns", "names": {"shard_id": "ID"}}]
)
def test_a_table_of_a_fixed_schema_has_a_column_for_the_position(pipes: set[str], metadata: dict[str, Any]) -> None:
    with pytest.raises(PositionColumnMissing, match=r"RECORD_METADATA|KINESIS_SEQUENCE_NUMBER"):
        state(pipes, BY_NAME, metadata=metadata)
    for more in ({"audit": False}, {"adds_columns": True}):
        assert state(pipes, BY_NAME, metadata=metadata, **more).matches_by_name


def test_a_column_takes_the_position_whatever_its_case() -> None:
    assert state(set(), metadata={"column": '"kinesisMetadata"'}).matches_by_name


def test_routed_tables_have_a_column_for_the_position_each() -> None:
    with pytest.raises(PositionColumnMissing, match="ORDERS"):
        state(set(), metadata={"column": "GONE"}, routes={"key": "kind", "tables": {"refund": "refunds"}})


def test_the_tables_of_routes_are_looked_for_as_the_pipelines_own() -> None:
    found = state({"LOAD", "ORDERS"}, pipe="load", routes={"key": "kind", "tables": {"refund": "refunds"}})
    ((name, target),) = found.routed
    assert (name, found.target.pipe, target.table, target.pipe) == ("REFUNDS", "LOAD", "REFUNDS", "REFUNDS-STREAMING")


def test_a_route_to_a_table_that_is_not_there_stops_the_pipeline_with_its_name() -> None:
    with pytest.raises(TableMissing, match=r"LAKE.*RAW.*GONE"):
        state(set(), routes={"key": "kind", "tables": {"refund": "refunds", "new": "gone"}})
