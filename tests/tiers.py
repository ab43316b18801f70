"""The two tiers: what every change is tested with, and the slow tests that `--all` adds, nightly and before a release.

`tests/README.md` lists each slow test beside the test of the short tier that covers its path (tests/test_tiers.py).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from operator import itemgetter

import pytest
from _pytest.mark import ParameterSet
from hypothesis import settings

SLOW = "slow"
LEFT = pytest.StashKey[int]()
WORKERS_LEFT = "slow_tests_left"
EVERY = 3


def seeds(numbers: Sequence[int]) -> list[ParameterSet]:
    """Every third of them is a parameter of the short tier, the others are slow."""
    return every_third([(number,) for number in numbers])


def every_third(cases: Iterable[tuple[object, ...]]) -> list[ParameterSet]:
    """Parameters of one test, each case with its values: every third is of the short tier, the others are slow."""
    return [
        pytest.param(*case, marks=() if place % EVERY == 0 else pytest.mark.slow) for place, case in enumerate(cases)
    ]


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Deselects the slow tests unless `--all` is given; after -k and -m, so that only what they select is counted."""
    if config.getoption("--all"):
        return
    left = [item for item in items if item.get_closest_marker(SLOW)]
    if not left:
        return
    items[:] = [item for item in items if not item.get_closest_marker(SLOW)]
    config.hook.pytest_deselected(items=left)
    note_left(config, len(left))


def pytest_configure(config: pytest.Config) -> None:
    """Has a property tried with a third of Hypothesis's examples unless `--all` is given."""
    if not config.getoption("--all"):
        whole = settings.default
        assert whole is not None
        settings.register_profile("third", whole, max_examples=whole.max_examples // EVERY)
        settings.load_profile("third")


def note_left(config: pytest.Config, count: int) -> None:
    """Keeps the number for the summary; a worker of pytest-xdist sends it to the process that writes one."""
    config.stash[LEFT] = count
    if hasattr(config, "workeroutput"):
        config.workeroutput[WORKERS_LEFT] = count


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--all", action="store_true", help="run the slow tests, too: nightly and before a release")


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object) -> None:
    """Called with each worker of pytest-xdist that has ended; all of them have collected the same tests."""
    left = getattr(node, "workeroutput", {}).get(WORKERS_LEFT, 0)
    if left:
        node.config.stash[LEFT] = left  # type: ignore[attr-defined] # xdist's WorkerController


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter, config: pytest.Config) -> None:
    """Seconds by folder, if durations are asked for, and how many tests were left out."""
    if config.option.durations is not None:
        terminalreporter.section("seconds by folder, added up over all processes")
        for folder, seconds in seconds_by_folder(_reports(terminalreporter)):
            terminalreporter.write_line(f"{seconds:8.1f}  {folder}")
    if left := config.stash.get(LEFT, 0):
        terminalreporter.write_line(f"Slow tests that were left out: {left}. Next: --all runs them, too.")


def _reports(terminalreporter: pytest.TerminalReporter) -> Iterable[pytest.TestReport]:
    every = (report for reports in terminalreporter.stats.values() for report in reports)
    return (report for report in every if isinstance(report, pytest.TestReport))


def seconds_by_folder(reports: Iterable[pytest.TestReport]) -> list[tuple[str, float]]:
    """Sums of set-up, call and tear-down by the folder below tests/, the longest first."""
    sums: defaultdict[str, float] = defaultdict(float)
    for report in reports:
        sums["/".join(report.nodeid.partition("::")[0].split("/")[:2])] += report.duration
    return sorted(sums.items(), key=itemgetter(1), reverse=True)
