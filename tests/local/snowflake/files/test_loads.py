"""Tests of what a pipe has loaded, as its report, its scan and a submission of the same name see it later."""

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import pytest

from firnline_local.faults import FaultPlan
from firnline_local.snowflake.catalog import Catalog, Database, Pipe, Role, Stage, Table
from firnline_local.snowflake.catalog.storage import FileSource, StagedFile
from firnline_local.snowflake.catalog.tables import Column
from firnline_local.snowflake.catalog.types import DataType
from firnline_local.snowflake.files import FileService, calls
from firnline_local.snowflake.files.calls import FileCall

Clock = Any  # of conftest.py


@dataclass
class World:
    service: FileService
    pipe: Pipe
    catalog: Catalog
    clock: Clock
    ticks: list[float] = field(default_factory=lambda: [0.0])

    def stage(self, name: str, *rows: Any) -> None:
        assert self.pipe.source is not None
        content = b"".join(json.dumps(row).encode() + b"\n" for row in rows)
        self.pipe.source.stage.files[name] = StagedFile(content=content, staged_at=self.clock())

    def load(self, *names: str) -> None:
        self.service.submit(self.pipe, [(name, 1) for name in names])
        self.ticks[0] += 60
        self.service.load_due()

    def asked(self, call: Callable[[FileService, FileCall], dict[str, Any]], **query: str) -> dict[str, Any]:
        return call(self.service, FileCall("a token", "DB.PUBLIC.P", query))

    @property
    def rows(self) -> int:
        return self.catalog.store.count_rows(self.pipe.table)


@pytest.fixture
def world(catalog: Catalog, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> World:
    """Whoever asks is the account's administrator."""
    admin = next(one for one in catalog.account.walk() if isinstance(one, Role) and one.name == "ACCOUNTADMIN")
    monkeypatch.setattr(catalog, "authenticate", lambda _: None)
    monkeypatch.setattr(catalog, "session_role", lambda _: admin)
    make = catalog.directory.create
    database = make(Database, "DB", container=catalog.account, owner=admin)
    schema = database.schema("PUBLIC")
    assert schema is not None
    columns = [Column(name="A", type=DataType.parse("NUMBER"))]
    table = make(Table, "T", container=schema, owner=admin, columns=columns)
    stage = make(Stage, "S", container=schema, owner=admin)
    pipe = make(Pipe, "P", container=schema, owner=admin, table=table, definition="", source=FileSource(stage=stage))
    ticks = [0.0]
    service = FileService(catalog, FaultPlan(), now=lambda: ticks[0])
    return World(service, pipe, catalog, clock, ticks=ticks)


def test_the_report_forgets_after_ten_minutes_and_says_so_to_whom_it_knows(world: World) -> None:
    mark = world.asked(calls.insert_report)["nextBeginMark"]
    world.stage("f", {"a": 1})
    world.load("f")
    assert [one["path"] for one in world.asked(calls.insert_report, beginMark=mark)["files"]] == ["f"]
    world.clock.advance(minutes=11)
    late = world.asked(calls.insert_report, beginMark=mark)
    assert (late["files"], late["completeResult"]) == ([], False)
    assert world.asked(calls.insert_report)["completeResult"] is True  # nobody knows what it should have had


def test_the_report_has_the_newest_ten_thousand(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calls, "MAX_ENTRIES", 2)
    for name in "abc":
        world.stage(name, {"a": 1})
    world.load(*"abc")
    told = world.asked(calls.insert_report, beginMark="1_0")
    assert ([one["path"] for one in told["files"]], told["completeResult"]) == (["b", "c"], False)
    assert world.asked(calls.load_history_scan, startTimeInclusive="2025-12-31T00:00:00Z")["completeResult"] is False


def test_a_name_is_known_for_fourteen_days_and_then_loaded_again(world: World) -> None:
    world.stage("f", {"a": 1})
    world.load("f")
    world.clock.advance(days=13, hours=23)
    world.load("f")
    assert world.rows == 1
    world.clock.advance(hours=2)
    world.load("f")
    assert world.rows == 2


def test_a_pipe_that_is_made_again_knows_nothing(world: World) -> None:
    world.stage("f", {"a": 1})
    world.load("f")
    old = world.pipe
    world.pipe = world.catalog.directory.create(
        Pipe,
        "P",
        container=old.container,
        owner=old.owner,
        replace=True,
        table=old.table,
        definition="",
        source=old.source,
    )
    world.load("f")
    assert world.rows == 2


def test_a_name_whose_rows_were_refused_is_not_tried_again(world: World) -> None:
    world.stage("f", {"a": "no number"})
    world.load("f")
    world.stage("f", {"a": 1})
    world.load("f")
    assert world.rows == 0


def test_a_file_that_is_not_there_is_told_and_loaded_once_it_is(world: World) -> None:
    world.load("f")
    (told,) = world.asked(calls.insert_report)["files"]
    assert (told["status"], "not found" in told["systemError"]) == ("LOAD_FAILED", True)
    world.stage("f", {"a": 1})
    world.load("f")
    assert world.rows == 1


def test_a_table_that_evolves_gets_a_column_from_a_file(world: World) -> None:
    world.pipe.table.enable_schema_evolution = True
    world.stage("f", {"a": 1, "new": "x"})
    world.load("f")
    assert [column.name for column in world.pipe.table.columns] == ["A", "NEW"]


@pytest.mark.parametrize("text", ["", "yesterday"])
def test_a_scan_without_a_time_is_refused(world: World, text: str) -> None:
    with pytest.raises(calls.Invalid):
        world.asked(calls.load_history_scan, startTimeInclusive=text)
