"""Streams that a pattern has found are shown, and waited for, like named ones."""

from collections.abc import Sequence

import pytest

from firnline_infra.rollout.streams import pipelines_by_stream, streams_of_configuration
from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.ledger.errors import LedgerForbidden
from firnline_ingest.ledger.mark import StreamMark
from tests.fakes.ledger import MemoryLedger
from tests.infra.specifications import pipeline, smallest
from tests.ingest.spark.standing_in import CONFIG


def spec(**changes: object) -> EnvironmentSpec:
    streams = [{"name": "orders"}, {"name": "clicks"}]
    return smallest(streams=streams, pipelines=[pipeline("orders"), pipeline("clicks", **changes)])


def config(**changes: object) -> EngineConfig:
    return EngineConfig.model_validate({**CONFIG, **changes}, strict=None)


PATTERN = {"streams": "clicks-.*", "database": "DB", "schema": "RAW", "exclude": ["clicks-test"]}


@pytest.fixture
def ledger() -> MemoryLedger:
    begun = MemoryLedger()
    for name in ("orders", "clicks", "clicks-b", "clicks-a", "clicks-test", "payments"):
        begun.set_mark(name, StreamMark(f"{name}@1", since_ms=1), None)
    begun.set_mark("matching clicks-.*", StreamMark("matching clicks-.*", since_ms=1), None)
    return begun


class Closed:
    def begun_streams(self) -> Sequence[str]:
        raise LedgerForbidden("ledger", "Query", "is not authorized")


def test_found_streams_have_the_pipeline_that_has_found_them(ledger: MemoryLedger) -> None:
    made = spec(stream_pattern="clicks-[ab]", idle_after_seconds=60)
    found = pipelines_by_stream(made, ledger)
    assert {stream: pipeline.idle_after_seconds for stream, pipeline in found.items()} == {
        "orders": 300,
        "clicks": 60,
        "clicks-a": 60,
        "clicks-b": 60,
    }


def test_a_roll_out_has_the_streams_that_its_own_configuration_finds(ledger: MemoryLedger) -> None:
    assert streams_of_configuration(config(patterns=[PATTERN]), ledger) == [
        *("orders", "clicks", "clicks-a", "clicks-b"),
    ]


def test_without_a_pattern_nobody_is_asked() -> None:
    assert list(pipelines_by_stream(spec(), Closed())) == ["orders", "clicks"]
    assert streams_of_configuration(config(), Closed()) == ["orders", "clicks"]
