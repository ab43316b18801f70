"""Objects that are kept by their names and definitions, and that nothing here runs: views, functions, tasks and the like.

They are there for what is asked about them: who owns them, who may use them, and what a DROP of their schema takes along.
"""

from dataclasses import dataclass

from firnline_local.snowflake.catalog import kinds
from firnline_local.snowflake.catalog.objects import CatalogObject


@dataclass(kw_only=True, eq=False)
class DefinedObject(CatalogObject):
    """The base of all of them."""

    definition: str = ""
    """What follows the name in its CREATE."""


class View(DefinedObject):
    kind = kinds.VIEW


class MaterializedView(DefinedObject):
    kind = kinds.MATERIALIZED_VIEW


class Sequence(DefinedObject):
    kind = kinds.SEQUENCE


class FileFormat(DefinedObject):
    kind = kinds.FILE_FORMAT


class Function(DefinedObject):
    kind = kinds.FUNCTION


class Procedure(DefinedObject):
    kind = kinds.PROCEDURE


class TableStream(DefinedObject):
    kind = kinds.STREAM


class Task(DefinedObject):
    kind = kinds.TASK


class Alert(DefinedObject):
    kind = kinds.ALERT


class Notebook(DefinedObject):
    kind = kinds.NOTEBOOK


class Streamlit(DefinedObject):
    kind = kinds.STREAMLIT


class Model(DefinedObject):
    kind = kinds.MODEL


class ContainerService(DefinedObject):
    kind = kinds.SERVICE


class ImageRepository(DefinedObject):
    kind = kinds.IMAGE_REPOSITORY


class GitRepository(DefinedObject):
    kind = kinds.GIT_REPOSITORY


class DefinedSecret(DefinedObject):
    kind = kinds.SECRET


DEFINITIONS: tuple[type[DefinedObject], ...] = (
    View,
    MaterializedView,
    Sequence,
    FileFormat,
    Function,
    Procedure,
    TableStream,
    Task,
    Alert,
    Notebook,
    Streamlit,
    Model,
    ContainerService,
    ImageRepository,
    GitRepository,
    DefinedSecret,
)
