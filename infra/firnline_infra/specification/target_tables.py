"""The tables that the pipelines of an environment fill: each one's own, and those that its routes lead to."""

from collections.abc import Iterator
from typing import NamedTuple

from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.routes import RoutedTable
from firnline_infra.specification.table import OF_ONE_TABLE


class TargetTable(NamedTuple):
    """A table that a pipeline fills."""

    pipeline: Pipeline
    """As if all of it went there."""
    place: int
    """Of the pipeline in the specification."""
    path: str
    """What the specification calls the table."""
    route: RoutedTable | None = None
    """None of a pipeline's own."""

    def at(self, field: str) -> str:
        """The path at which the specification has the field: for a route that leaves it out, at its pipeline."""
        name = field.partition(".")[0].partition("[")[0]
        if self.route is not None and name not in {*OF_ONE_TABLE, *self.route.given}:
            return f"pipelines[{self.place}].{field}"
        return f"{self.path}.{field}"


def target_tables(spec: EnvironmentSpec) -> Iterator[TargetTable]:
    """A pipeline's own before those of its routes."""
    for index, pipeline in enumerate(spec.pipelines):
        yield TargetTable(pipeline, index, f"pipelines[{index}]")
        if pipeline.routes is not None:
            for number, (route, view) in enumerate(zip(pipeline.routes.tables, pipeline.routed, strict=True)):
                yield TargetTable(view, index, f"pipelines[{index}].routes.tables[{number}]", route)
