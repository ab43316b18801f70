"""Objects that are kept by their names and definitions, and that nothing here runs: views, functions, tasks and the like.

They are there for what is asked about them: who owns them, who may use them, and what a DROP of their schema takes along.
"""

from dataclasses import dataclass

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.objects import CatalogObject


@dataclass(kw_only=True, eq=False)
class Definition(CatalogObject):
    """The base of all of them."""

    definition: str = ""
    """What follows the name in its CREATE."""


class View(Definition):
    kind = kinds.VIEW


class MaterializedView(Definition):
    kind = kinds.MATERIALIZED_VIEW


class Sequence(Definition):
    kind = kinds.SEQUENCE


class FileFormat(Definition):
    kind = kinds.FILE_FORMAT


class Function(Definition):
    kind = kinds.FUNCTION


class Procedure(Definition):
    kind = kinds.PROCEDURE


class TableStream(Definition):
    kind = kinds.STREAM


class Task(Definition):
    kind = kinds.TASK


DEFINITIONS: tuple[type[Definition], ...] = (
    View,
    MaterializedView,
    Sequence,
    FileFormat,
    Function,
    Procedure,
    TableStream,
    Task,
)
