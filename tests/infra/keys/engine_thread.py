"""The engine's shards in a thread, epoch after epoch, as a task of Spark would run them."""

import itertools
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.aws.client import dynamodb_client
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import LocalFolder
from firnline_ingest.identifiers import channel_name
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.lineage import read_lineage
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.backend import Run
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.shard.group import ShardGroup
from firnline_ingest.shard.receipt import Receipt, ShardState
from firnline_ingest.shard.report import FAILING
from firnline_ingest.shard.request import Deadline
from firnline_ingest.shard.work import ShardServices, ShardWork
from firnline_ingest.snowflake.current_key import LOOK_EVERY_S
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.snowflake.target import TargetCatalog
from firnline_ingest.spark.shown import ShownRun
from firnline_ingest.values import ShardKey

EPOCH_S = 1.0
RUN = Run("run", "a thread of this test")
QUICK = {"channel_status_cache_refresh_interval_seconds": "0"}


@dataclass
class EngineThread:
    config: EngineConfig
    receipts: list[Receipt] = field(default_factory=list)
    failure: BaseException | None = None
    _over: threading.Event = field(default_factory=threading.Event)

    def __post_init__(self) -> None:
        self._ledger = DynamoLedger(dynamodb_client(self.config.aws), self.config.ledger.table)
        self._shown = ShownRun(self._ledger, RUN.run_id)
        ticks = itertools.count()
        self._tools = ShardServices(
            ledger=self._ledger,
            kinesis=kinesis_client(self.config.aws),
            channels=SdkChannels(self.config, QUICK, clock=lambda: next(ticks) * LOOK_EVERY_S),
            dead_letters=LocalFolder(self.config.dead_letters.folder),
            polling=self.config.polling.model_copy(update={"interval_ms": 20}),
            run_id=RUN.run_id,
            reopen_delay_s=0.01,
        )
        self._thread = threading.Thread(target=self._run, name="engine", daemon=True)

    def start(self) -> None:
        assert self._ledger.begin_run(RUN, None)
        self._thread.start()

    def stop(self) -> None:
        """After one more epoch that takes in what has arrived by now."""
        self._over.set()
        self._thread.join(60)
        assert not self._thread.is_alive()
        if self.failure is not None:
            raise self.failure

    @property
    def uses(self) -> set[str]:
        """The keys of the last epoch. Raises what ended the engine."""
        if self.failure is not None:
            raise self.failure
        last = max((receipt.epoch for receipt in self.receipts), default=0)
        return {receipt.fingerprint for receipt in self.receipts if receipt.epoch == last}

    @property
    def problems(self) -> list[object]:
        """Problems of shards that stood still. A channel that the old key had opened is opened again, and receipts may fall into
        that: it is trouble where it does not pass, or lasts as many epochs as the engine itself takes for a failure.
        """
        found, in_a_row = list[object](), Counter[ShardKey]()
        for receipt in self.receipts:
            stands = receipt.problem is not None and receipt.state is not ShardState.READING
            in_a_row[receipt.key] = in_a_row[receipt.key] + 1 if stands else 0
            if receipt.problem and stands and (not receipt.problem.is_retryable or in_a_row[receipt.key] >= FAILING):
                found.append(receipt.problem)
        return found

    def _run(self) -> None:
        group, catalog = ShardGroup(self._tools), TargetCatalog(self.config)
        try:
            target = catalog.state_of(self.config.pipelines[0]).target
            for epoch in itertools.count(1):
                is_last = self._over.is_set()
                receipts = group.run(self._works(epoch, target), Deadline.after(EPOCH_S))
                self.receipts += receipts
                self._shown.write(receipts)
                if is_last:
                    break
        except BaseException as error:
            self.failure = error
        finally:
            group.close()
            catalog.close()

    def _works(self, epoch: int, target: Any) -> list[ShardWork]:
        pipeline = self.config.pipelines[0]
        lineage = read_lineage(self._tools.kinesis, pipeline.stream)
        created_ms = lineage.stream_created_ms
        return [
            ShardWork(
                key=ShardKey(lineage.stream, created_ms, shard),
                epoch=epoch,
                start=TrimHorizon(),
                pipeline=pipeline,
                target=target,
                channel=channel_name(self.config.application, lineage.stream, created_ms, shard),
                retention_hours=lineage.retention_hours,
            )
            for shard in lineage.shards
        ]
