import os
from pathlib import Path

import pytest

from bench.__main__ import APART, PARTS
from bench.document import BLOCK, MISSED, PAGE, Conditions, as_missed, write
from bench.errors import BenchFailed
from bench.figure import Figure, at_most

CONDITIONS = Conditions(command="scripts/bench idle", day="2026-01-02", load=(0.5, 2.25))


def test_the_page_has_one_place_for_each_part_and_for_what_is_missed() -> None:
    assert sorted(found["name"] for found in BLOCK.finditer(PAGE.read_text())) == sorted((*PARTS, *APART, MISSED))


def test_a_run_replaces_its_own_tables_and_no_other(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "before\nIdle:\n<!-- bench: idle -->\n| old |\n<!-- /bench -->\n"
        "<!-- bench: start -->\n`scripts/bench`, another day\n| of another run |\n<!-- /bench -->\nafter\n"
    )
    figures = [
        Figure(part="idle", name="  of it workers", unit="% of a core", values=[12.0, 14.0, 13.0], bar=at_most(20)),
        Figure(part="idle", name="all", unit="", values=[21.0], bar=at_most(20)),
    ]
    write(figures, CONDITIONS, page)
    text = page.read_text()
    assert (
        "| of it workers | 13.0 % of a core (12.0 to 14.0) | <= 20: met |\n| all | 21.0 | <= 20: **missed** |" in text
    )
    assert text.index("`scripts/bench idle`, 2026-01-02: ") < text.index("| of it workers |")
    assert "`scripts/bench`, another day\n| of another run |" in text
    assert "| old |" not in text
    assert text.startswith("before\n")
    assert text.endswith("after\n")


@pytest.mark.parametrize(("runs", "said"), [(1, "One run."), (3, "Medians of 3 runs, with the least and the most.")])
def test_the_conditions_of_a_part_name_its_runs_the_processor_the_packages_and_the_load(runs: int, said: str) -> None:
    sentence = Conditions.begun("scripts/bench idle", runs).ended().sentence
    assert sentence.startswith("`scripts/bench idle`, ")
    for part in (
        said,
        f"{os.cpu_count()} cores (",
        "firnline-native ",
        "pyspark ",
        "Load of the machine when the part",
    ):
        assert part in sentence


def test_a_part_without_a_place_is_refused_and_the_page_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- bench: start -->\n<!-- /bench -->\n")
    with pytest.raises(BenchFailed, match="no place for: idle"):
        write([Figure(part="idle", name="all", unit="", values=[1.0])], CONDITIONS, page)
    assert page.read_text() == "<!-- bench: start -->\n<!-- /bench -->\n"


def test_what_is_missed_is_listed_of_every_part_and_goes_when_it_is_met(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text(
        "<!-- bench: missed -->\nNone.\n<!-- /bench -->\n<!-- bench: idle -->\n<!-- /bench -->\n"
        "<!-- bench: start -->\n| CPU | 2.0 x | <= 1.3: **missed** |\n<!-- /bench -->\n"
    )

    def listed() -> str:
        return page.read_text().partition("<!-- /bench -->")[0]

    write([Figure(part="idle", name="all", unit="MB", values=[21.0], bar=at_most(20))], CONDITIONS, page)
    of_idle, of_start = "* idle: all: 21.0 MB, where <= 20 is wanted", "* start: CPU: 2.0 x, where <= 1.3 is wanted"
    assert f"{of_idle}\n{of_start}\n" in listed()
    write([Figure(part="idle", name="all", unit="MB", values=[19.0], bar=at_most(20))], CONDITIONS, page)
    assert of_idle not in listed()
    assert of_start in listed()


def test_the_page_lists_what_its_tables_miss() -> None:
    text = PAGE.read_text()
    (missed,) = [found[0] for found in BLOCK.finditer(text) if found["name"] == MISSED]
    assert as_missed(text) in missed
