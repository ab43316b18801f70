"""What wakes somebody: a reader that falls behind, and calls that are refused."""

from collections.abc import Iterator

from firnline_infra.blueprint.aws import Alarm
from firnline_infra.blueprint.engine_config import metrics_config
from firnline_infra.blueprint.marks import tags
from firnline_infra.specification.aws import Stream
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_ingest.config.metrics import APPLICATION, STOPPED, STREAM
from firnline_ingest.permissions.aws import LEDGER
from firnline_ingest.permissions.permission import Resource

A_MINUTE_MS = 60_000
LEDGER_OPERATIONS = tuple(each.action.partition(":")[2] for each in LEDGER if each.on is Resource.LEDGER_ITEMS)
"""DynamoDB counts SystemErrors by table and operation together; by the table alone there is no such metric (developer
guide, metrics-dimensions).
"""


def alarms(spec: EnvironmentSpec, names: Names) -> tuple[Alarm, ...]:
    """None where nobody is to be told."""
    return tuple(_alarms(spec, names)) if spec.alarms.topics else ()


def _alarms(spec: EnvironmentSpec, names: Names) -> Iterator[Alarm]:
    topics, marks = tuple(spec.alarms.topics), tags(spec, component="alarm")
    for stream in spec.streams:
        yield Alarm(
            name=f"{names.application}-{stream.name}-lag",
            description=(
                f"Readers of stream {stream.name} are {spec.alarms.lag_minutes} minutes behind, or nobody reads; records "
                f"are lost after {_retention(stream)}. Next: look at the engine's log for shards that stopped."
            ),
            namespace="AWS/Kinesis",
            metric="GetRecords.IteratorAgeMilliseconds",
            statistic="Maximum",
            dimensions={"StreamName": stream.name},
            threshold=spec.alarms.lag_minutes * A_MINUTE_MS,
            silence="breaching",
            topics=topics,
            tags=marks,
        )
        yield Alarm(
            name=f"{names.application}-{stream.name}-throttled",
            description=(
                f"Producers of stream {stream.name} are refused: its shards are full. Next: more shards, or on demand."
            ),
            namespace="AWS/Kinesis",
            metric="WriteProvisionedThroughputExceeded",
            statistic="Sum",
            dimensions={"StreamName": stream.name},
            threshold=1,
            topics=topics,
            tags=marks,
        )
        if (namespace := metrics_config(spec).cloudwatch) is not None:
            yield Alarm(
                name=f"{names.application}-{stream.name}-stopped",
                description=(
                    f"The engine left out shards of stream {stream.name}, or its pipeline, until a person decides. Next: the "
                    "engine's log says why, and `firnline resume` what can be done."
                ),
                namespace=namespace,
                metric=STOPPED,
                statistic="Maximum",
                dimensions={APPLICATION: names.application, STREAM: stream.name},
                threshold=1,
                topics=topics,
                tags=marks,
            )
    for operation in LEDGER_OPERATIONS:
        yield Alarm(
            name=f"{names.application}-ledger-{operation}-errors",
            description=(
                f"DynamoDB fails at {operation} on the ledger {names.ledger_table}: shards can't be taken over, or no proof "
                "is written. Next: look at the AWS health page, then at the engine's log."
            ),
            namespace="AWS/DynamoDB",
            metric="SystemErrors",
            statistic="Sum",
            dimensions={"TableName": names.ledger_table, "Operation": operation},
            threshold=1,
            topics=topics,
            tags=marks,
        )


def _retention(stream: Stream) -> str:
    """The specification does not have an adopted stream's: its owner sets it."""
    return f"{stream.retention_hours} hours" if stream.origin is Origin.CREATE else "the stream's own retention"
