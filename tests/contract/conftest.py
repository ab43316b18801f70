"""The engine without Spark: what its driver and its tasks do, in this process, against the embedded environment."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any
from unittest.mock import patch

import pytest

from firnline_ingest.config.model import EngineConfig
from firnline_ingest.dead_letters import check_place, file_load, open_store
from firnline_ingest.kinesis.client import kinesis_client
from firnline_ingest.kinesis.pin import server_time_ms
from firnline_ingest.kinesis.start import TrimHorizon
from firnline_ingest.ledger.dynamodb import DynamoLedger
from firnline_ingest.ledger.lease import RunLease
from firnline_ingest.ledger.provision import open_ledger
from firnline_ingest.ledger.registration import Registrar, deregister_all
from firnline_ingest.schemas import SchemaRegistries
from firnline_ingest.shard.group import ShardGroup, Watch
from firnline_ingest.shard.receipt import ShardProblem, ShardState
from firnline_ingest.shard.request import Deadline
from firnline_ingest.shard.retirement import Retirement
from firnline_ingest.shard.work import ShardServices
from firnline_ingest.snowflake.sdk import SdkChannels
from firnline_ingest.snowflake.target import TargetCatalog
from firnline_ingest.spark.assignment import Assignment, PlannedShard
from firnline_ingest.spark.oversize import OversizeRounds
from firnline_ingest.spark.planner import ShardPlanner, SourceOffset
from firnline_ingest.values import Fence, TargetTable
from firnline_local.running import RunningEnvironment


class Unplanned(Exception):
    """The stream could not be planned."""

    def __init__(self, problem: ShardProblem) -> None:
        super().__init__(problem)
        self.problem = problem


@dataclass
class EngineWithoutSpark:
    """An engine of one pipeline. Its clients are made once: that takes botocore longer than all calls of a test."""

    config: EngineConfig

    @cached_property
    def kinesis(self) -> Any:
        return kinesis_client(self.config.aws)

    @cached_property
    def ledger(self) -> DynamoLedger:
        return open_ledger(self.config)

    def run(self) -> list[ShardProblem | None]:
        """A bounded run of one epoch; the problem of each shard."""
        check_place(self.config)
        lease = RunLease(self.ledger, self.config.application, sleep=lambda _: None)
        lease.begin()
        try:
            target = self.preflight()
            server_time_ms(self.kinesis, self.config.pipelines[0].stream)
            problems = self.epoch(target, lease.run.run_id)
            if self.config.goes_by_file and problems == [None]:
                problems = self.replay_by_file() or problems
            lease.beat()
            self.retire(target)
            registrar = Registrar(lambda stream: self.kinesis, self.ledger)
            deregister_all(self.config, registrar, lambda seconds: True)
            return problems
        except Unplanned as refused:
            return [refused.problem]
        finally:
            lease.end()

    def replay_by_file(self) -> list[ShardProblem]:
        """Runs the driver's round, with the one dead letter that is too large. Returns its findings."""
        rounds = OversizeRounds(self.config, self.ledger, lambda: True)
        with patch.object(file_load, "POLL_S", 0.2):
            rounds.round(lambda: False)
        found = list(rounds.problems.values())
        assert found or [receipt.replayed_rows for receipt in rounds.untold()] == [1]
        return found

    def preflight(self) -> TargetTable:
        """Returns what the driver asks Snowflake before an epoch."""
        catalog = TargetCatalog(self.config)
        try:
            return catalog.state_of(self.config.pipelines[0]).target
        finally:
            catalog.close()

    def epoch(self, target: TargetTable, run_id: str | None = None) -> list[ShardProblem | None]:
        """Runs what a task does with all shards; if a run is named, it watches that run."""
        channels = SdkChannels(self.config)
        services = self._services(channels, run_id or "nobody")
        group = ShardGroup(services)
        arrival_ms = int(datetime.now(UTC).timestamp() * 1000) + 60_000
        works = Assignment(self.config, services.run_id, self._planned(target), 60, arrival_ms).works
        try:
            watch = Watch(self.ledger, run_id) if run_id else None
            receipts = group.run(works, Deadline.after(60, arrival_ms=arrival_ms), watch)
        finally:
            group.close()
            channels.close()
        assert all(receipt.problem or receipt.state is ShardState.DONE for receipt in receipts), receipts
        return [receipt.problem for receipt in receipts]

    def retire(self, target: TargetTable) -> bool:
        """Returns what a task does once an hour; here with a shard that has ended long ago. Whether its row is gone."""
        services = self._services(SdkChannels(self.config), "nobody")
        works = Assignment(self.config, services.run_id, self._planned(target), 60).works
        ended = self.ledger.take(replace(works[0].key, shard_id="shardId-old"), Fence(), "nobody", TrimHorizon())
        self.ledger.write(replace(ended, ended=True))
        Retirement(services).run(works)
        return self.ledger.read(ended.key) is None

    def _services(self, channels: SdkChannels, run_id: str) -> ShardServices:
        return ShardServices(
            ledger=self.ledger,
            kinesis=self.kinesis,
            channels=channels,
            dead_letters=open_store(self.config),
            schemas=SchemaRegistries(self.config.aws),
            polling=self.config.polling,
            run_id=run_id,
            counter_settle_s=0.0,
        )

    def _planned(self, target: TargetTable) -> tuple[PlannedShard, ...]:
        planner = ShardPlanner(self.config, self.kinesis, self.ledger)
        rows = list(planner.rows(planner.next_offset(SourceOffset())))
        if problems := [ShardProblem(**json.loads(row.problem)) for row in rows if row.problem]:
            raise Unplanned(problems[0])
        return tuple(PlannedShard.of(row, target) for row in rows)


@pytest.fixture(scope="module")
def engine_of(local_environment: RunningEnvironment) -> Iterator[Callable[..., EngineWithoutSpark]]:
    """An engine on the environment's configuration with some sections changed; `pipeline` holds the only one's fields."""

    def make(
        *, pipeline: dict[str, Any], application: str, patterns: Sequence[Any] = (), **sections: dict[str, Any]
    ) -> EngineWithoutSpark:
        document = local_environment.engine_config(**sections)
        document |= {"application": application, "pipelines": [pipeline], "patterns": list(patterns)}
        return EngineWithoutSpark(EngineConfig.model_validate_json(json.dumps(document)))

    with pytest.MonkeyPatch.context() as monkeypatch:
        for name, value in local_environment.variables.items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("SSL_CERT_FILE", str(local_environment.endpoints.ca_file))
        yield make
