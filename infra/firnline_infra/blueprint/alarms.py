"""Alarms that wake somebody: a reader that falls behind, calls that are refused, records that are not rows, a silent engine."""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from enum import Enum, auto
from typing import Any, Literal

from firnline_infra.blueprint.engine_config import metrics_config
from firnline_infra.environment import Environment
from firnline_infra.specification.aws import Alarms, StreamOptions
from firnline_infra.specification.names import refresh_of, view_of
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.pipeline import SchemaContract, others_of
from firnline_infra.specification.reader import FanOutReader
from firnline_infra.specification.redshift import StreamView
from firnline_ingest.config.metrics import (
    APPLICATION,
    DEAD_LETTERS,
    HEARTBEAT,
    NEW_COLUMNS,
    NOT_NULLS_DROPPED,
    REJECTED_ROWS,
    STOPPED,
    STREAM,
    TIME_TO_TRIM,
    UNDECIDED_SHARDS,
    UNKNOWN_KEYS,
    WAITING_SHARDS,
    Metric,
)
from firnline_ingest.errors import DOCUMENTATION
from firnline_ingest.permissions.aws import LEDGER
from firnline_ingest.permissions.permission import Resource

A_MINUTE_MS, AN_HOUR_S = 60_000, 3600
PAGE = f"{DOCUMENTATION}metrics/#alarms"
"""The page of the documentation that lists each alarm with what to do."""
PERIOD_S = 300
LEDGER_OPERATIONS = tuple(each.action.partition(":")[2] for each in LEDGER if each.on is Resource.LEDGER_ITEMS)
"""DynamoDB counts SystemErrors by table and operation together; by the table alone there is no such metric (developer
guide, metrics-dimensions).
"""


class MetricScope(Enum):
    """The scope of a metric, which decides how many alarms a rule has."""

    KINESIS = auto()
    """Kinesis counts it of each stream; of one in another account or region in CloudWatch there, where its owner sees it."""
    POLLED = auto()
    """The same, of streams that are not read by enhanced fan-out alone: nothing else calls GetRecords."""
    CONSUMER = auto()
    """Kinesis counts it of each consumer of enhanced fan-out that the engine reads by."""
    STREAM = auto()
    """The engine publishes it of each stream."""
    ENGINE = auto()
    """The engine publishes it once."""
    VIEW = auto()
    """EventBridge counts it of each view of Redshift that is refreshed on a schedule."""
    LEDGER = auto()
    """DynamoDB counts it of each operation on the ledger."""


@dataclass(frozen=True)
class AlarmRule:
    """One kind of alarm; `description` is what it means and what to do next."""

    name: str
    scope: MetricScope
    metric: Metric | tuple[str, str, str]
    """One of ours, or namespace, name and statistic of one of AWS's."""
    description: str
    _: KW_ONLY
    at_least: float | Callable[[Alarms], float] | None = None
    less_than: float | Callable[[Alarms], float] | None = None
    treat_missing_data: Literal["breaching", "notBreaching", "ignore"] = "notBreaching"
    periods: int = 3
    contract: SchemaContract | None = None
    """Only of a stream whose pipeline says this `schema_contract`."""


