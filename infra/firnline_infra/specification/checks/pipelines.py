"""Streams, what reads them, and the tables that pipelines fill: one definition each, shared only where both sides say so."""

from collections.abc import Callable, Iterator, Sequence
from operator import attrgetter

from firnline_infra.specification.adopted import PUBLIC, adopted_schemas
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.metadata_type import metadata_columns, metadata_type
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import application_of, table_of
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.pipeline import Pipeline, content_column, others_of
from firnline_infra.specification.source_streams import SourceStream, source_streams
from firnline_infra.specification.table import DEFINES_THE_TABLE, PipeOptions, TableKind
from firnline_infra.specification.target_tables import TargetTable, target_tables
from firnline_ingest.config.rows import MetadataForm
from firnline_ingest.errors import did_you_mean
from firnline_ingest.identifiers import DEAD_LETTERS_SUFFIX, DEFAULT_PIPE_SUFFIX, MAX_CHARACTERS, InvalidIdentifier

ONE_EACH = "each needs an environment of its own, which may write into the same database."
MINUTES_UNTIL_AN_ALARM = 15  # three periods of five


def _streams_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    """The ledger knows a stream by its name alone."""
    first: dict[str, SourceStream] = {}
    for stream in source_streams(spec):
        before = first.setdefault(stream.name, stream)
        if before is stream:
            continue
        is_same = (before.region, before.account) == (stream.region, stream.account)
        which = "another stream." if is_same else f"a stream of another region or account; {ONE_EACH}"
        yield f"{stream.path}.name: {stream.name!r} is already the name of {which}"


def _pipelines_name_streams(spec: EnvironmentSpec) -> Iterator[str]:
    names = [stream.name for stream in spec.streams]
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.stream not in names:
            hint = did_you_mean(pipeline.stream, names)
            yield f"pipelines[{index}].stream: {pipeline.stream!r} is not among the streams; {hint}"


