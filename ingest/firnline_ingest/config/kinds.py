"""The kinds of formats and transforms: whatever class the files of two folders have (firnline_ingest/formats, .../transforms).

A kind is one file: its options with their docstrings, its traits, its code. Nothing else names it: a file more is a kind more.
The files load nothing but pydantic and this package, so that a specification is read at once.
"""

from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import TYPE_CHECKING, Annotated, Any, TypeVar, Union

from pydantic import BaseModel, Field

from firnline_ingest.config.format import Format
from firnline_ingest.config.transform import Transform

Kind = TypeVar("Kind", bound=Format | Transform)


def kinds_in(package: str, base: type[Kind]) -> Mapping[str, type[Kind]]:
    """Maps the `type` that a document names to its class, in listing order."""
    found = [kind for module in _modules_in(package) for kind in _kinds_of(module, base)]
    found.sort(key=lambda kind: kind.order)
    return {_type_of(kind): kind for kind in found}


def _modules_in(package: str) -> Iterator[ModuleType]:
    """Raises OSError for a package that is not a folder."""
    (folder,) = import_module(package).__path__
    for file in Path(folder).iterdir():
        if file.suffix == ".py" and file.stem != "__init__":
            yield import_module(f"{package}.{file.stem}")


def _kinds_of(module: ModuleType, base: type[Kind]) -> Iterator[type[Kind]]:
    own = (each for each in vars(module).values() if getattr(each, "__module__", None) == module.__name__)
    for each in own:
        if isinstance(each, type) and issubclass(each, base) and "type" in each.model_fields:
            yield each


def _type_of(kind: type[BaseModel]) -> str:
    (name,) = kind.model_fields["type"].annotation.__args__  # type: ignore[union-attr] # a Literal of one word
    return str(name)


def _one_of(kinds: Mapping[str, type[BaseModel]]) -> Any:
    return Annotated[Union[tuple(kinds.values())], Field(discriminator="type")]  # noqa: UP007 - made of a list


FORMATS = kinds_in("firnline_ingest.formats", Format)
TRANSFORMS = kinds_in("firnline_ingest.transforms", Transform)
DEFAULT_FORMAT = FORMATS["json"].default()

if TYPE_CHECKING:
    AnyFormat = Format
    AnyTransform = Transform
else:
    AnyFormat = _one_of(FORMATS)
    AnyTransform = _one_of(TRANSFORMS)
