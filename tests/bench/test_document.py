from pathlib import Path

import pytest

from bench.__main__ import APART, PARTS
from bench.document import BLOCK, PAGE, Conditions, write
from bench.errors import BenchFailed
from bench.figure import Figure, at_most

CONDITIONS = Conditions(command="scripts/bench idle", day="2026-01-02", load=(0.5, 2.25))


def test_the_page_has_one_place_for_each_part() -> None:
    assert sorted(found["name"] for found in BLOCK.finditer(PAGE.read_text())) == sorted((*PARTS, *APART))


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


def test_a_part_without_a_place_is_refused_and_the_page_stays(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- bench: start -->\n<!-- /bench -->\n")
    with pytest.raises(BenchFailed, match="no place for: idle"):
        write([Figure(part="idle", name="all", unit="", values=[1.0])], CONDITIONS, page)
    assert page.read_text() == "<!-- bench: start -->\n<!-- /bench -->\n"