def _a_stream_has_one_pipeline(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[str, int] = {}
    for index, pipeline in enumerate(spec.pipelines):
        if (other := first.setdefault(pipeline.stream, index)) != index:
            yield f"pipelines[{index}].stream: {pipeline.stream!r} is already read by pipelines[{other}]."


def _no_stream_is_found_twice(spec: EnvironmentSpec) -> Iterator[str]:
    """Refuses streams that two pipelines find, as far as the specification knows of them; a stream that appears later is
    refused by the engine alone."""
    named = {pipeline.stream for pipeline in spec.pipelines}
    patterns = [(index, pipeline) for index, pipeline in enumerate(spec.pipelines) if pipeline.stream_pattern]
    others = [stream.name for stream in spec.streams if stream.name not in named]
    for place, (index, pipeline) in enumerate(patterns):
        for other, earlier in patterns[:place]:
            texts = [each.stream_pattern for each in (pipeline, earlier) if each.stream_pattern]
            both = [name for name in (*others, *texts) if others_of(pipeline, [name]) and others_of(earlier, [name])]
            if both or pipeline.stream_pattern == earlier.stream_pattern:
                yield (
                    f"pipelines[{index}].stream_pattern: {pipeline.stream_pattern!r} overlaps with {earlier.stream_pattern!r} of "
                    f"pipelines[{other}]: both match {both[0] if both else pipeline.stream_pattern!r}; narrow one of them."
                )


def _a_consumer_is_made(spec: EnvironmentSpec) -> Iterator[str]:
    made = {stream.name: stream for stream in source_streams(spec)}
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.reader != "polling" and pipeline.stream in made:
            stream, place = made[pipeline.stream], f"pipelines[{index}].reader.fan_out"
            consumer_arn = pipeline.reader.fan_out.consumer_arn
            if consumer_arn is None:
                yield from _its_consumer(place, pipeline, stream.options.consumers, application_of(spec))
            elif not consumer_arn.startswith(f"{stream.arn}/consumer/"):
                # One of a stream of the same name elsewhere would bring other records under this one's shards.
                yield f"{place}.consumer_arn: {consumer_arn} is not a consumer of {stream.arn}."


MOST_CONSUMERS, MOST_CONSUMERS_ON_DEMAND = 20, 50
"""Kinesis API reference, RegisterStreamConsumer (2026-11-30): 50 where the account has on-demand advantage."""


def _a_stream_has_as_many_consumers_as_kinesis_takes(spec: EnvironmentSpec) -> Iterator[str]:
    for index, stream in enumerate(spec.streams):
        count, most = len(stream.consumers), MOST_CONSUMERS if stream.shards else MOST_CONSUMERS_ON_DEMAND
        if count > most:
            yield f"streams[{index}].consumers: {count} are given; Kinesis registers {most} with a stream."


def _its_consumer(place: str, pipeline: Pipeline, consumers: Sequence[str], application: str) -> Iterator[str]:
    assert pipeline.reader != "polling", "who polls has none"
    fan_out, stream = pipeline.reader.fan_out, pipeline.stream
    if (name := fan_out.registered_as(application)) is not None:
        if name in consumers:
            yield (
                f"{place}.consumer: the environment makes {name!r} (consumers of {stream}); say registration: none, or give "
                f"another name."
            )
    elif fan_out.consumer not in consumers:
        hint = did_you_mean(str(fan_out.consumer), consumers)
        hint = hint if consumers else f"say consumers: [{fan_out.consumer}] of the stream."
        yield f"{place}.consumer: {fan_out.consumer!r} is not among the consumers of {stream}; {hint}"


def _the_lag_alarm_comes_before_the_loss(spec: EnvironmentSpec) -> Iterator[str]:
    """An adopted stream's retention is its owner's, and not in the specification."""
    ours = [stream.retention_hours * 60 for stream in spec.streams if stream.origin is Origin.CREATE]
    shortest = min(ours, default=None)
    if shortest is not None and spec.alarms.are_made and spec.alarms.lag_minutes + MINUTES_UNTIL_AN_ALARM >= shortest:
        yield (
            f"alarms.lag_minutes: {spec.alarms.lag_minutes} wakes somebody when the first records are gone: a stream keeps "
            f"them for {shortest} minutes, and an alarm takes {MINUTES_UNTIL_AN_ALARM}. Expected less than "
            f"{shortest - MINUTES_UNTIL_AN_ALARM}."
        )


def _the_last_call_is_not_always(spec: EnvironmentSpec) -> Iterator[str]:
    """No record has more time than its stream's retention; an adopted stream's is at least 24 hours."""
    hours = [stream.retention_hours for stream in spec.streams]
    shortest = min(hours, default=None)
    if shortest is not None and spec.alarms.are_made and spec.alarms.time_to_trim_hours >= shortest:
        yield (
            f"alarms.time_to_trim_hours: {spec.alarms.time_to_trim_hours} would ring always: a stream keeps records for "
            f"{shortest} hours. Expected less than that."
        )


OF_ITS_ROWS: dict[str, Callable[[Pipeline], object]] = {
    "structured_metadata": lambda pipeline: pipeline.has_structured_metadata and metadata_type(pipeline),
    "metadata.form": lambda pipeline: pipeline.metadata.form,
    "metadata.names": lambda pipeline: pipeline.metadata.form is MetadataForm.COLUMNS and metadata_columns(pipeline),
    "metadata.column": lambda pipeline: pipeline.metadata.column,
    "content_column": content_column,
    "adds_columns": lambda pipeline: pipeline.adds_columns,
}
"""What the engine's options say of the table's columns; and the one option of tables whose default follows from others."""
DEFINED_BY: dict[str, Callable[[Pipeline], object]] = {
    **{name: attrgetter(name) for name in sorted(DEFINES_THE_TABLE)},
    **OF_ITS_ROWS,
}
"""How each of what defines a table is read; pipelines that share the table agree in all of it."""
SNOWFLAKES_OWN = "INFORMATION_SCHEMA"
SNOWFLAKES_DATABASE = "SNOWFLAKE"
"""Shared with each account, and written by nobody there (`sql-reference/snowflake-db`)."""


def _by_table(spec: EnvironmentSpec) -> dict[QualifiedName, list[TargetTable]]:
    """The pipelines of each table; a table is named once for one pipeline: checks/routes.py reports the others."""
    tables: dict[QualifiedName, dict[int, TargetTable]] = {}
    for each in target_tables(spec):
        tables.setdefault(each.name, {}).setdefault(each.place, each)
    return {table: list(sharing.values()) for table, sharing in tables.items()}


def _sharing_is_said_by_all(spec: EnvironmentSpec) -> Iterator[str]:
    tables, shared = _by_table(spec), set[int]()
    for table, sharing in tables.items():
        for each in sharing if len(sharing) > 1 else ():
            shared.add(each.place)
            if not each.pipeline.shared_table:
                others = ", ".join(other.path for other in sharing if other is not each)
                yield (
                    f"{each.path}.table: {table} is also the table of {others}; say shared_table: true in each of "
                    f"them if that is meant, or name another table."
                )
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.shared_table and index not in shared:
            table = table_of(pipeline)
            yield f"pipelines[{index}].shared_table: no other pipeline fills {table}; remove it, or correct the table."


def _a_table_has_one_definition(spec: EnvironmentSpec) -> Iterator[str]:
    for table, (wanted, *others) in _by_table(spec).items():
        for each in others:
            for name, value in DEFINED_BY.items():
                if value(each.pipeline) != value(wanted.pipeline):
                    yield (
                        f"{each.at(name)}: differs from {wanted.path}, which fills the same table {table}; "
                        f"a table is one thing, so give both the same."
                    )


def _a_pipe_has_one_definition(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[tuple[str, ...], tuple[TargetTable, PipeOptions, QualifiedName]] = {}
    for each in target_tables(spec):
        pipeline = each.pipeline
        if pipeline.pipe is None:
            continue
        name = (pipeline.database, pipeline.schema_, pipeline.pipe.name)
        other, pipe, table = first.setdefault(name, (each, pipeline.pipe, each.name))
        if (pipe, table) != (pipeline.pipe, each.name):
            yield (
                f"{each.path}.pipe.name: {'.'.join(name)} is also the pipe of {other.path}, with another "
                f"select or table; name another pipe."
            )


def _tolerance_needs_the_error_table(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline, of_a_route = each.pipeline, f" ({each.path})" if each.route else ""
        if pipeline.tolerance != "all":
            continue
        if pipeline.table_kind is TableKind.INTERACTIVE:
            yield (
                f"{each.at('tolerance')}: 'all' would lose rejected rows: an interactive table has no error "
                f"table{of_a_route}. Expected 'none'."
            )
        elif not pipeline.error_logging:
            yield f"{each.at('tolerance')}: 'all' needs error_logging{of_a_route}, or rejected rows would vanish."


def _columns_are_identifiers(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        try:
            column = str(Identifier.parse(pipeline.metadata.column))
        except InvalidIdentifier as error:
            yield f"{each.at('metadata.column')}: {error.what}"
            continue
        if column in pipeline.cluster_by and pipeline.metadata.form is not MetadataForm.COLUMNS:
            yield f"{each.path}.cluster_by: {column} is the metadata column, an object; it can't sort a table."


def _schemas_are_ours_to_make(spec: EnvironmentSpec) -> Iterator[str]:
    adopted = adopted_schemas(spec)
    for index, pipeline in enumerate(spec.pipelines):
        name = QualifiedName.of(pipeline.database, pipeline.schema_)
        if pipeline.database == SNOWFLAKES_DATABASE:
            yield f"pipelines[{index}].database: {SNOWFLAKES_DATABASE} is Snowflake's own, in every account; name another."
        if pipeline.schema_ == SNOWFLAKES_OWN:
            yield f"pipelines[{index}].schema: {SNOWFLAKES_OWN} is Snowflake's own, in every database; name another."
        elif pipeline.schema_ == PUBLIC and name not in adopted:
            yield (
                f"pipelines[{index}].schema: {PUBLIC} is made by Snowflake with every database, so it can't be made here; "
                f"adopt it in snowflake.databases, or name another."
            )


def _the_pipe_of_dead_letters_has_a_name(spec: EnvironmentSpec) -> Iterator[str]:
    longest = MAX_CHARACTERS - len(DEAD_LETTERS_SUFFIX)
    for each in target_tables(spec):
        length = len(each.name.parts[-1].name)
        if each.letters is not None and length > longest:
            yield (
                f"{each.path}.table: has {length} characters, and the stage and the pipe of file_replay are named after it with "
                f"{DEAD_LETTERS_SUFFIX}; {longest} are allowed. Shorten it, or remove file_replay."
            )


def _the_default_pipe_has_a_name(spec: EnvironmentSpec) -> Iterator[str]:
    """Snowflake makes it from the table's name, and no name may be longer than 255 characters."""
    longest = MAX_CHARACTERS - len(DEFAULT_PIPE_SUFFIX)
    for each in target_tables(spec):
        length = len(each.name.parts[-1].name)
        if each.pipeline.pipe is None and length > longest:
            yield (
                f"{each.path}.table: has {length} characters, and Snowflake adds {DEFAULT_PIPE_SUFFIX} for the "
                f"table's default pipe; {longest} are allowed. Shorten it, or give a pipe."
            )


CHECKS = (
    _streams_are_distinct,
    _pipelines_name_streams,
    _a_stream_has_one_pipeline,
    _no_stream_is_found_twice,
    _a_consumer_is_made,
    _a_stream_has_as_many_consumers_as_kinesis_takes,
    _the_lag_alarm_comes_before_the_loss,
    _the_last_call_is_not_always,
    _sharing_is_said_by_all,
    _a_table_has_one_definition,
    _a_pipe_has_one_definition,
    _tolerance_needs_the_error_table,
    _columns_are_identifiers,
    _schemas_are_ours_to_make,
    _the_default_pipe_has_a_name,
    _the_pipe_of_dead_letters_has_a_name,
)
