"""What the parts of a specification owe to one another; each part alone is checked by its model."""

import difflib
from collections.abc import Iterator

from firnline_infra.spec.identifier import Identifier, QualifiedName
from firnline_infra.spec.model import EnvironmentSpec
from firnline_infra.spec.names import table_of
from firnline_ingest.snowflake.identifiers import InvalidIdentifier


def problems(spec: EnvironmentSpec) -> Iterator[str]:
    """One sentence for each, beginning with its path in the document."""
    yield from _streams_are_distinct(spec)
    yield from _pipelines_name_streams(spec)
    yield from _a_stream_has_one_pipeline(spec)
    yield from _a_table_has_one_definition(spec)
    yield from _tolerance_needs_the_error_table(spec)
    yield from _metadata_columns_are_identifiers(spec)


def _streams_are_distinct(spec: EnvironmentSpec) -> Iterator[str]:
    seen: set[str] = set()
    for index, stream in enumerate(spec.streams):
        if stream.name in seen:
            yield f"streams[{index}].name: {stream.name!r} is already the name of another stream."
        seen.add(stream.name)


def _pipelines_name_streams(spec: EnvironmentSpec) -> Iterator[str]:
    names = sorted({stream.name for stream in spec.streams})
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.stream not in names:
            near = difflib.get_close_matches(pipeline.stream, names, n=1)
            hint = f"did you mean {near[0]!r}?" if near else f"expected one of: {', '.join(names)}."
            yield f"pipelines[{index}].stream: {pipeline.stream!r} is not among the streams; {hint}"


def _a_stream_has_one_pipeline(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[str, int] = {}
    for index, pipeline in enumerate(spec.pipelines):
        if (other := first.setdefault(pipeline.stream, index)) != index:
            yield f"pipelines[{index}].stream: {pipeline.stream!r} is already read by pipelines[{other}]."


def _a_table_has_one_definition(spec: EnvironmentSpec) -> Iterator[str]:
    """Several streams may fill one table, but they have to agree on what the table is."""
    first: dict[QualifiedName, tuple[int, object]] = {}
    for index, pipeline in enumerate(spec.pipelines):
        table = table_of(pipeline)
        switches = (pipeline.schema_evolution, pipeline.error_logging, pipeline.row_timestamp, pipeline.metadata.column)
        other, wanted = first.setdefault(table, (index, switches))
        if wanted != switches:
            yield (
                f"pipelines[{index}].table: {table} is also the table of pipelines[{other}]; both need the same "
                f"schema_evolution, error_logging, row_timestamp and metadata.column."
            )


def _tolerance_needs_the_error_table(spec: EnvironmentSpec) -> Iterator[str]:
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.tolerance == "all" and not pipeline.error_logging:
            yield f"pipelines[{index}].tolerance: 'all' needs error_logging, or rejected rows would vanish."


def _metadata_columns_are_identifiers(spec: EnvironmentSpec) -> Iterator[str]:
    for index, pipeline in enumerate(spec.pipelines):
        try:
            Identifier.parse(pipeline.metadata.column)
        except InvalidIdentifier as error:
            yield f"pipelines[{index}].metadata.column: {error.what}"
