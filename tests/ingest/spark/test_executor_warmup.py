"""Tests of what a warm-up refuses, and what it only reports; Spark itself warms up in tests/e2e."""

from types import SimpleNamespace
from typing import Any

import pytest

from firnline_ingest.errors import FirnlineError
from firnline_ingest.snowflake.errors import KeyRefused
from firnline_ingest.snowflake.target_errors import TableMissing
from firnline_ingest.spark import executor_warmup
from tests.fakes.ledger import MemoryLedger
from tests.ingest.spark.standing_in import config

CONFIG, READY = config(), SimpleNamespace()
SESSION: Any = SimpleNamespace(sparkContext=SimpleNamespace(cancelAllJobs=lambda: None))


def warm_up(**states: Any) -> None:
    catalog: Any = SimpleNamespace(states=lambda _: states)
    executor_warmup.warm_up(SESSION, CONFIG, "run", catalog, MemoryLedger())


@pytest.fixture(autouse=True)
def steps(monkeypatch: pytest.MonkeyPatch) -> dict[str, Exception | None]:
    """Ends of the two steps that need Spark."""
    ends: dict[str, Exception | None] = {"prepare_workers": None, "run_a_query": None}

    def step(name: str) -> Any:
        def run(*_: Any) -> None:
            if (error := ends[name]) is not None:
                raise error

        return run

    for name in ends:
        monkeypatch.setattr(executor_warmup, name, step(name))
    return ends


def missing(stream: str) -> FirnlineError:
    return TableMissing(stream, "ROLE", [])


def test_one_table_that_is_missing_keeps_no_engine_from_standing_by() -> None:
    warm_up(orders=READY, clicks=missing("clicks"))


def test_where_every_table_is_missing_the_first_problem_is_told() -> None:
    with pytest.raises(TableMissing, match="orders"):
        warm_up(orders=missing("orders"), clicks=missing("clicks"))


@pytest.mark.parametrize("step", ["prepare_workers", "run_a_query"])
def test_what_only_makes_the_first_epoch_quicker_may_fail(step: str, steps: dict[str, Exception | None]) -> None:
    steps[step] = RuntimeError("no disk for a checkpoint of its own")
    warm_up(orders=READY)


def test_what_the_engine_could_not_do_either_is_refused(steps: dict[str, Exception | None]) -> None:
    steps["prepare_workers"] = KeyRefused("USER", "SHA256:a", "HTTP 401")
    with pytest.raises(KeyRefused):
        warm_up(orders=READY)