ALARMS = (
    AlarmRule(
        "{stream}-lag",
        MetricScope.POLLED,
        ("AWS/Kinesis", "GetRecords.IteratorAgeMilliseconds", "Maximum"),
        "Readers of stream {stream} are {alarms.lag_minutes} minutes behind, or no engine reads; records are lost after "
        "{retention}. Next: look at the engine's log for shards that stopped.",
        at_least=lambda alarms: alarms.lag_minutes * A_MINUTE_MS,
        treat_missing_data="breaching",
    ),
    AlarmRule(
        "{stream}/{consumer}-lag",  # a stream may be called as one and its consumer with a hyphen
        MetricScope.CONSUMER,
        ("AWS/Kinesis", "SubscribeToShardEvent.MillisBehindLatest", "Maximum"),
        "Consumer {consumer} of stream {stream} is {alarms.lag_minutes} minutes behind, or no engine subscribes; records are "
        "lost after {retention}. Next: `firnline status`, then the engine's log for shards that stopped.",
        at_least=lambda alarms: alarms.lag_minutes * A_MINUTE_MS,
        treat_missing_data="breaching",  # a subscription gets an event every few seconds, also where nothing arrives
    ),
    AlarmRule(
        "{stream}-throttled",
        MetricScope.KINESIS,
        ("AWS/Kinesis", "WriteProvisionedThroughputExceeded", "Sum"),
        "Producers of stream {stream} are refused: its shards are full. Next: more shards, or on demand.",
        at_least=1,
    ),
    AlarmRule(
        "{stream}-stopped",
        MetricScope.STREAM,
        STOPPED,
        "The engine skips shards of stream {stream}, or its pipeline, until a person decides. Next: the "
        "engine's log says why, and `firnline resume` what can be done.",
        at_least=1,
    ),
    AlarmRule(
        "{stream}-waiting",
        MetricScope.STREAM,
        WAITING_SHARDS,
        "Shards of stream {stream} are not read, because the engine has too few executors or cores for them. Next: "
        "aws.runtime.size of the specification, or epoch.shards_per_task; docs/resharding.md has the arithmetic.",
        at_least=1,
    ),
    AlarmRule(
        "{stream}-time-to-trim",
        MetricScope.STREAM,
        TIME_TO_TRIM,
        "In less than {alarms.time_to_trim_hours} hours stream {stream} drops records that were not read. Next: a longer "
        "retention of the stream at once (it keeps what is still there), then the engine's log for shards that stopped.",
        less_than=lambda alarms: alarms.time_to_trim_hours * AN_HOUR_S,
        treat_missing_data="ignore",  # it is not over because the engine fell silent
        periods=1,
    ),
    AlarmRule(
        "{stream}-dead-letters",
        MetricScope.STREAM,
        DEAD_LETTERS,
        "Records of stream {stream} could not be rows, and were kept as dead letters. Next: `firnline dead-letters` "
        "says which and why; correct the producer, then replay them.",
        at_least=lambda alarms: alarms.dead_letters,
        periods=1,
    ),
    AlarmRule(
        "{stream}-rejected-rows",
        MetricScope.STREAM,
        REJECTED_ROWS,
        "The table of stream {stream} refused rows. Next: SELECT * FROM ERROR_TABLE(the table) says why; correct the "
        "table or the producer. The shard waits, unless the pipeline tolerates them.",
        at_least=1,
        periods=1,
    ),
    AlarmRule(
        "{stream}-new-columns",
        MetricScope.STREAM,
        NEW_COLUMNS,
        "The table of stream {stream} got columns for new keys (schema_contract: evolve). Next: `schema.evolved` in the engine's "
        "log names them, with the first record of each; tell who reads the table.",
        at_least=1,
        periods=1,
        contract=SchemaContract.EVOLVE,
    ),
    AlarmRule(
        "{stream}-not-null-dropped",
        MetricScope.STREAM,
        NOT_NULLS_DROPPED,
        "Records of stream {stream} lack a column that was NOT NULL, and schema evolution made it nullable. Next: "
        "`schema.not_null_dropped` in the engine's log names it; correct the producer, then SET NOT NULL.",
        at_least=1,
        periods=1,
        contract=SchemaContract.EVOLVE,
    ),
    AlarmRule(
        "{stream}-unknown-keys",
        MetricScope.STREAM,
        UNKNOWN_KEYS,
        "Records of stream {stream} have keys without a column, whose values are not kept (schema_contract: freeze). Next: "
        "`schema.unknown_keys` in the engine's log names them, with the statement that adds their columns.",
        at_least=1,
        periods=1,
        contract=SchemaContract.FREEZE,
    ),
    AlarmRule(
        "{stream}-undecided-keys",
        MetricScope.STREAM,
        UNDECIDED_SHARDS,
        "Shards of stream {stream} wait in front of records with new keys (schema_contract: ask); they are lost after "
        "{retention}. Next: `firnline columns` lists the keys; --approve or --decline them.",
        at_least=1,
        periods=1,
        contract=SchemaContract.ASK,
    ),
    AlarmRule(
        "heartbeat",
        MetricScope.ENGINE,
        HEARTBEAT,
        "The engine {application} has ended no epoch for 15 minutes, or does not run. Next: `firnline status`, "
        "then the engine's log.",
        less_than=1,
        treat_missing_data="breaching",
    ),
    AlarmRule(
        "{view}-refreshed",
        MetricScope.VIEW,
        ("AWS/Events", "MatchedEvents", "Sum"),
        "View {view} should be refreshed every {every} minutes, and three refreshes in a row did not end well: a record blocks "
        "it, or nothing may refresh it. Records are lost to it after {retention}. Next: `firnline redshift status`.",
        less_than=1,
        treat_missing_data="breaching",
    ),
    AlarmRule(
        "ledger-{operation}-errors",
        MetricScope.LEDGER,
        ("AWS/DynamoDB", "SystemErrors", "Sum"),
        "DynamoDB fails at {operation} on the ledger {table}: shards can't be taken over, or no proof is written. Next: "
        "look at the AWS health page, then at the engine's log.",
        at_least=1,
    ),
)


def alarms(environment: Environment, topics: Sequence[Any]) -> Iterator[Mapping[str, Any]]:
    """Yields the arguments of each alarm, which notifies the topics."""
    tags = environment.tags("alarm")
    for each in _alarms(environment):
        yield {**each, "alarm_actions": list(topics), "ok_actions": list(topics), "tags": tags}


