"""Transformed records are compared with what transforms make of them, and filtered ones are not missed."""

import sys
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from firnline_infra.audit.findings import ProblemKind
from firnline_local.running import RunningEnvironment

from .conftest import BAD, GOOD, Lane

pytestmark = pytest.mark.contract
TRANSFORMS = [
    {"type": "filter", "field": "id", "one_of": [3, 4]},
    {"type": "mask", "fields": ["Name"], "hash": "sha256"},
    {"type": "exclude", "fields": ["body"]},
]


def lane_of(environment: RunningEnvironment, stream: str, folder: Path, *transforms: dict[str, Any]) -> Lane:
    lane = Lane(environment, stream, folder / "dead-letters", options={"transforms": list(transforms)})
    lane.fill()
    return lane


def test_what_transforms_made_is_proven_and_what_was_put_back_is_found(
    environment: RunningEnvironment, stream: str, tmp_path: Path
) -> None:
    lane = lane_of(environment, stream, tmp_path, *TRANSFORMS)
    report = lane.audit()
    assert report.is_proven, report.shards
    totals = report.totals
    assert (totals.records, totals.rows, totals.dead_letters, totals.filtered) == (GOOD + BAD, GOOD - 2, BAD, 2)
    lane.sql(f"UPDATE {lane.name} SET NAME = 'n5' WHERE ID = 5")
    lane.sql(f"UPDATE {lane.name} SET BODY = PARSE_JSON('{{\"n\":[6,null]}}') WHERE ID = 6")
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 7")
    assert lane.audit().found == {ProblemKind.CHANGED: 2, ProblemKind.MISSING: 1}


def test_without_its_callable_rows_are_found_by_their_places(
    environment: RunningEnvironment, stream: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    module = ModuleType("firnline_test_functions")
    module.f = lambda record: {**record, "Name": record["Name"].upper()}  # type: ignore[attr-defined] # it is empty
    monkeypatch.setitem(sys.modules, module.__name__, module)
    callable_ = {"type": "callable", "callable": f"{module.__name__}:f", "version": "1"}
    lane = lane_of(environment, stream, tmp_path, callable_)
    assert (lane.audit().is_proven, lane.audit().compares_contents) == (True, True)
    monkeypatch.delitem(sys.modules, module.__name__)
    report = lane.audit()
    assert (report.is_proven, report.compares_contents) == (True, False)
    assert any("can't be imported here" in remark for remark in report.remarks)
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 7")
    assert lane.audit().found == {ProblemKind.MISSING: 1}


def test_behind_a_select_rows_are_found_by_their_places(
    environment: RunningEnvironment, stream: str, tmp_path: Path
) -> None:
    lane = Lane(environment, stream, tmp_path / "dead-letters", options={"pipe_selects": True})
    lane.fill()
    lane.sql(f"UPDATE {lane.name} SET NAME = 'as the SELECT has it' WHERE ID = 5")
    report = lane.audit()
    assert (report.is_proven, report.compares_contents) == (True, False)
    assert any("A SELECT may take values" in remark for remark in report.remarks)
    lane.sql(f"DELETE FROM {lane.name} WHERE ID = 7")
    assert lane.audit().found == {ProblemKind.MISSING: 1}
