"""Everything that can be checked before records flow: the machine, the ledger, the streams, Snowflake's tables.

A suite of checks: each raises an error that names the object, the cause and the next step. All of them run, so that one report
has all that is wrong.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from uuid import UUID

from firnline_ingest.checks import Check, Finding, Report, Rule, Suite, Verdict, findings_of, good, unknown
from firnline_ingest.config.model import EngineConfig, PatternConfig, PipelineConfig
from firnline_ingest.errors import FirnlineError

RULES = {
    "machine": Rule("Java, Spark, a folder or the HTTP proxy of this machine is not what the engine needs."),
    "dead letters": Rule("Dead letters could not be kept."),
    "ledger": Rule("The ledger is missing, or can't be reached."),
    "streams": Rule("A stream, or what is said of it, can't be read as it is configured."),
    "snowflake": Rule("A table, its pipe or a right is missing, or Snowflake can't be reached."),
}
ATTEMPTS = 5
"""Of a request to Kinesis: what throttles passes, and says nothing of what is right."""
UNORDERED = (
    "records go to any shard (AUTO): rows of a partition key are in no order, and aggregates of a KPL are misplaced"
)
VALIDATE = Suite(name="validate", rules=RULES, first=Verdict.WRONG, lists_good=True)


class Unchecked(Exception):
    """Reason why a check has no answer: the error of another check, whose reason and next step are this one's too."""

    def __init__(self, what: str, because: FirnlineError | None = None) -> None:
        super().__init__(f"{what}, because {because.id}: {because.what}" if because else what)
        self.next_step = because.next_step if because else "validate it where the engine runs"


def validate(config: EngineConfig) -> Report:
    """Changes nothing, but for the label of a bucket's folder for dead letters, and a file that is in a stage for a moment."""
    found = tuple(finding for check in _checks(config) for finding in findings_of(check, incomplete=()))
    return Report(suite=VALIDATE, environment=config.application, findings=found)


def found_on_paper(config: EngineConfig) -> list[Finding]:
    """Returns what each pipeline's rows can't be made by, in the engine's own words.

    No account and no service is asked, and no callable imported: that is in the artefact. A pattern's streams are not
    known here.
    """
    found: list[Finding] = []
    for pipeline in config.pipelines:
        plain = [each for each in pipeline.transforms if not each.functions]
        alone = pipeline.model_copy(update={"transforms": plain, "query": None})
        check = _check("streams", f"format of {pipeline.stream}", partial(_format, alone))
        found += [each for each in findings_of(check, incomplete=()) if each.verdict is Verdict.WRONG]
    return found


def _checks(config: EngineConfig) -> Iterator[Check]:
    if config.proxy is not None:
        yield _check("machine", "proxy", partial(_proxy, config))
    yield _check("machine", "java", _java)
    yield _check("machine", "checkpoint", partial(_checkpoint, config))
    yield _check("dead letters", "dead letters", partial(_dead_letters, config))
    yield _check("ledger", "ledger", partial(_ledger, config))
    for pattern in config.patterns:
        yield _check("streams", f"streams {pattern.streams}", partial(_pattern, config, pattern))
    config = _with_streams_found(config)
    for pipeline in config.pipelines:
        yield from (_check("streams", f"{what} {pipeline.stream}", look) for what, look in _looks(config, pipeline))
    yield from _snowflake(config)


def _looks(config: EngineConfig, pipeline: PipelineConfig) -> Iterator[tuple[str, Callable[[], str]]]:
    yield "stream", partial(_stream, config, pipeline)
    yield "losses of", partial(_losses, config, pipeline)
    if pipeline.initial_position.timestamp is not None:
        yield "position of", partial(_position, config, pipeline)
    if pipeline.reader != "polling":
        yield "consumer of", partial(_consumer, config, pipeline)
    if pipeline.format.type != "json":
        yield "format of", partial(_format, pipeline)
    if pipeline.format.asks_glue or pipeline.format.confluent_registry is not None:
        yield "registry of", partial(_registry, config, pipeline)
    if pipeline.transforms:
        yield "transforms of", partial(_transforms, pipeline)
    if pipeline.query is not None:
        yield "query of", partial(_query, pipeline)


