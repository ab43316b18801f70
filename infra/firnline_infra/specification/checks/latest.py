"""A table of the latest row of each key: of columns that are there, in an order that decides, with what refreshes it."""

import re
from collections.abc import Iterable, Iterator, Sequence

from firnline_infra.specification.checks.pipes import may_lose_position
from firnline_infra.specification.column_type import ColumnType
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import table_of
from firnline_infra.specification.pipeline import Pipeline, content_column
from firnline_infra.specification.table import TableKind
from firnline_infra.specification.target_tables import TargetTable, target_tables
from firnline_ingest.config.rows import MetadataForm, PartName
from firnline_ingest.errors import did_you_mean

NESTED = {"VARIANT", "OBJECT", "ARRAY", "MAP"}
NEEDED: tuple[PartName, ...] = ("sequence_number", "sub_sequence_number")


def _tables_of_latest_rows(spec: EnvironmentSpec) -> Iterator[str]:
    tables = list(target_tables(spec))
    for each in tables:
        if each.pipeline.latest.model_fields_set and not each.pipeline.keeps_latest:
            yield f"{each.at('latest')}: nothing is the key; give latest_by, as [ORDER_ID], or latest.partition_key: true."
    if kept := [each for each in tables if each.pipeline.keeps_latest]:
        yield from _its_table_can_be_followed(spec, kept)
        yield from _its_columns_are_declared(kept)
        yield from _its_order_decides(tables, kept)
        yield from _its_name_is_free(tables)


def _its_table_can_be_followed(spec: EnvironmentSpec, kept: Sequence[TargetTable]) -> Iterator[str]:
    for each in kept:
        pipeline, path = each.pipeline, each.at("latest_by")
        if pipeline.table_kind is not TableKind.STANDARD:
            yield f"{path}: only of a standard table; one of kind {pipeline.table_kind} has no such table beside it. Remove it."
        elif pipeline.table_origin is ObjectOrigin.ADOPT:
            yield (
                f"{path}: the table is adopted, and only its owner may switch on its change tracking; remove it, and let the "
                f"owner create the dynamic table (docs/latest.md has the query)."
            )
        elif may_lose_position(pipeline):
            yield f"{path}: the pipe may leave out which record a row is, and so which is the latest; remove one of the two."
        warehouse = pipeline.latest.warehouse or spec.snowflake.warehouse
        for name in (
            *(each.latest.parts if each.latest else ()),
            *([Identifier.parse(warehouse)] if warehouse else ()),
        ):
            if re.search(r"\s", name.name):
                yield (
                    f"{path}: {name} has a blank, and the Snowflake provider, which finds a dynamic table's query by its blanks, "
                    f"would make it anew at each `up`. Give another name, or remove latest_by."
                )
        if not warehouse:
            yield f"{path}: a warehouse has to refresh it; give latest.warehouse, or snowflake.warehouse."


def _its_columns_are_declared(kept: Sequence[TargetTable]) -> Iterator[str]:
    """A column that evolution adds is not there when the table is made."""
    for each in kept:
        pipeline, types = each.pipeline, _types(each.pipeline)
        named = [(f"latest_by[{number}]", name) for number, name in enumerate(pipeline.latest_by)]
        named += [(f"latest.order_by[{number}]", name) for number, name in enumerate(pipeline.latest.order_by)]
        for field, name in named:
            stored = Identifier.parse(name).name
            if stored not in types:
                yield _undeclared(each.at(field), name, types)
            elif types[stored] in NESTED:
                yield f"{each.at(field)}: {name} is {types[stored]}, which has no order; give a column with a plain value."
        deleted, content = pipeline.latest.deleted_by, content_column(pipeline)
        known = [*types, *([content[0]] if content else [])]
        if deleted is not None and Identifier.parse(deleted).name not in known:
            yield _undeclared(each.at("latest.deleted_by"), deleted, known)
        if pipeline.latest.deleted_values and deleted is None:
            yield f"{each.at('latest.deleted_values')}: of no column; give latest.deleted_by too."


def _undeclared(path: str, name: str, known: Iterable[str]) -> str:
    return (
        f"{path}: {name} is not among the declared columns, and the table of latest rows is made with its table; declare it "
        f"in columns; {did_you_mean(name, list(known))}"
    )


def _its_order_decides(tables: Sequence[TargetTable], kept: Sequence[TargetTable]) -> Iterator[str]:
    filled: dict[QualifiedName, set[int]] = {}
    for each in tables:
        filled.setdefault(each.name, set()).add(each.place)
    for each in kept:
        pipeline = each.pipeline
        needed = (*NEEDED, "partition_key") if pipeline.latest.partition_key else NEEDED
        lacking = [part for part in needed if not pipeline.metadata.is_on(part)]
        if lacking:
            off = "form: none" if pipeline.metadata.form is MetadataForm.NONE else f"{lacking[0]}: false"
            yield f"{each.at('metadata')}: {off}, and latest_by needs {' and '.join(lacking)} in each row; switch it on."
        several = pipeline.stream_pattern is not None or len(filled[table_of(pipeline)]) > 1
        if several and not pipeline.latest.order_by:
            yield (
                f"{each.at('latest_by')}: rows of several streams come into the table, whose sequence numbers do not compare; "
                f"give latest.order_by, a column that says which row of a key is the latest."
            )


def _its_name_is_free(tables: Sequence[TargetTable]) -> Iterator[str]:
    taken = {each.name: each.path for each in tables}
    seen: dict[QualifiedName, QualifiedName] = {}
    for each in tables:
        if (name := each.latest) is None:
            continue
        if name in taken:
            yield f"{each.at('latest.name')}: {name} is the table of {taken[name]}; give another name."
        elif seen.setdefault(name, each.name) != each.name:
            yield f"{each.at('latest.name')}: {name} is made of another table too ({seen[name]}); give another name."


def _types(pipeline: Pipeline) -> dict[str, str]:
    return {Identifier.parse(each.name).name: ColumnType.parse(each.type).family for each in pipeline.columns}


CHECKS = (_tables_of_latest_rows,)
