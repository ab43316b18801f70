"""Checks that a pipe and a table's columns do with a row what its pipeline expects: a pipe of one's own is checked against the
statement that it was made with.

A pipe whose statement is hidden from the role, or is not understood, is taken as it is.
"""

from collections.abc import Callable, Iterable, Sequence

from firnline_ingest.config.model import PipelineConfig
from firnline_ingest.config.pipe_select import PipeDefinition, lost_position, position_columns
from firnline_ingest.config.rows import PipeRows
from firnline_ingest.identifiers import quoted
from firnline_ingest.snowflake.listing import Row
from firnline_ingest.snowflake.target_errors import (
    PipeFilters,
    PipeLeadsElsewhere,
    PipeReadsFiles,
    PositionColumnMissing,
    PositionLost,
)


def loads_files(pipe: Row) -> bool:
    """Such a pipe can't be streamed into, whatever its name. `pipe` is a row of SHOW PIPES."""
    definition = _definition(pipe)
    return definition is not None and not definition.is_streaming


def matches_by_name(pipe: Row | None, pipeline: PipelineConfig) -> bool:
    """Returns whether keys are columns by their names. None for the table's default pipe, whose table may have a SELECT."""
    if pipe is None:
        return not pipeline.pipe_selects
    definition = _definition(pipe)
    return definition is not None and definition.selected is None


def check_pipe(
    pipe: Row, pipeline: PipelineConfig, table: tuple[str, str, str], columns: Callable[[], Sequence[str]]
) -> None:
    """`columns` are the table's, in their order, for a SELECT that names none. Raises PipeReadsFiles, PipeLeadsElsewhere,
    PipeFilters, PositionLost, and what `columns` does.
    """
    definition, name = _definition(pipe), ".".join(map(quoted, (*table[:2], str(pipe["name"]))))
    if definition is None:
        return
    if not definition.is_streaming:
        raise PipeReadsFiles(name)
    if definition.table != table[-len(definition.table) :]:
        raise PipeLeadsElsewhere(name, ".".join(map(quoted, definition.table)), ".".join(map(quoted, table)))
    if definition.selected is None or not pipeline.audit:
        return
    if definition.rows not in (PipeRows.ONE, pipeline.pipe_rows) and pipeline.pipe_rows is not PipeRows.SEVERAL:
        raise PipeFilters(name, definition.beyond, definition.rows)
    filled = definition.columns or columns()
    are_numbered = pipeline.format.makes_several_rows
    if lost := lost_position(definition.selected, filled, pipeline.metadata, are_numbered=are_numbered):
        raise PositionLost(name, lost)


def check_columns(pipeline: PipelineConfig, table: tuple[str, str, str], columns: Iterable[str]) -> None:
    """Checks a table with a fixed schema, whose columns are matched by name. Raises PositionColumnMissing."""
    there = {column.upper() for column in columns}
    wanted = position_columns(pipeline.metadata, are_numbered=pipeline.format.makes_several_rows)
    if lacking := [name for name in wanted if name.upper() not in there]:
        raise PositionColumnMissing(".".join(map(quoted, table)), lacking)


def _definition(pipe: Row) -> PipeDefinition | None:
    return PipeDefinition.read(str(pipe.get("definition") or ""))