def _check(rule: str, name: str, look: Callable[[], str]) -> Check:
    """`look` returns what is there, and raises FirnlineError where that is wrong."""

    def run() -> Iterator[Finding]:
        try:
            yield good(name, look())
        except Unchecked as unchecked:
            yield unknown(name, str(unchecked), next_step=unchecked.next_step)

    return Check(name=name, rule=rule, run=run)


def _proxy(config: EngineConfig) -> str:
    from firnline_ingest.spark.machine import check_proxy

    return check_proxy(config)


def _java() -> str:
    from firnline_ingest.spark.machine import check_java

    return check_java()


def _checkpoint(config: EngineConfig) -> str:
    """A path is looked at where it is one of this machine, a URL by the Spark that is here."""
    from firnline_ingest.spark.machine import check_folder, check_java, check_spark

    place = config.spark.checkpoint
    if "://" not in place:
        if not (config.spark.master or "").startswith("local"):
            raise Unchecked(f"{place} is a path of the machine where Spark's driver runs")
        check_folder(Path(place))
        return place
    try:
        check_java()
        check_spark()
    except FirnlineError as error:  # which the check of Java has reported, or the program that starts Spark here
        raise Unchecked(f"{place}, not looked at", error) from error
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

    found = matches(config, list_streams(kinesis_client(config.aws, attempts=ATTEMPTS)).names)
    for stream, overlap in found.overlaps.items():
        if pattern in that_match(config.patterns, stream):
            raise overlap
    streams = [stream for stream in found.pipelines if that_match([pattern], stream)]
    if not streams:
        raise NothingMatches(pattern)
    return ", ".join(streams)


def _with_streams_found(config: EngineConfig) -> EngineConfig:
    """The configuration as it is, where they can't be listed, or overlap: the checks of the patterns have reported that."""
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.matching import resolved

    try:
        return resolved(config, kinesis_client(config.aws, attempts=ATTEMPTS)) if config.patterns else config
    except FirnlineError:
        return config


def _stream(config: EngineConfig, pipeline: PipelineConfig) -> str:
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage, read_summary

    client = kinesis_client(config.aws, access=pipeline.access, attempts=ATTEMPTS)
    summary = read_summary(client, pipeline.stream)
    lineage = read_lineage(client, pipeline.stream, summary)
    listed = f"{len(lineage.shards)} shards listed, {lineage.retention_hours} h of retention"
    return f"{listed}; {UNORDERED}" if summary.ignores_keys else listed


def _transforms(pipeline: PipelineConfig) -> str:
    from firnline_ingest.records.chain import Chain

    Chain(pipeline.transforms, stream=pipeline.stream, shard_id="")
    return f"{', '.join(each.type for each in pipeline.transforms)}: {pipeline.conversion_hash}"


def _query(pipeline: PipelineConfig) -> str:
    """Raises CallableUnusable where its function's module is not here."""
    return f"{pipeline.conversion_hash}; Spark's plan of it is looked at when the engine starts"


def _losses(config: EngineConfig, pipeline: PipelineConfig) -> str:
    """Describes what left retention unread: it is not a problem that a start would meet, and is reported so that it is not
    overlooked.
    """
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.ledger.losses import losses
    from firnline_ingest.ledger.provision import existing_ledger

    try:
        ledger = existing_ledger(config)
        client = kinesis_client(config.aws, access=pipeline.access, attempts=ATTEMPTS)
        incarnation = read_lineage(client, pipeline.stream).incarnation
        found = list(losses(ledger.rows(incarnation).values())) if ledger else []
    except FirnlineError as error:  # which the checks of the ledger and of the stream have reported
        raise Unchecked("not known", error) from error
    return "; ".join(found) or "none on record"


