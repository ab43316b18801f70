"""Figures of what is held where the engine can't go on; the runs are of the whole engine (`scripts/bench bounds`)."""

from typing import Any, cast

from bench import bounds
from bench.bounds import Held, Round
from bench.payload import stream_payloads
from bench.processes import Role, Sample
from bench.subject import Subject


def test_workers_have_a_bar_and_everything_else_is_shown() -> None:
    rounds = [Round(Held(1500.0, 999.0, 10.0), Held(1600.0, 500.0, 20.0), Held(1700.0, 1001.0, 30.0))]
    figures = bounds.figures(rounds)
    assert [(figure.values[0], figure.is_met) for figure in figures if figure.bar] == [
        (999.0, True),
        (500.0, True),
        (1001.0, False),
    ]
    assert [figure.values[0] for figure in figures if "together" in figure.name] == [1500.0, 1600.0, 1700.0]


class Tree:
    """Memory as three looks found it."""

    samples = (
        Sample(0.0, {}, {Role.WORKER: 900.0}, [300.0, 300.0, 300.0]),
        Sample(1.0, {}, {Role.WORKER: 750.0}, [450.0, 250.0, 50.0]),
    )

    def sample(self) -> Sample:
        return Sample(2.0, {}, {Role.WORKER: 10.0}, [10.0])

    def memory_mb(self) -> float:
        return 1234.0


class Engine:
    tree = Tree()


def test_the_most_is_of_the_workers_that_have_shards() -> None:
    held = bounds._held(cast("Subject", Engine()), 5.0)
    assert (held.workers_mb, held.tree_mb) == (700.0, 1234.0)


class Looks:
    """An engine that runs for no time."""

    def run_for(self, seconds: float) -> None:
        del seconds


def test_it_is_waited_until_nothing_more_is_taken_in() -> None:
    taken = iter([1.0, 2.0, 2.0, 3.0, 3.0, 3.0, 4.0])
    engine: Any = Looks()
    bounds._until_level(lambda: next(taken), engine)
    assert next(taken) == 4.0


def test_a_record_of_ten_mebibytes_is_one_and_nearly_as_large() -> None:
    (payload,) = stream_payloads(bounds.LARGE_BYTES)
    assert 0.99 * bounds.LARGE_BYTES < len(payload) <= bounds.LARGE_BYTES
