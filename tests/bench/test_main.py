"""The command: which parts are measured, and what becomes of one that can't be."""

import math
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from click.testing import CliRunner

from bench import __main__ as command
from bench import document
from bench.errors import BenchFailed
from bench.figure import Figure, at_most
from bench.subject import Subject, TimeLimit


def _fails(*_: object) -> Iterator[Figure]:
    yield Figure(part="idle", name="half", unit="", values=[1.0])
    raise BenchFailed("The machine was too busy.")


def _measured(*_: object) -> Iterator[Figure]:
    yield Figure(part="start", name="CPU", unit="", values=[2.0], bar=at_most(3))


def test_every_part_is_measured_by_one() -> None:
    named = [part for of in command.MEASURES for part in of]
    assert sorted(named) == sorted((*command.PARTS, *command.APART))


@pytest.mark.parametrize(("parts", "status"), [(["idle", "start"], 2), (["start"], 0)])
def test_a_part_that_fails_keeps_no_other_from_the_page(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, parts: Sequence[str], status: int
) -> None:
    page = tmp_path / "page.md"
    page.write_text("<!-- bench: idle -->\n<!-- /bench -->\n<!-- bench: start -->\n<!-- /bench -->\n")
    monkeypatch.setattr(command, "MEASURES", {("idle",): _fails, ("start",): _measured})
    monkeypatch.setattr(command, "CREDENTIALS", {})
    monkeypatch.setattr(command, "write", lambda figures, conditions: document.write(figures, conditions, page))
    ran = CliRunner().invoke(command.main, [*parts, "--write"])
    assert ran.exit_code == status
    assert ("too busy" in ran.stderr) is (status == 2)
    assert "start" in ran.stdout
    assert "| CPU | 2.0 | <= 3: met |" in page.read_text()
    assert "half" not in page.read_text() + ran.stdout


def test_minutes_are_a_limit_for_every_wait(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The parts that it cuts off are named, and those that are done are shown."""

    def lasts(*_: object) -> Iterator[Figure]:
        with Subject("asyncio", log_file=tmp_path / "log", arguments=(), environment={}) as subject:
            subject.run_for(60)
        yield Figure(part="idle", name="half", unit="", values=[1.0])

    monkeypatch.setattr(command, "MEASURES", {("start",): _measured, ("idle",): lasts})
    monkeypatch.setattr(command, "CREDENTIALS", {})
    monkeypatch.setattr(TimeLimit, "end_s", math.inf)
    ran = CliRunner().invoke(command.main, ["idle", "start", "--minutes", "0.001"])
    assert ran.exit_code == command.NOT_MEASURED
    assert "idle: [FL-6090] The time that --minutes gives is over." in ran.stderr
    assert "start" in ran.stdout


def test_minutes_and_quick_are_two_lengths(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "CREDENTIALS", {})
    ran = CliRunner().invoke(command.main, ["idle", "--minutes", "1", "--quick"])
    assert ran.exit_code == 2
    assert "leave --quick out" in ran.stderr
