"""Tests of where a pipeline's function can't be imported: what can still be proven, and what can't."""

import sys
from types import ModuleType
from typing import Any

import pytest

from firnline_infra.audit.errors import CallableAbsent
from firnline_infra.audit.mode import BELIEVED, THE_PIPE_DROPS, THE_PIPE_MULTIPLIES, AuditMode, absent_callable
from firnline_ingest.config.model import PipelineConfig

from .configured import config_of, pipeline

ABSENT = {"type": "callable", "callable": "firnline_no_such_module:f", "version": "1"}


def transforming(*transforms: dict[str, Any], **more: Any) -> PipelineConfig:
    return pipeline(transforms=list(transforms), **more)


def test_one_that_is_here_or_none_at_all_is_nothing_to_tell(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("firnline_test_functions")
    module.f = lambda record: record  # type: ignore[attr-defined] # it is empty
    monkeypatch.setitem(sys.modules, module.__name__, module)
    assert absent_callable(pipeline()) is None
    here = transforming({**ABSENT, "callable": f"{module.__name__}:f", "none": "filter"})
    assert absent_callable(here) is None
    remarks = AuditMode.of(config_of(here), here, contents=True).remarks
    assert remarks == (BELIEVED.format("firnline_test_functions:f"),), "nothing is proven of the function's own code"
    assert AuditMode.of(config_of(pipeline()), pipeline(), contents=True).remarks == ()


def test_rows_are_found_by_their_places_where_every_record_has_to_be_somewhere() -> None:
    assert absent_callable(transforming({"type": "flatten"}, ABSENT)) == ABSENT["callable"]


@pytest.mark.parametrize(
    ("transforms", "more", "why"),
    [
        ([{**ABSENT, "none": "filter"}], {}, "leave records out"),
        ([ABSENT, {"type": "filter", "field": "a", "exists": True}], {}, "leave records out"),
        ([{"type": "extract", "field": "a", "missing": "filter"}, ABSENT], {}, "leave records out"),
        ([ABSENT], {"on_error": "skip"}, "are nowhere"),
        ([ABSENT], {"format": {"type": "json_lines"}}, "several rows"),
    ],
)
def test_where_it_decides_what_is_nowhere_there_is_no_proof_without_it(
    transforms: list[dict[str, Any]], more: dict[str, Any], why: str
) -> None:
    with pytest.raises(CallableAbsent, match=why):
        absent_callable(transforming(*transforms, **more))


def test_letters_that_nobody_sees_are_records_that_are_nowhere() -> None:
    with pytest.raises(CallableAbsent, match="are nowhere"):
        absent_callable(transforming(ABSENT), letters_are_seen=False)


@pytest.mark.parametrize(("rows", "unprovable"), [("some", False), ("several", True)])
def test_what_a_pipe_may_drop_or_multiply_is_said_before_anything_is_found(rows: str, unprovable: bool) -> None:
    of = pipeline(pipe="P", pipe_rows=rows)
    mode = AuditMode.of(config_of(of), of, contents=True)
    assert (mode.pipe_rows, bool(mode.unprovable), mode.compares_contents) == (rows, unprovable, False)
    assert THE_PIPE_DROPS.format(rows) in mode.remarks
    assert (THE_PIPE_MULTIPLIES in mode.remarks) == unprovable
