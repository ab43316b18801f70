"""Each part of the benchmark that needs no Spark, for one short lap: it measures, and asks nobody outside this process."""

from contextlib import nullcontext
from pathlib import Path

import pytest

from bench import aggregates, letters, page, placement, planning, reads, transforms
from bench.errors import BenchFailed
from bench.figure import Figure
from bench.subject import TimeLimit


@pytest.fixture(autouse=True)
def _short(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(page, "PAGES", 1)


def _each_is_positive(figures: list[Figure]) -> bool:
    return all(value > 0 for figure in figures for value in figure.values)


def test_a_page_is_measured_on_both_sides() -> None:
    figures = page.measure(runs=1, laps=1)
    assert [figure.name.partition(",")[0].partition(" (")[0] for figure in figures] == [
        "firnline",
        "in Python alone",
        "obvious loop",
        "ratio to the obvious loop",
        "in Python alone",
    ]
    assert _each_is_positive(figures)


def test_every_list_of_transforms_is_measured() -> None:
    figures = transforms.measure(runs=1, laps=1)
    assert len(figures) == len(transforms.LISTS)
    assert _each_is_positive(figures)


def test_aggregates_are_measured_beside_plain_records() -> None:
    assert _each_is_positive(aggregates.measure(runs=1, laps=1))


@pytest.mark.contract
def test_dead_letters_are_measured_into_both_stores() -> None:
    assert _each_is_positive(letters.measure(runs=1, pages=1))


@pytest.mark.contract
def test_a_read_is_measured_each_way(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "SHARDS", 60)
    monkeypatch.setattr(reads, "READS_A_LAP", dict.fromkeys(reads.READS_A_LAP, 2))
    measured = reads.measure(runs=1, laps=1)
    assert [figure.name for figure in measured if figure.bar][:1] == ["direct, JSON"]
    assert _each_is_positive(measured)


def test_reads_end_where_the_time_is_over(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(reads, "_canned", lambda: nullcontext(("", Path())))
    monkeypatch.setattr(reads, "_ways", lambda *_: {})
    monkeypatch.setattr(TimeLimit, "end_s", 0.0)
    with pytest.raises(BenchFailed, match="--minutes"):
        reads.measure(runs=1, laps=1)


@pytest.mark.slow
@pytest.mark.contract
def test_plans_are_measured() -> None:
    run = planning.measure(streams=2)
    assert len(run.later) == planning.LATER
    assert _each_is_positive(list(planning.figures([run])))


def test_placement_moves_no_more_than_it_should() -> None:
    assert all(figure.is_met for figure in placement.figures())
