"""Claims about tables of latest rows, of a specification, in stored names: what `firnline audit ENV` holds them against."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from firnline_infra.audit.latest import LatestClaim
    from firnline_infra.specification import EnvironmentSpec
    from firnline_infra.specification.pipeline import Pipeline


def latest_claims(spec: "EnvironmentSpec") -> "list[LatestClaim]":
    """One for each such table."""
    from firnline_infra.specification.target_tables import target_tables

    return [_claim(each.pipeline) for each in target_tables(spec) if each.pipeline.keeps_latest]


def _claim(pipeline: "Pipeline") -> "LatestClaim":
    from firnline_infra.audit.latest import LatestClaim
    from firnline_infra.audit.statements import Statements
    from firnline_infra.specification.identifier import Identifier
    from firnline_infra.specification.names import latest_name, table_of

    database, schema, table = (part.name for part in table_of(pipeline).parts)
    latest, are_numbered = pipeline.latest, pipeline.format.makes_several_rows
    return LatestClaim(
        stream=pipeline.stream,
        rows=Statements(database, schema, table, pipeline.stream, pipeline.metadata, are_numbered),
        name=latest_name(pipeline).parts[-1].name,
        key=tuple(Identifier.parse(each).name for each in pipeline.latest_by),
        by_partition_key=latest.partition_key,
        order_by=tuple(Identifier.parse(each).name for each in latest.order_by),
        deleted_column=None if latest.deleted_by is None else Identifier.parse(latest.deleted_by).name,
        deleted_values=tuple(latest.deleted_values),
        has_row_timestamp=pipeline.row_timestamp,
    )
