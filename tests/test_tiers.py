"""The short tier leaves out what is slow, says so, and covers the path of each test that it leaves out."""

import ast
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests import mutants
from tests.tiers import seconds_by_folder, seeds

ROOT = Path(__file__).parents[1]
FILES = """
import pytest

def test_quick():
    pass

@pytest.mark.slow
def test_slow():
    pass

@pytest.mark.slow
def test_another_slow_one():
    pass
"""
LEFT = "Slow tests that were left out: {}. Next: --all runs them, too."
MARKED = re.compile(r"^(?!def ).*(pytest\.mark\.slow|\b(seeds|every_third)\()", re.MULTILINE)
WHOLE_FILE = re.compile(r"^pytestmark = .*pytest\.mark\.slow", re.MULTILINE)


def run(folder: Path, *arguments: str) -> tuple[int, str]:
    """Runs pytest on three tests, of which two are slow, with no other plugins: they take half of its time."""
    (folder / "test_some.py").write_text(FILES, encoding="utf-8")
    marker = ("-o", "markers=slow", "-p", "xdist", "-p", "tests.tiers", "-p", "no:cacheprovider")
    outside = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    ran = subprocess.run(
        [sys.executable, "-m", "pytest", "--rootdir", str(folder), *marker, *arguments, "test_some.py"],
        cwd=folder,
        env={
            **outside,
            "PYTHONPATH": str(ROOT),
            "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout


@pytest.mark.parametrize("workers", [(), ("-n", "2")], ids=["alone", "two workers"])
def test_slow_tests_are_left_out_and_counted(tmp_path: Path, workers: tuple[str, ...]) -> None:
    status, said = run(tmp_path, *workers)
    assert (status, "1 passed" in said, LEFT.format(2) in said) == (0, True, True), said


def test_only_what_is_selected_is_counted(tmp_path: Path) -> None:
    status, said = run(tmp_path, "-k", "another or quick")
    assert (status, LEFT.format(1) in said) == (0, True), said


def test_with_all_nothing_is_left_out(tmp_path: Path) -> None:
    status, said = run(tmp_path, "--all")
    assert (status, "3 passed" in said, "left out" in said) == (0, True, False), said


def test_whoever_asks_for_durations_sees_the_seconds_of_each_folder(tmp_path: Path) -> None:
    _, said = run(tmp_path, "--durations=5")
    assert re.search(r"^ +0\.\d  test_some\.py$", said, re.MULTILINE), said
    assert "seconds by folder" not in run(tmp_path)[1]


def test_a_folder_has_the_sum_of_its_tests_and_the_longest_comes_first() -> None:
    durations = (
        ("tests/a/test_x.py::test", 1.0),
        ("tests/a/b/test_y.py::test[x/y]", 2.5),
        ("tests/c/test_z.py::t", 4.0),
    )
    reports = [
        pytest.TestReport(name, ("", 0, ""), {}, "passed", None, "call", duration=seconds)
        for name, seconds in durations
    ]
    assert seconds_by_folder(reports) == [("tests/c", 4.0), ("tests/a", 3.5)]


@pytest.mark.parametrize("count", [1, 2, 3, 12, 13])
def test_a_third_of_the_seeds_is_played_for_every_change(count: int) -> None:
    made = seeds(range(100, 100 + count))
    assert [each.values for each in made] == [(number,) for number in range(100, 100 + count)]
    assert len([each for each in made if not each.marks]) == -(-count // 3)


def rows_of_the_page() -> dict[str, set[str]]:
    """Files with slow tests, by the table of tests/README.md, and those that cover their path in the short tier."""
    table = (ROOT / "tests" / "README.md").read_text(encoding="utf-8").partition("| with `--all` alone |")[2]
    rows = [row.strip("|").split("|") for row in table.partition("\n\n")[0].splitlines()[2:]]
    return {
        name: set(re.findall(r"`([\w/]+\.py)`", row[-1]))
        for row in rows
        for name in re.findall(r"`([\w/]+\.py)`", row[0])
    }


def test_the_tests_that_have_to_miss_a_mutant_run_for_every_change() -> None:
    """scripts/mutate asks those without any of these marks: none of them is slow."""
    whole = {name for name in re.findall(r"\w+", mutants.TIERS) if name not in ("not", "or")}
    marked = re.compile(rf"pytest\.mark\.({'|'.join(whole)})\b")
    assert [file for file in rows_of_the_page() if not marked.search(text_of(file))] == []


def text_of(file: str) -> str:
    return (ROOT / "tests" / file).read_text(encoding="utf-8")


def test_each_file_with_slow_tests_is_on_the_page() -> None:
    tests = ROOT / "tests"
    files = {str(file.relative_to(tests)) for file in tests.rglob("test_*.py")} - {"test_tiers.py"}
    assert {file for file in files if MARKED.search(text_of(file))} == rows_of_the_page().keys()


def runs_for_every_change(file: str) -> bool:
    """Returns whether it has a test that is not slow, as a whole or in one of its cases."""
    text = text_of(file)
    functions = (node for node in ast.parse(text).body if isinstance(node, ast.FunctionDef))
    tests = [each for each in functions if each.name.startswith("test_")]
    return not WHOLE_FILE.search(text) and any(
        "pytest.mark.slow" not in map(ast.unparse, test.decorator_list) for test in tests
    )


def test_what_covers_the_path_of_a_slow_test_runs_for_every_change() -> None:
    assert not runs_for_every_change("spark/test_chaos.py")
    for file, covered_by in rows_of_the_page().items():
        assert covered_by, file
        assert [short for short in covered_by if not runs_for_every_change(short)] == [], file
