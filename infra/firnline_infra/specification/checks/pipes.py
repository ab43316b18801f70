"""A pipe's SELECT against its table: an expression for each column, what says which record a row is among them."""

from collections.abc import Iterator, Sequence

from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.metadata_type import metadata_columns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import table_of
from firnline_infra.specification.pipeline import Pipeline, content_column
from firnline_infra.specification.table import TableKind
from firnline_infra.specification.target_tables import target_tables
from firnline_ingest.config.pipe_select import Selected, UnreadableSelect, lost_position, selected
from firnline_ingest.errors import counted
from firnline_ingest.identifiers import InvalidIdentifier, quoted


def _a_select_fills_its_table(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        if pipeline.pipe is None or pipeline.pipe.select is None:
            continue
        path = each.at("pipe.select")
        try:
            expressions = selected(pipeline.pipe.select)
            columns = _columns(pipeline)
        except UnreadableSelect as error:
            yield f"{path}: can't be read: {error}."
            continue
        except InvalidIdentifier:  # told by another check
            continue
        wrong = [f"{path}: {each}" for each in _misplaced(pipeline, expressions, columns)]
        yield from wrong or _lost(path, pipeline, expressions, columns)


def _columns(pipeline: Pipeline) -> Sequence[str]:
    """The columns of a table that is made here, in their order; none if nobody here knows them."""
    if pipeline.table_origin is not ObjectOrigin.CREATE:
        return ()
    content = content_column(pipeline)
    declared = [Identifier.parse(each.name).name for each in pipeline.columns]
    return [*metadata_columns(pipeline), *([content[0]] if content else []), *declared]


def _misplaced(pipeline: Pipeline, expressions: Sequence[Selected], columns: Sequence[str]) -> Iterator[str]:
    if not columns:
        return
    order = ", ".join(columns)
    if len(expressions) != len(columns):
        yield (
            f"has {counted(len(expressions), 'expression')}, and the table {table_of(pipeline)} has "
            f"{counted(len(columns), 'column')}: {order}; give one for each, in that order."
        )
        return
    for column, each in zip(columns, expressions, strict=True):
        if each.alias != column and each.alias in columns:
            yield (
                f"{each.alias} stands at the place of the column {column}: COPY goes by the order, {order}, and by no alias."
            )
            return


def _lost(path: str, pipeline: Pipeline, expressions: Sequence[Selected], columns: Sequence[str]) -> Iterator[str]:
    if not pipeline.audit:
        return
    if lost := lost_by(pipeline, expressions, columns):
        named = ", ".join(f"$1:{quoted(name)}" for name in lost)
        yield (
            f"{path}: does not put {named} at the place of that column, so that no row says which record it is, and nothing can "
            f"prove that all are there (keys behind $1 keep their case); select it, or set audit: false if that is meant."
        )


def lost_by(pipeline: Pipeline, expressions: Sequence[Selected], columns: Sequence[str]) -> list[str]:
    """The columns of a position that the SELECT loses. Where nobody here knows the table's columns, each expression that is one
    key counts as that key's own.
    """
    places = columns or [each.path[0] if each.path else "" for each in expressions]
    are_numbered = pipeline.format.makes_several_rows
    return lost_position(expressions, places, pipeline.metadata, are_numbered=are_numbered)


def is_position_lost(pipeline: Pipeline) -> bool:
    """Returns whether its pipe is refused for what its SELECT leaves out of the metadata."""
    return pipeline.audit and may_lose_position(pipeline)


def may_lose_position(pipeline: Pipeline) -> bool:
    """Returns whether its pipe leaves out which records rows are, or is another's, who alone knows."""
    if pipeline.pipe is None:
        return False
    if pipeline.pipe.select is None:
        return True
    try:
        return bool(lost_by(pipeline, selected(pipeline.pipe.select), _columns(pipeline)))
    except (UnreadableSelect, InvalidIdentifier):
        return True  # told by another check


def _keys_become_no_columns(spec: EnvironmentSpec) -> Iterator[str]:
    """`user-guide/snowpipe-streaming/snowpipe-streaming-high-performance-migration`: evolution needs MATCH_BY_COLUMN_NAME."""
    for each in target_tables(spec):
        pipeline = each.pipeline
        evolves = pipeline.schema_evolution and pipeline.table_kind is not TableKind.INTERACTIVE
        if evolves and pipeline.pipe is not None and pipeline.pipe.select is not None:
            yield (
                f"{each.at('schema_evolution')}: a table does not evolve behind a pipe that selects: what no expression "
                f"names is not kept. Say schema_evolution: false, or remove the pipe."
            )


def _a_pipe_is_of_the_table_it_is_called(spec: EnvironmentSpec) -> Iterator[str]:
    """Refuses another table's pipe with a table's name: for a table without a pipe of its own the engine takes the one with
    the table's name."""
    taken = {each.name: each for each in target_tables(spec) if each.pipeline.pipe is None}
    letters = {each.letters: each for each in target_tables(spec) if each.letters is not None}
    for each in target_tables(spec):
        if (name := each.pipe) is None:
            continue
        path = each.at("pipe.name")
        if (other := taken.get(name)) and name != each.name:
            yield (
                f"{path}: {name} is also the name of the table of {other.path}, which would be filled through this pipe; "
                f"name another pipe."
            )
        if other := letters.get(name):
            yield f"{path}: {name} is also the pipe that {other.at('file_replay')} makes; name another pipe."


CHECKS = (_a_select_fills_its_table, _keys_become_no_columns, _a_pipe_is_of_the_table_it_is_called)
