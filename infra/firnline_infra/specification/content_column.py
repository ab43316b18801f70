"""The column that takes all of a row's content, where a pipeline has one."""

from firnline_infra.specification.pipeline import Pipeline
from firnline_ingest.identifiers import stored_name


def content_column(pipeline: Pipeline) -> tuple[str, str] | None:
    """Its stored name and type; None where keys become columns, and where the column is declared."""
    if pipeline.content_column is None:
        return None
    name = stored_name(pipeline.content_column)
    declared = {stored_name(each.name).upper() for each in pipeline.columns}
    return None if name.upper() in declared else (name, pipeline.format.content_type)
