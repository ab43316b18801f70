"""A table's columns for the metadata; the type of a structured one has the keys that the engine writes, in its order."""

from collections.abc import Mapping

from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.table import TableKind
from firnline_ingest.config.identifier import RESERVED
from firnline_ingest.config.rows import MetadataForm, MetadataTimes, PartName
from firnline_ingest.identifiers import quoted, stored_name

WHOLE_NUMBER, MOMENT = "NUMBER(38, 0)", "TIMESTAMP_LTZ"
NUMBERS = ("sub_sequence_number", "row")
TIMES = ("approximate_arrival", "push_time")


def metadata_columns(pipeline: Pipeline) -> Mapping[str, str]:
    """The type of each by its stored name. Raises InvalidIdentifier."""
    metadata = pipeline.metadata
    match metadata.form:
        case MetadataForm.NONE:
            return {}
        case MetadataForm.COLUMNS:
            return {metadata.name_of(part): _column_type(pipeline, part) for part in _parts(pipeline)}
        case MetadataForm.VARIANT:
            return {stored_name(metadata.column): "VARIANT"}
        case MetadataForm.OBJECT:
            loose = "VARIANT" if pipeline.table_kind is TableKind.ICEBERG else "OBJECT"
            return {
                stored_name(metadata.column): metadata_type(pipeline) if pipeline.has_structured_metadata else loose
            }


def metadata_type(pipeline: Pipeline) -> str:
    """A row's object has to have these keys and no others. The types are those of the connector's own example (Openflow, Iceberg
    tables).
    """
    parts = (f"{_key(pipeline, part)} {_key_type(pipeline, part)}" for part in _parts(pipeline))
    return f"OBJECT({', '.join(parts)})"


def _parts(pipeline: Pipeline) -> tuple[PartName, ...]:
    return pipeline.metadata.parts(are_numbered=pipeline.format.makes_several_rows)


def _key(pipeline: Pipeline, part: PartName) -> str:
    name = pipeline.metadata.name_of(part)
    return quoted(name) if part.upper() in RESERVED or part in pipeline.metadata.names else name


def _key_type(pipeline: Pipeline, part: PartName) -> str:
    is_number = part in NUMBERS or (part in TIMES and pipeline.metadata.times is MetadataTimes.EPOCH_MS)
    return WHOLE_NUMBER if is_number else "VARCHAR"


def _column_type(pipeline: Pipeline, part: PartName) -> str:
    is_moment = part in TIMES and pipeline.metadata.times is not MetadataTimes.EPOCH_MS
    return MOMENT if is_moment else _key_type(pipeline, part)
