"""The offsets of a drain's one query: kept on this machine, where the engine's own checkpoint is a cluster's.

The ledger is the truth and a drain takes in nothing new, so that an empty checkpoint is enough (docs/s3.md): the Spark at hand
needs no file system of the cluster's. One thing only the engine's checkpoint may know, where a stream begins that was never
read, with `initial_position: LATEST`: then it is asked.
"""

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.position import InitialPosition, StartAt
from firnline_ingest.ledger.backend import PlanLedger


@contextmanager
def drain_checkpoint(config: EngineConfig, ledger: PlanLedger) -> Iterator[EngineConfig]:
    """The configuration with a folder of this machine that goes afterwards; as it is where its checkpoint is needed."""
    if "://" not in config.spark.checkpoint or _is_needed(config, ledger):
        yield config
        return
    with tempfile.TemporaryDirectory(prefix="firnline-drain-", ignore_cleanup_errors=True) as folder:
        spark = config.spark.model_copy(update={"checkpoint": str(Path(folder) / "checkpoint")})
        yield config.model_copy(update={"spark": spark})


def _is_needed(config: EngineConfig, ledger: PlanLedger) -> bool:
    """Returns whether the ledger may not know where some stream begins. Raises what keeps the ledger from answering."""
    return any(_is_latest(each.initial_position) for each in config.patterns) or any(
        _is_latest(each.initial_position) and not _is_begun(each.stream, ledger) for each in config.pipelines
    )


def _is_latest(position: InitialPosition) -> bool:
    return position.at is StartAt.LATEST


def _is_begun(stream: str, ledger: PlanLedger) -> bool:
    mark = ledger.mark(stream)
    return mark is not None and bool(ledger.rows(mark.incarnation))
