"""Questions of a run to Kinesis before its query begins: whether its patterns are clear, and until when a bounded run reads."""

import logging
from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from functools import partial

from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.matching import NothingMatches, all_pipelines
from firnline_ingest.kinesis.pin import EndInFuture, WindowEmpty, in_ms, server_time_ms
from firnline_ingest.native import native
from firnline_ingest.spark.retry_budget import RetryBudget, retried

START_TIMEOUT_S = 30.0
NOTHING_NEW = datetime.fromtimestamp(0, UTC)
"""The end of a drain: whatever is not committed yet arrived later."""


log = logging.getLogger(__name__)


def log_started(config: EngineConfig, run_id: str) -> None:
    extra = {"application": config.application, "run": run_id, "rows_by": str(native())}
    log.info("engine.started", extra=extra)


def pipelines_at_start(config: EngineConfig, wait: Callable[[float], bool]) -> Sequence[PipelineConfig]:
    """Raises PatternsOverlap, and what keeps streams from being listed; asks nothing where there is no pattern."""
    if not config.patterns:
        return config.pipelines
    client = kinesis_client(config.aws)
    return retried(lambda: all_pipelines(config, client), RetryBudget(START_TIMEOUT_S), wait)


def bound_ms(
    config: EngineConfig,
    pipelines: Sequence[PipelineConfig],
    wait: Callable[[float], bool],
    until: datetime | None = None,
) -> int:
    """The arrival after which a bounded run reads nothing: `until`, or now. Raises EndInFuture and WindowEmpty."""
    if until == NOTHING_NEW:
        return 0
    now_ms = _now_ms(config, pipelines, wait)
    if until is None:
        return now_ms
    if in_ms(until) > now_ms:
        raise EndInFuture(until, now_ms)
    for pipeline in pipelines:
        start = pipeline.initial_position.timestamp
        if start is not None and until < start:
            raise WindowEmpty(pipeline.stream, start, until)
    return in_ms(until)


def _now_ms(config: EngineConfig, pipelines: Sequence[PipelineConfig], wait: Callable[[float], bool]) -> int:
    """A second later than the service's clock says, which tells whole seconds. A stream that has gone has no say in it."""
    times, refusals = list[int](), list[FirnlineError]()
    for pipeline in pipelines:
        client = kinesis_client(config.aws, access=pipeline.access)
        ask = partial(server_time_ms, client, pipeline.stream)
        try:
            times.append(retried(ask, RetryBudget(START_TIMEOUT_S), wait))
        except FirnlineError as error:
            refusals.append(error)
    if not times:
        raise refusals[0] if refusals else NothingMatches(config.patterns[0])
    return max(times) + 1000
