"""The tables that the pipelines of an environment fill: each one's own, and those that its routes lead to."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import latest_name, table_of
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.routes import RoutedTable
from firnline_infra.specification.table import OF_ONE_TABLE, SNOWFLAKE_STORAGE
from firnline_ingest.identifiers import dead_letters_name


@dataclass(frozen=True)
class TargetTable:
    """A table that a pipeline fills, with the names of the objects around it."""

    pipeline: Pipeline
    """As if all of it went there."""
    place: int = 0
    """Of the pipeline in the specification."""
    path: str = "pipelines[0]"
    """What the specification calls the table."""
    route: RoutedTable | None = None
    """None of a pipeline's own."""

    @cached_property
    def name(self) -> QualifiedName:
        return table_of(self.pipeline)

    @property
    def database(self) -> Identifier:
        return self.name.parts[0]

    @property
    def schema(self) -> QualifiedName:
        return QualifiedName(self.name.parts[:2])

    @cached_property
    def latest(self) -> QualifiedName | None:
        """The table of the latest row of each key; None if there is none."""
        return latest_name(self.pipeline) if self.pipeline.keeps_latest else None

    @cached_property
    def pipe(self) -> QualifiedName | None:
        """The pipe that it is filled through; None if that is the table's default one."""
        return None if self.pipeline.pipe is None else self._beside(Identifier.parse(self.pipeline.pipe.name))

    @cached_property
    def letters(self) -> QualifiedName | None:
        """The stage for dead letters, and the pipe of the same name; None if letters are not replayed by file."""
        return self._beside(Identifier(dead_letters_name(self._own.name))) if self.pipeline.file_replay else None

    @cached_property
    def volume(self) -> QualifiedName | None:
        """The external volume; None of a table whose files Snowflake keeps in storage of its own."""
        name = self.pipeline.external_volume
        return None if name in (None, SNOWFLAKE_STORAGE) else QualifiedName.of(name)

    def at(self, field: str) -> str:
        """The path at which the specification has the field: for a route that leaves it out, at its pipeline."""
        name = field.partition(".")[0].partition("[")[0]
        if self.route is not None and name not in {*OF_ONE_TABLE, *self.route.given}:
            return f"pipelines[{self.place}].{field}"
        return f"{self.path}.{field}"

    @property
    def _own(self) -> Identifier:
        return self.name.parts[-1]

    def _beside(self, name: Identifier) -> QualifiedName:
        return QualifiedName((*self.schema.parts, name))


def target_tables(spec: EnvironmentSpec) -> Iterator[TargetTable]:
    """A pipeline's own before those of its routes."""
    for index, pipeline in enumerate(spec.pipelines):
        yield TargetTable(pipeline, index, f"pipelines[{index}]")
        if pipeline.routes is not None:
            for number, (route, view) in enumerate(zip(pipeline.routes.tables, pipeline.routed, strict=True)):
                yield TargetTable(view, index, f"pipelines[{index}].routes.tables[{number}]", route)