def _position(config: EngineConfig, pipeline: PipelineConfig) -> str:
    """Checks the initial position of a stream that was never read; others go on where they were. Raises StartInFuture."""
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.lineage import read_lineage
    from firnline_ingest.kinesis.pin import initial_pin
    from firnline_ingest.ledger.provision import existing_ledger

    client = kinesis_client(config.aws, access=pipeline.access, attempts=ATTEMPTS)
    try:
        ledger = existing_ledger(config)
        if ledger and ledger.rows(read_lineage(client, pipeline.stream).incarnation):
            return "as the ledger says: the stream was read before"
    except FirnlineError as error:  # which the checks of the ledger and of the stream have reported
        raise Unchecked("not known", error) from error
    initial_pin(pipeline.initial_position, client, pipeline.stream)
    return f"{pipeline.initial_position.timestamp}"


def _consumer(config: EngineConfig, pipeline: PipelineConfig) -> str:
    """Raises ConsumerMissing, ConsumerElsewhere, and SubscriptionTaken while it is being made."""
    from firnline_ingest.kinesis.client import kinesis_client
    from firnline_ingest.kinesis.consumers import Consumers

    if pipeline.reader == "polling" or pipeline.reader.fan_out.consumer_arn is None:
        return "which the engine registers when it starts"
    arn = pipeline.reader.fan_out.consumer_arn
    Consumers(kinesis_client(config.aws, access=pipeline.access, attempts=ATTEMPTS)).make_sure_of(pipeline.stream, arn)
    return arn


def _format(pipeline: PipelineConfig) -> str:
    """Makes what a shard makes its rows with. Registries are not asked. Raises ConfigError."""
    from firnline_ingest.records.rows import RowMaker

    RowMaker(pipeline.model_copy(update={"query": None}), pipeline.stream, "", lambda _: lambda _id: None)
    return pipeline.format.type


def _registry(config: EngineConfig, pipeline: PipelineConfig) -> str:
    """Asks for a schema that no registry has. Raises SchemaRegistryError."""
    from firnline_ingest.schemas.registries import SchemaRegistries

    of = pipeline.format
    SchemaRegistries(config.aws)(of)(UUID(int=0) if of.asks_glue else 0)
    return of.confluent_registry.url if of.confluent_registry else f"AWS Glue in {config.aws.region}"


def _snowflake(config: EngineConfig) -> Iterator[Check]:
    """Tables are asked for where the connection is good, and the engine's own client is opened where a table is."""
    from firnline_ingest.snowflake.client_probe import check_login, probe_client
    from firnline_ingest.snowflake.target import TargetCatalog, TargetState

    refused, found = dict[str, FirnlineError](), dict[str, TargetState]()

    def connection(own: EngineConfig) -> str:
        try:
            return check_login(own)
        except FirnlineError as error:
            refused[own.snowflake.user] = error
            raise

    def table(pipeline: PipelineConfig) -> str:
        if (error := refused.get(config.logged_in_for(pipeline).snowflake.user)) is not None:
            raise Unchecked("not known", error)
        state = catalog.state_of(pipeline)
        found.setdefault(config.logged_in_for(pipeline).snowflake.user, state)
        return str(state.target)

    def files(pipeline: PipelineConfig) -> str:
        from firnline_ingest.dead_letters.file_probe import probe_files

        if (error := refused.get(config.logged_in_for(pipeline).snowflake.user)) is not None:
            raise Unchecked("not known", error)
        return f"pipe {probe_files(config, pipeline, catalog.state_of(pipeline))}"

    def client(own: EngineConfig, state: TargetState) -> str:
        probe_client(own, state.target)
        return f"opened by the SDK for pipe {state.target.pipe}"

    users = {own.snowflake.user: own for own in (*map(config.logged_in_for, config.pipelines), config)}
    for user, own in users.items():
        name = "snowflake" if own is config else f"snowflake as {user}"
        yield _check("snowflake", name, partial(connection, own))
    catalog = TargetCatalog(config)
    try:
        for pipeline in config.pipelines:
            yield _check("snowflake", f"table of {pipeline.stream}", partial(table, pipeline))
            if pipeline.goes_by_file:
                yield _check("snowflake", f"files of {pipeline.stream}", partial(files, pipeline))
        for user, state in found.items():
            yield _check("snowflake", f"client of {user}", partial(client, users[user], state))
    finally:
        catalog.close()