def _alarms(environment: Environment) -> Iterator[Mapping[str, Any]]:
    names = environment.names
    publishes = metrics_config(environment).cloudwatch is not None
    for source in environment.sources:
        stream = source.options
        if not _is_read(environment, stream):
            continue  # there is no reader who could be behind, and silence would ring for ever
        of_stream = {"stream": stream.name, "retention": _retention(stream)}
        if not source.is_elsewhere:
            yield from _of_kinesis(environment, stream, of_stream)
        if publishes:
            dimensions = {APPLICATION: names.application, STREAM: stream.name}
            yield from _of(MetricScope.STREAM, environment, dimensions, of_stream, _contracts(environment, stream.name))
    if publishes:
        yield from _of(MetricScope.ENGINE, environment, {APPLICATION: names.application}, {})
    for view in environment.redshift.views if environment.redshift else ():
        if view.refresh_every_minutes is not None:
            yield from _of_view(environment, view, view.refresh_every_minutes)
    for operation in LEDGER_OPERATIONS:
        dimensions = {"TableName": names.ledger_table, "Operation": operation}
        yield from _of(MetricScope.LEDGER, environment, dimensions, {"operation": operation})


def _contracts(environment: Environment, stream: str) -> set[SchemaContract]:
    """Returns those of the pipelines that read the stream, also of one whose pattern finds it."""
    reading = [each for each in environment.pipelines if each.stream == stream] or [
        each for each in environment.pipelines if others_of(each, [stream])
    ]
    return {each.schema_contract for each in reading if each.schema_contract is not None}


def _is_read(environment: Environment, stream: StreamOptions) -> bool:
    """True if a pipeline reads the stream, also by its pattern, or a view of Redshift does."""
    views = environment.redshift.views if environment.redshift else ()
    named = stream.name in {each.stream for each in (*environment.pipelines, *views)}
    return named or any(others_of(pipeline, [stream.name]) for pipeline in environment.pipelines)


def _of_view(environment: Environment, view: StreamView, every_minutes: int) -> Iterator[Mapping[str, Any]]:
    stream = next(each for each in environment.streams if each.name == view.stream)
    words = {"view": f"{view.schema_}.{view_of(view)}", "every": str(every_minutes), "retention": _retention(stream)}
    rule_name = refresh_of(environment.names.application, view)
    for alarm in _of(MetricScope.VIEW, environment, {"RuleName": rule_name}, words):
        yield {**alarm, "period": every_minutes * 60}


def _of_kinesis(
    environment: Environment, stream: StreamOptions, of_stream: Mapping[str, str]
) -> Iterator[Mapping[str, Any]]:
    dimensions = {"StreamName": stream.name}
    readers = [pipeline.reader for pipeline in environment.pipelines if pipeline.stream == stream.name]
    fan_outs = [reader.fan_out for reader in readers if isinstance(reader, FanOutReader)]
    if not readers or len(fan_outs) < len(readers):
        yield from _of(MetricScope.POLLED, environment, dimensions, of_stream)
    for consumer in sorted({fan_out.consumer_name(environment.names.application) for fan_out in fan_outs}):
        of_consumer = {**of_stream, "consumer": consumer}
        yield from _of(MetricScope.CONSUMER, environment, {**dimensions, "ConsumerName": consumer}, of_consumer)
    yield from _of(MetricScope.KINESIS, environment, dimensions, of_stream)


def _of(
    scope: MetricScope,
    environment: Environment,
    dimensions: Mapping[str, str],
    words: Mapping[str, str],
    contracts: Collection[SchemaContract] = (),
) -> Iterator[Mapping[str, Any]]:
    names = environment.names
    slots = {"application": names.application, "table": names.ledger_table, "alarms": environment.alarms, **words}
    for rule in (each for each in ALARMS if each.scope is scope and each.contract in (None, *contracts)):
        namespace, metric, statistic = _metric(rule, environment)
        threshold = rule.at_least if rule.less_than is None else rule.less_than
        assert threshold is not None, rule.name
        yield {
            "alarm_name": f"{names.application}-{rule.name.format_map(slots)}",
            "alarm_description": f"{rule.description.format_map(slots)} More: {PAGE}",
            "namespace": namespace,
            "metric_name": metric,
            "statistic": statistic,
            "dimensions": dimensions,
            "comparison_operator": "GreaterThanOrEqualToThreshold" if rule.less_than is None else "LessThanThreshold",
            "threshold": threshold(environment.alarms) if callable(threshold) else threshold,
            "period": PERIOD_S,
            "evaluation_periods": rule.periods,
            "treat_missing_data": rule.treat_missing_data,
        }


def _metric(rule: AlarmRule, environment: Environment) -> tuple[str, str, str]:
    if isinstance(rule.metric, tuple):
        return rule.metric
    return metrics_config(environment).cloudwatch or "", rule.metric.name, rule.metric.kind.value


def _retention(stream: StreamOptions) -> str:
    """The specification does not have an adopted stream's: its owner sets it."""
    return f"{stream.retention_hours} hours" if stream.origin is Origin.CREATE else "the stream's own retention"
