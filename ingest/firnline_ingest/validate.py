"""Everything that can be checked before records flow: the machine, the ledger, the streams, Snowflake's tables.

Each check raises an error that names the object, the cause and the next step; all of them run, so that one look shows
all that is wrong.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING
from uuid import UUID

from firnline_ingest.config.model import EngineConfig, PatternConfig, PipelineConfig
from firnline_ingest.errors import FirnlineError

if TYPE_CHECKING:
    from firnline_ingest.snowflake.target import TargetCatalog


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at; `problem` is None where it is as it should be."""

    name: str
    found: str
    problem: FirnlineError | None = None
    is_checked: bool = True
    """False if something else that is wrong, which a check of its own names, kept this one from an answer."""


class Unchecked(Exception):
    """What could not be looked at, and the id of the error that says why."""


def validate(config: EngineConfig) -> Iterator[Check]:
    """Yields as it goes; changes nothing, but for the label of a bucket's folder for dead letters."""
    yield _checked("java", _java)
    yield _checked("checkpoint", partial(_checkpoint, config))
    yield _checked("dead letters", partial(_dead_letters, config))
    yield _checked("ledger", partial(_ledger, config))
    for pattern in config.patterns:
        yield _checked(f"streams {pattern.streams}", partial(_pattern, config, pattern))
    config = _with_streams_found(config)
    for pipeline in config.pipelines:
        yield _checked(f"stream {pipeline.stream}", partial(_stream, config, pipeline))
        yield _checked(f"losses of {pipeline.stream}", partial(_losses, config, pipeline))
        if pipeline.initial_position.timestamp is not None:
            yield _checked(f"position of {pipeline.stream}", partial(_position, config, pipeline))
        if pipeline.reader != "polling":
            yield _checked(f"consumer of {pipeline.stream}", partial(_consumer, config, pipeline))
        if pipeline.format.type != "json":
            yield _checked(f"format of {pipeline.stream}", partial(_format, pipeline))
        if pipeline.format.asks_glue or pipeline.format.confluent_registry is not None:
            yield _checked(f"registry of {pipeline.stream}", partial(_registry, config, pipeline))
        if pipeline.transforms:
            yield _checked(f"transforms of {pipeline.stream}", partial(_transforms, pipeline))
    yield from _snowflake(config)


def _checked(name: str, look: Callable[[], str]) -> Check:
    try:
        return Check(name, look())
    except Unchecked as unchecked:
        return Check(name, str(unchecked), is_checked=False)
    except FirnlineError as error:
        return Check(name, "", error)


def _java() -> str:
    from firnline_ingest.spark.machine import check_java

    return check_java()


def _checkpoint(config: EngineConfig) -> str:
    """A path is looked at where it is one of this machine, a URL by the Spark that is here."""
    from firnline_ingest.spark.machine import check_folder, check_java, check_spark

    place = config.spark.checkpoint
    if "://" not in place:
        if (config.spark.master or "").startswith("local"):
            check_folder(Path(place))
        return place
    try:
        check_java()
        check_spark()
    except FirnlineError as error:  # which the check of Java has told, or whoever starts Spark here
        raise Unchecked(f"{place}, not looked at ({error.id})") from error
    from firnline_ingest.spark.checkpoint import check_checkpoint

    return check_checkpoint(config)


def _dead_letters(config: EngineConfig) -> str:
    from firnline_ingest.dead_letters import check_place
    from firnline_ingest.spark.machine import check_folder

    place = check_place(config)
    if config.dead_letters.folder is not None:
        check_folder(config.dead_letters.folder)
    return place


def _ledger(config: EngineConfig) -> str:
    from firnline_ingest.ledger.provision import check_ledger

    is_there = check_ledger(config)
    return f"table {config.ledger.table}" + ("" if is_there else ", which the engine makes when it starts")


def _pattern(config: EngineConfig, pattern: PatternConfig) -> str:
    """Raises NothingMatches and PatternsOverlap."""
    from firnline_ingest.config.patterns import that_match
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.matching import NothingMatches, list_streams, matches

    found = matches(config, list_streams(kinesis_client(config.aws)).names)
    for stream, overlap in found.overlaps.items():
        if pattern in that_match(config.patterns, stream):
            raise overlap
    streams = [stream for stream in found.pipelines if that_match([pattern], stream)]
    if not streams:
        raise NothingMatches(pattern)
    return ", ".join(streams)


