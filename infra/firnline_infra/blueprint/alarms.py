"""What wakes somebody: a reader that falls behind, calls that are refused, records that are no rows, an engine that is silent."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from firnline_infra.blueprint.aws import Alarm
from firnline_infra.blueprint.engine_config import metrics_config
from firnline_infra.blueprint.marks import tags
from firnline_infra.specification.aws import Stream
from firnline_infra.specification.elsewhere import is_elsewhere
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_ingest.config.metrics import (
    APPLICATION,
    DEAD_LETTERS,
    HEARTBEAT,
    REJECTED_ROWS,
    STOPPED,
    STREAM,
    TIME_TO_TRIM,
    WAITING_SHARDS,
)
from firnline_ingest.permissions.aws import LEDGER
from firnline_ingest.permissions.permission import Resource

A_MINUTE_MS, AN_HOUR_S = 60_000, 3600
LEDGER_OPERATIONS = tuple(each.action.partition(":")[2] for each in LEDGER if each.on is Resource.LEDGER_ITEMS)
"""DynamoDB counts SystemErrors by table and operation together; by the table alone there is no such metric (developer
guide, metrics-dimensions).
"""


def alarms(spec: EnvironmentSpec, names: Names) -> tuple[Alarm, ...]:
    """None where nobody is to be told."""
    return tuple(_Alarms(spec, names).all()) if spec.alarms.topics else ()


@dataclass(frozen=True, slots=True)
class _Alarms:
    """What Kinesis counts of a stream elsewhere is in CloudWatch there, and its owner's to be told of."""

    spec: EnvironmentSpec
    names: Names

    def all(self) -> Iterator[Alarm]:
        namespace = metrics_config(self.spec).cloudwatch
        for stream in self.spec.streams:
            if not is_elsewhere(self.spec, stream):
                yield self._lag(stream)
                yield self._throttled(stream)
            if namespace is not None:
                yield self._stopped(stream, namespace)
                yield self._waiting(stream, namespace)
                yield self._time_to_trim(stream, namespace)
                yield self._dead_letters(stream, namespace)
                yield self._rejected_rows(stream, namespace)
        if namespace is not None:
            yield self._heartbeat(namespace)
        for operation in LEDGER_OPERATIONS:
            yield self._ledger(operation)

    def _lag(self, stream: Stream) -> Alarm:
        minutes = self.spec.alarms.lag_minutes
        return self._alarm(
            f"{stream.name}-lag",
            f"Readers of stream {stream.name} are {minutes} minutes behind, or nobody reads; records are lost after "
            f"{_retention(stream)}. Next: look at the engine's log for shards that stopped.",
            namespace="AWS/Kinesis",
            metric="GetRecords.IteratorAgeMilliseconds",
            statistic="Maximum",
            dimensions={"StreamName": stream.name},
            threshold=minutes * A_MINUTE_MS,
            silence="breaching",
        )

    def _throttled(self, stream: Stream) -> Alarm:
        return self._alarm(
            f"{stream.name}-throttled",
            f"Producers of stream {stream.name} are refused: its shards are full. Next: more shards, or on demand.",
            namespace="AWS/Kinesis",
            metric="WriteProvisionedThroughputExceeded",
            statistic="Sum",
            dimensions={"StreamName": stream.name},
            threshold=1,
        )

    def _stopped(self, stream: Stream, namespace: str) -> Alarm:
        return self._alarm(
            f"{stream.name}-stopped",
            f"The engine left out shards of stream {stream.name}, or its pipeline, until a person decides. Next: the "
            "engine's log says why, and `firnline resume` what can be done.",
            namespace=namespace,
            metric=STOPPED.name,
            statistic=STOPPED.kind.value,
            dimensions=self._of(stream),
            threshold=1,
        )

    def _waiting(self, stream: Stream, namespace: str) -> Alarm:
        return self._alarm(
            f"{stream.name}-waiting",
            f"Shards of stream {stream.name} are not read, because the engine has too few executors or cores for them. Next: "
            "aws.runtime.size of the specification, or epoch.shards_per_task; docs/resharding.md has the arithmetic.",
            namespace=namespace,
            metric=WAITING_SHARDS.name,
            statistic=WAITING_SHARDS.kind.value,
            dimensions=self._of(stream),
            threshold=1,
        )

    def _time_to_trim(self, stream: Stream, namespace: str) -> Alarm:
        """What rang is not over because the engine fell silent."""
        hours = self.spec.alarms.time_to_trim_hours
        return self._alarm(
            f"{stream.name}-time-to-trim",
            f"In less than {hours} hours stream {stream.name} drops records that were not read. Next: a longer retention of "
            "the stream at once (it keeps what is still there), then the engine's log for shards that stopped.",
            namespace=namespace,
            metric=TIME_TO_TRIM.name,
            statistic=TIME_TO_TRIM.kind.value,
            dimensions=self._of(stream),
            threshold=hours * AN_HOUR_S,
            comparison="LessThanThreshold",
            silence="ignore",
            periods=1,
        )

    def _dead_letters(self, stream: Stream, namespace: str) -> Alarm:
        return self._alarm(
            f"{stream.name}-dead-letters",
            f"Records of stream {stream.name} could not be rows, and were kept as dead letters. Next: `firnline dead-letters` "
            "says which and why; correct the producer, then bring them back.",
            namespace=namespace,
            metric=DEAD_LETTERS.name,
            statistic=DEAD_LETTERS.kind.value,
            dimensions=self._of(stream),
            threshold=self.spec.alarms.dead_letters,
            periods=1,
        )

    def _rejected_rows(self, stream: Stream, namespace: str) -> Alarm:
        return self._alarm(
            f"{stream.name}-rejected-rows",
            f"The table of stream {stream.name} refused rows. Next: SELECT * FROM ERROR_TABLE(the table) says why; correct the "
            "table or the producer. The shard waits, unless the pipeline tolerates them.",
            namespace=namespace,
            metric=REJECTED_ROWS.name,
            statistic=REJECTED_ROWS.kind.value,
            dimensions=self._of(stream),
            threshold=1,
            periods=1,
        )

    def _heartbeat(self, namespace: str) -> Alarm:
        return self._alarm(
            "heartbeat",
            f"The engine {self.names.application} has ended no epoch for 15 minutes, or does not run. Next: `firnline status`, "
            "then the engine's log.",
            namespace=namespace,
            metric=HEARTBEAT.name,
            statistic=HEARTBEAT.kind.value,
            dimensions={APPLICATION: self.names.application},
            threshold=1,
            comparison="LessThanThreshold",
            silence="breaching",
        )

    def _ledger(self, operation: str) -> Alarm:
        table = self.names.ledger_table
        return self._alarm(
            f"ledger-{operation}-errors",
            f"DynamoDB fails at {operation} on the ledger {table}: shards can't be taken over, or no proof is written. Next: "
            "look at the AWS health page, then at the engine's log.",
            namespace="AWS/DynamoDB",
            metric="SystemErrors",
            statistic="Sum",
            dimensions={"TableName": table, "Operation": operation},
            threshold=1,
        )

    def _of(self, stream: Stream) -> dict[str, str]:
        return {APPLICATION: self.names.application, STREAM: stream.name}

    def _alarm(self, name: str, description: str, **rule: Any) -> Alarm:
        topics, marks = tuple(self.spec.alarms.topics), tags(self.spec, component="alarm")
        return Alarm(
            name=f"{self.names.application}-{name}", description=description, topics=topics, tags=marks, **rule
        )


def _retention(stream: Stream) -> str:
    """The specification does not have an adopted stream's: its owner sets it."""
    return f"{stream.retention_hours} hours" if stream.origin is Origin.CREATE else "the stream's own retention"
