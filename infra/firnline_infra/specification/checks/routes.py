"""Routes: each value leads to one table, each table is named once, and nothing is asked that one table alone can have."""

from collections.abc import Iterator

from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.routes import RoutedTable
from firnline_infra.specification.target_tables import TargetTable, target_tables
from firnline_ingest.identifiers import routed_channel


def _tables_are_named_once(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[tuple[int, QualifiedName], TargetTable] = {}
    for each in target_tables(spec):
        table = each.name
        other = first.setdefault((each.place, table), each)
        if other is each:
            continue
        if other.route is None:
            yield (
                f"{each.path}.table: {table} is the pipeline's own table; remove the route and say unmatched: own_table, or name "
                f"another table."
            )
        else:
            yield f"{each.path}.table: {table} is already the table of {other.path}; put its values into that one."


def _a_value_leads_to_one_table(spec: EnvironmentSpec) -> Iterator[str]:
    first: dict[tuple[int, str], str] = {}
    for path, index, route in _routes(spec):
        seen = set[str]()
        for value in route.values:
            other = first.setdefault((index, value), path)
            if value in seen:
                yield f"{path}.values: {value!r} is given twice."
            elif other != path:
                yield f"{path}.values: {value!r} leads to {other} already; a record goes to one table."
            seen.add(value)


def _a_pipe_has_its_tables_name(spec: EnvironmentSpec) -> Iterator[str]:
    for path, _, route in _routes(spec):
        if route.pipe is not None and Identifier.parse(route.pipe.name) != Identifier.parse(route.table):
            yield f"{path}.pipe.name: the engine takes the pipe that has the table's name; expected {route.table}."


def _channels_are_told_apart(spec: EnvironmentSpec) -> Iterator[str]:
    """A name in quotes is a digest there, which is a table's name too."""
    first: dict[tuple[int, str], RoutedTable] = {}
    for path, index, route in _routes(spec):
        other = first.setdefault((index, routed_channel("", Identifier.parse(route.table).name)), route)
        if Identifier.parse(other.table) != Identifier.parse(route.table):
            yield f"{path}.table: {route.table} and {other.table} would have channels of one name; rename one of them."


def _one_table_is_meant(spec: EnvironmentSpec) -> Iterator[str]:
    for index, pipeline in enumerate(spec.pipelines):
        if pipeline.routes is None:
            continue
        path = f"pipelines[{index}]"
        if pipeline.stream_pattern is not None:
            yield f"{path}.stream_pattern: streams that it finds have no routes; give each a pipeline, or remove it."


def _routes(spec: EnvironmentSpec) -> Iterator[tuple[str, int, RoutedTable]]:
    return ((each.path, each.place, each.route) for each in target_tables(spec) if each.route is not None)


CHECKS = (
    _tables_are_named_once,
    _a_value_leads_to_one_table,
    _a_pipe_has_its_tables_name,
    _channels_are_told_apart,
    _one_table_is_meant,
)
