"""Checks of rows' metadata: enough for the audit, and in columns that the table can have."""

from collections.abc import Iterator

from firnline_infra.specification.checks.pipes import may_lose_position
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.iceberg_types import WITH_VARIANT
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.pipeline import Pipeline, content_column
from firnline_infra.specification.table import TableKind
from firnline_infra.specification.target_tables import target_tables
from firnline_ingest.config.pipeline import Aggregation
from firnline_ingest.config.rows import MetadataForm, PartName


def _what_the_audit_needs_is_there(spec: EnvironmentSpec) -> Iterator[str]:
    for index, pipeline in enumerate(spec.pipelines):
        lacking = [part for part in _position(pipeline) if not pipeline.metadata.is_on(part)]
        if lacking and pipeline.audit:
            off = "form: none" if pipeline.metadata.form is MetadataForm.NONE else f"{' and '.join(lacking)} off"
            yield (
                f"pipelines[{index}].metadata: with {off}, rows don't say which record they are, so that nothing can prove that "
                f"all are there; switch it on, or set audit: false if that is meant."
            )
        elif not pipeline.audit and not lacking and not any(map(may_lose_position, (pipeline, *pipeline.routed))):
            yield f"pipelines[{index}].audit: rows have their records' positions; remove it."


def _position(pipeline: Pipeline) -> Iterator[PartName]:
    """The parts that tell one row of the table from another."""
    yield from ("shard_id", "sequence_number")
    if pipeline.shared_table or pipeline.stream_pattern is not None:
        yield "stream"
    if pipeline.aggregation is not Aggregation.OFF:
        yield "sub_sequence_number"
    if pipeline.format.makes_several_rows:
        yield "row"


def _a_table_has_a_column(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        is_made = pipeline.table_origin is ObjectOrigin.CREATE
        metadata = pipeline.metadata
        is_bare = metadata.form is MetadataForm.NONE or (
            metadata.form is MetadataForm.COLUMNS and not metadata.parts(are_numbered=False)
        )
        if is_made and is_bare and not pipeline.columns and pipeline.content_column is None:
            yield f"{each.path}.columns: no table is created without a column, and it has none for metadata; declare one."


def _version_2_has_no_variant(spec: EnvironmentSpec) -> Iterator[str]:
    for each in target_tables(spec):
        pipeline = each.pipeline
        if pipeline.table_kind is not TableKind.ICEBERG or pipeline.iceberg_version >= WITH_VARIANT:
            continue
        if (content := content_column(pipeline)) and content[1] == "VARIANT":
            yield (
                f"{each.at('content_column')}: iceberg_version: {pipeline.iceberg_version} has no VARIANT; declare the "
                f"column, as `columns: [{{name: {pipeline.content_column}, type: VARCHAR}}]`."
            )
        if pipeline.metadata.form is MetadataForm.VARIANT:
            yield (
                f"{each.at('metadata.form')}: iceberg_version: {pipeline.iceberg_version} has no VARIANT; expected object "
                f"or columns."
            )


CHECKS = (_what_the_audit_needs_is_there, _a_table_has_a_column, _version_2_has_no_variant)