def _with_streams_found(config: EngineConfig) -> EngineConfig:
    """The configuration as it is, where they can't be listed, or overlap: the checks of the patterns have told that."""
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.matching import resolved

    try:
        return resolved(config, kinesis_client(config.aws)) if config.patterns else config
    except FirnlineError:
        return config


def _stream(config: EngineConfig, pipeline: PipelineConfig) -> str:
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage

    lineage = read_lineage(kinesis_client(config.aws, access=pipeline.access), pipeline.stream)
    return f"{len(lineage.shards)} shards listed, {lineage.retention_hours} h of retention"


def _transforms(pipeline: PipelineConfig) -> str:
    from firnline_ingest.records.chain import Chain

    Chain(pipeline.transforms, stream=pipeline.stream, shard_id="")
    return f"{', '.join(each.type for each in pipeline.transforms)}: {pipeline.conversion_hash}"


def _losses(config: EngineConfig, pipeline: PipelineConfig) -> str:
    """What left retention unread is no problem that a start would meet: it is said, so that nobody overlooks it."""
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.ledger.losses import losses
    from firnline_ingest.ledger.provision import existing_ledger

    try:
        ledger = existing_ledger(config)
        client = kinesis_client(config.aws, access=pipeline.access)
        incarnation = read_lineage(client, pipeline.stream).incarnation
        found = list(losses(ledger.rows(incarnation).values())) if ledger else []
    except FirnlineError as error:  # which the checks of the ledger and of the stream have told
        raise Unchecked(f"not known ({error.id})") from error
    return "\n      ".join(found) or "none on record"


def _position(config: EngineConfig, pipeline: PipelineConfig) -> str:
    """Of a stream that was never read: where it was, the engine goes on. Raises StartInFuture."""
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.kinesis.pin import initial_pin
    from firnline_ingest.ledger.provision import existing_ledger

    client = kinesis_client(config.aws, access=pipeline.access)
    try:
        ledger = existing_ledger(config)
        if ledger and ledger.rows(read_lineage(client, pipeline.stream).incarnation):
            return "as the ledger says: the stream was read before"
    except FirnlineError as error:  # which the checks of the ledger and of the stream have told
        raise Unchecked(f"not known ({error.id})") from error
    initial_pin(pipeline.initial_position, client, pipeline.stream)
    return f"{pipeline.initial_position.timestamp}"


def _consumer(config: EngineConfig, pipeline: PipelineConfig) -> str:
    """Raises ConsumerMissing, ConsumerElsewhere, and SubscriptionTaken while it is being made."""
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.consumers import Consumers

    if pipeline.reader == "polling" or pipeline.reader.fan_out.consumer_arn is None:
        return "which the engine registers when it starts"
    arn = pipeline.reader.fan_out.consumer_arn
    Consumers(kinesis_client(config.aws, access=pipeline.access)).make_sure_of(pipeline.stream, arn)
    return arn


def _format(pipeline: PipelineConfig) -> str:
    """Makes what a shard makes its rows with. Registries are not asked. Raises ConfigError."""
    from firnline_ingest.records.rows import RowMaker

    RowMaker(pipeline, pipeline.stream, "", lambda _: lambda _id: None)
    return pipeline.format.type


def _registry(config: EngineConfig, pipeline: PipelineConfig) -> str:
    """Asks for a schema that no registry has. Raises SchemaRegistryError."""
    from firnline_ingest.schemas.registries import SchemaRegistries

    of = pipeline.format
    SchemaRegistries(config.aws)(of)(UUID(int=0) if of.asks_glue else 0)
    return of.confluent_registry.url if of.confluent_registry else f"AWS Glue in {config.aws.region}"


def _snowflake(config: EngineConfig) -> Iterator[Check]:
    from firnline_ingest.snowflake.key import load_key
    from firnline_ingest.snowflake.preflight import check_connection
    from firnline_ingest.snowflake.target import TargetCatalog

    connection = _checked("snowflake", lambda: check_connection(config.snowflake, load_key(config)))
    yield connection
    if connection.problem is not None:
        return
    catalog = TargetCatalog(config)
    try:
        for pipeline in config.pipelines:
            yield _checked(f"table of {pipeline.stream}", partial(_table, catalog, pipeline))
    finally:
        catalog.close()


def _table(catalog: "TargetCatalog", pipeline: PipelineConfig) -> str:
    return str(catalog.state_of(pipeline).target)
