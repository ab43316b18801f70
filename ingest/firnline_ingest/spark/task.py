"""Code of a task in an executor's Python process: builds this process's services once, and ingests groups of shards.

The group outlives the task: its shards go on being read, and the next epoch finds them. It is rebuilt when the
configuration or the run changes.
"""

import json
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from firnline_ingest.config.access import HERE
from firnline_ingest.config.model import EngineConfig, PipelineConfig
from firnline_ingest.kinesis.turns import QuestionTimes, Turns
from firnline_ingest.logs import configure_logs
from firnline_ingest.proxy import use_proxy
from firnline_ingest.shard.group import ShardGroup, Watch
from firnline_ingest.shard.memory import keep_freed_memory
from firnline_ingest.shard.request import Deadline
from firnline_ingest.shard.retirement import Retirement
from firnline_ingest.spark.assignment import Assignment

AGAIN_S = 2.0
"""A task that is tried again only takes its shards on: the others' epoch is nearly over, and should not wait for a whole one."""

_groups: dict[tuple[str, str], tuple[ShardGroup, Retirement]] = {}
_schemas: dict[str, str] = {}
_question_times = QuestionTimes()


def ingest_partition(assignments: Iterable[str]) -> Iterator[str]:
    """Each assignment is a JSON document (spark/assignment.py); yields one receipt a shard, as JSON."""
    for document in assignments:
        assignment = Assignment.from_json(document)
        configure_logs(assignment.log_level)
        group, retirement = group_of(assignment)
        retirement.tick(assignment.works)
        seconds = min(assignment.seconds, AGAIN_S) if _is_tried_again() else assignment.seconds
        deadline = Deadline.after(seconds, arrival_ms=assignment.arrival_ms)
        watch = Watch(group.services.ledger, assignment.run_id)
        for receipt in group.run(assignment.works, deadline, watch):
            yield json.dumps(receipt.as_dict())


def prepare_partition(assignments: Iterable[str]) -> Iterator[str]:
    """A run is about to begin: this process has its services, and the SDK is loaded. Nothing is opened. Yields nothing."""
    from firnline_ingest.snowflake.sdk import load_sdk

    for document in assignments:
        assignment = Assignment.from_json(document)
        configure_logs(assignment.log_level)
        group_of(assignment)
        load_sdk(assignment.config.snowflake)
        yield from ()


def finish_partition(assignments: Iterable[str]) -> Iterator[str]:
    """The run ends: the shards that this process still reads prove what they sent. Yields their receipts, as JSON."""
    for document in assignments:
        assignment = Assignment.from_json(document)
        here = _groups.get((assignment.config.content_hash, assignment.run_id))
        for receipt in here[0].finish() if here is not None else ():
            yield json.dumps(receipt.as_dict())


def _is_tried_again() -> bool:
    from pyspark import TaskContext

    context = TaskContext.get()
    return context is not None and context.attemptNumber() > 0


def begin_partition(assignments: Iterable[str]) -> Iterator[str]:
    """An epoch begins in which Spark runs queries: the shards read on, and nothing is waited for. Yields nothing."""
    for document in assignments:
        assignment = Assignment.from_json(document)
        configure_logs(assignment.log_level)
        group, _ = group_of(assignment)
        group.begin(assignment.works, Deadline.after(assignment.seconds, arrival_ms=assignment.arrival_ms))
        yield from ()


def group_here(content_hash: str, run_id: str) -> ShardGroup | None:
    """Returns the run's group of this process; None where it has none yet."""
    found = _groups.get((content_hash, run_id))
    return found[0] if found else None


def group_of(assignment: Assignment) -> tuple[ShardGroup, Retirement]:
    """Returns the run's group of this process, which knows the rounds that have succeeded, and the schemas."""
    _schemas.update(assignment.schemas)
    found = _group_for(assignment.config, assignment.run_id)
    found[0].services.queries.confirm(assignment.confirmed)
    _question_times.take_place(assignment.place, assignment.among)
    return found


def _typed_by(pipeline: PipelineConfig) -> Callable[[bytes], bytes]:
    from pyspark.sql.types import StructType

    from firnline_ingest.spark.query_schema import typed_by

    assert pipeline.query is not None, "only objects of a query are typed"
    return typed_by(StructType.fromJson(json.loads(_schemas[pipeline.query.schema_])))


def _group_for(config: EngineConfig, run_id: str) -> tuple[ShardGroup, Retirement]:
    key = (config.content_hash, run_id)
    if key not in _groups:
        for stale in list(_groups):
            _groups.pop(stale)[0].close()
        group = _new_group(config, run_id)
        _groups[key] = group, Retirement(group.services)
    return _groups[key]


def _new_group(config: EngineConfig, run_id: str) -> ShardGroup:
    keep_freed_memory()
    use_proxy(config)  # before any client is made
    from firnline_ingest.aws.client import dynamodb_client
    from firnline_ingest.dead_letters import open_store
    from firnline_ingest.kinesis.clients import PerAccess, stream_clients
    from firnline_ingest.ledger.dynamodb import DynamoLedger
    from firnline_ingest.new_columns import NewColumns
    from firnline_ingest.schemas import SchemaRegistries
    from firnline_ingest.shard.work import ShardServices
    from firnline_ingest.snowflake.logins import PerLogin
    from firnline_ingest.snowflake.sdk import SdkChannels

    threads = config.epoch.shards_per_task + 2
    turns = Turns(config.fan_out.max_concurrency)
    here = stream_clients(config, turns, _question_times, HERE)
    ledger = DynamoLedger(dynamodb_client(config.aws, connections=threads), config.ledger.table)
    services = ShardServices(
        ledger=ledger,
        kinesis=here.kinesis,
        channels=(channels := SdkChannels(config)),
        of_login=PerLogin(config, lambda own: channels if own is config else SdkChannels(own)),
        dead_letters=open_store(config, connections=threads),
        new_columns=NewColumns.of(config, ledger),
        schemas=SchemaRegistries(config.aws),
        polling=config.polling,
        retries=config.retries,
        run_id=run_id,
        typed_by=_typed_by,
        subscriber=here.subscriber,
        consumers=here.consumers,
        elsewhere=PerAccess(here, partial(stream_clients, config, turns, _question_times)),
    )
    return ShardGroup(services, config.epoch.progress_seconds)
