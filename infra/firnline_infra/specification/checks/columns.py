"""Declared columns: each once, of a type that its kind of table has; and an interactive table with all that is to be kept."""

from collections.abc import Iterator, Mapping

from firnline_infra.specification.column_type import ColumnType
from firnline_infra.specification.iceberg_types import iceberg_lacks
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.metadata_type import metadata_columns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.table import TableKind, TablePrivilege
from firnline_infra.specification.target_tables import target_tables
from firnline_ingest.config.pipe_select import UnreadableSelect, selected
from firnline_ingest.errors import did_you_mean
from firnline_ingest.identifiers import InvalidIdentifier

NESTED = {"VARIANT", "OBJECT", "ARRAY"}


def _each_is_declared_once(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        seen = {name.upper(): "a metadata column" for name in _metadata_columns(pipeline)}
        for number, column in enumerate(pipeline.columns):
            path = each.at(f"columns[{number}]")
            if (other := seen.setdefault(Identifier.parse(column.name).name.upper(), path)) != path:
                yield f"{path}.name: {column.name} is also {other}; keys are matched whatever their case, so name another."


def _each_type_is_one_of_its_table(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        for number, column in enumerate(pipeline.columns):
            kind, path = ColumnType.parse(column.type), each.at(f"columns[{number}].type")
            why = iceberg_lacks(kind, pipeline.iceberg_version)
            if why and pipeline.table_kind is TableKind.ICEBERG:
                yield f"{path}: {why}."
            elif kind.parts and pipeline.table_kind is not TableKind.ICEBERG:
                loose = "ARRAY" if kind.family == "ARRAY" else "OBJECT"
                yield f"{path}: structured types are taken for Iceberg tables alone; expected {loose}, or table_kind: iceberg."
            elif kind.family == "LONG" and pipeline.table_kind is not TableKind.ICEBERG:
                yield f"{path}: LONG is a type of Iceberg tables alone; expected NUMBER(19, 0), or table_kind: iceberg."


def _structured_metadata_has_a_part(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        if pipeline.has_structured_metadata and not pipeline.metadata.parts(are_numbered=False):
            yield (
                f"{each.at('metadata')}: every part is off, so that its column would be an OBJECT without a key; switch "
                f"one on: the audit needs shard_id and sequence_number."
            )


def _an_interactive_table_keeps_what_it_is_sent(spec: EnvironmentSpec) -> Iterator[str]:
    """The table's schema doesn't evolve (create-interactive-table): a key without a column is dropped, row by row."""
    for each in target_tables(spec):
        pipeline = each.pipeline
        if pipeline.table_kind is not TableKind.INTERACTIVE:
            continue
        declared = [column.name for column in pipeline.columns]
        if not set(declared) - set(pipeline.cluster_by) and pipeline.content_column is None:
            yield (
                f"{each.path}.columns: an interactive table never gets another column, so every value but its "
                f"cluster_by would be dropped; declare the columns to keep, as `columns: [{{name: PRICE, type: FLOAT}}]`."
            )
            continue


def _a_clustering_key_is_of_declared_columns(spec: EnvironmentSpec) -> Iterator[str]:
    """Yields clustering keys that are not declared: what evolution adds is not there when the table is created, and
    VARIANT has no order.
    """
    for each in target_tables(spec):
        pipeline = each.pipeline
        types = {column.name: ColumnType.parse(column.type).family for column in pipeline.columns}
        if not types and pipeline.table_kind is not TableKind.STANDARD:
            continue  # the check before this one asks for its columns
        for column in pipeline.cluster_by:
            if column not in types and Identifier.parse(column).name not in _metadata_columns(pipeline):
                declared = did_you_mean(column, list(types))
                yield f"{each.path}.cluster_by: {column} is not among the declared columns; {declared}"
            elif types.get(column) in NESTED and pipeline.table_kind is not TableKind.ICEBERG:
                yield f"{each.path}.cluster_by: {column} is {types[column]}, which can't be a clustering key; give another one."


def _who_adds_columns_owns_the_table(spec: EnvironmentSpec) -> Iterator[str]:
    """Refuses `adds_columns` on another owner's table: only its owner may ALTER a table (alter-table, access control
    requirements)."""
    for each in target_tables(spec):
        pipeline = each.pipeline
        if not pipeline.adds_columns:
            continue
        path = each.at("adds_columns")
        if pipeline.table_kind is TableKind.INTERACTIVE:
            yield f"{path}: an interactive table never gets another column; remove it."
        elif pipeline.schema_evolution:
            yield f"{path}: Snowflake adds them where the schema evolves; remove it, or say schema_evolution: false."
        elif pipeline.pipe is not None or pipeline.content_column is not None:
            yield f"{path}: keys become no columns behind a pipe of one's own, and with content_column; remove it."
        elif pipeline.table_privilege is not TablePrivilege.OWNERSHIP:
            yield f"{path}: only the owner of a table may alter it; say table_privilege: ownership."


def _who_adds_columns_owns_the_tables_of_its_routes(spec: EnvironmentSpec) -> Iterator[str]:
    """Refuses a route's table of another owner, unless Snowflake adds its columns."""
    for each in target_tables(spec):
        table = each.pipeline
        if each.route is None or not spec.pipelines[each.place].adds_columns or table.schema_evolution:
            continue
        if table.table_privilege is not TablePrivilege.OWNERSHIP:
            yield (
                f"{each.path}.table_privilege: the pipeline adds columns to its tables (adds_columns), and only the owner of a "
                f"table may alter it; say table_privilege: ownership, or schema_evolution: true."
            )


def _a_select_is_the_whole_table(spec: EnvironmentSpec) -> Iterator[str]:
    """A table that is made AS SELECT takes from a record what the SELECT names, and nothing else (create-interactive-table)."""
    for each in target_tables(spec):
        pipeline = each.pipeline
        given = [column.select is not None for column in pipeline.columns]
        if not any(given):
            continue
        path = each.at(f"columns[{given.index(True)}].select")
        if pipeline.table_kind is not TableKind.INTERACTIVE:
            yield f"{path}: only an interactive table is created with a SELECT; for this one give `pipe: {{name: …, select: …}}`."
        elif pipeline.pipe is not None:
            yield f"{path}: the pipeline has a pipe of its own, which selects; give one of the two."
        elif not all(given):
            lacking = pipeline.columns[given.index(False)].name
            yield f"{each.path}.columns[{given.index(False)}].select: {lacking} needs one too, as `$1:{lacking}::…`."
        else:
            yield from _no_single_expressions(each.path, pipeline)


def _no_single_expressions(path: str, pipeline: Pipeline) -> Iterator[str]:
    for number, column in enumerate(pipeline.columns):
        try:
            count = len(selected(column.select or ""))
        except UnreadableSelect as error:
            yield f"{path}.columns[{number}].select: can't be read: {error}."
            continue
        if count != 1:
            yield f"{path}.columns[{number}].select: has {count} expressions, and fills one column; give one."


def _metadata_columns(pipeline: Pipeline) -> Mapping[str, str]:
    try:
        return metadata_columns(pipeline)
    except InvalidIdentifier:  # told by another check
        return {}


CHECKS = (
    _each_is_declared_once,
    _each_type_is_one_of_its_table,
    _structured_metadata_has_a_part,
    _an_interactive_table_keeps_what_it_is_sent,
    _a_clustering_key_is_of_declared_columns,
    _a_select_is_the_whole_table,
    _who_adds_columns_owns_the_table,
    _who_adds_columns_owns_the_tables_of_its_routes,
)
