"""Turns a document into a model, or into one error that lists everything wrong with it.

Each problem names its path in the document, what was expected and, for a misspelt name, the nearest valid one.
EngineConfig and EnvironmentSpec are both read here.
"""

from collections.abc import Iterable
from typing import Any, Self, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from firnline_ingest.errors import ConfigError

Model = TypeVar("Model", bound=BaseModel)


class Section(BaseModel):
    """The base of every part of a document: strict, closed, immutable; docstrings under fields are their description.

    Built when it is first used: reading a specification does not wait for the engine's configuration.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    @classmethod
    def default(cls) -> Self:
        """The section as it is where a document does not mention it. Nothing is validated, so nothing is built for it."""
        return super().model_construct()

    def changed(self, options: Iterable[str] | None = None) -> dict[str, Any]:
        """Returns what differs from its defaults, as a document says it; a section that has a `type` keeps it.

        `options` are the fields to look at, all of them by default.
        """
        include = None if options is None else set(options)
        if not self.model_fields_set & (include or type(self).model_fields.keys()):
            return _with_types(self, {})  # nothing is built for what says nothing
        said = self.model_dump(mode="json", by_alias=True, exclude_defaults=True, include=include)
        return _with_types(self, said)


def _with_types(section: Any, said: dict[str, Any]) -> dict[str, Any]:
    """The `type` that tells a section from the others in its place is a default of its model, so pydantic leaves it out."""
    for name, field in type(section).model_fields.items():
        value, key = getattr(section, name), field.alias or name
        if key in said and isinstance(value, BaseModel):
            said[key] = _with_types(value, said[key])
        elif key in said and isinstance(value, list) and value and isinstance(value[0], BaseModel):
            said[key] = [_with_types(each, document) for each, document in zip(value, said[key], strict=True)]
    return {"type": section.type, **said} if "type" in type(section).model_fields else said


def parse(model: type[Model], document: object, source: str) -> Model:
    """A word may stand for a section that has one field for it: `initial_position: latest`.

    Raises ConfigError with all problems of `document`; `source` names it in the message (a path, or an option)."""
    try:
        # JSON mode lets strict models accept enums and paths as the text that documents hold.
        return model.model_validate(document, strict=None)
    except ValidationError as error:
        from firnline_ingest.config.problems import described, with_short_forms  # only such a document pays for it

        if (whole := with_short_forms(model, error, document)) is not document:
            return parse(model, whole, source)
        raise ConfigError(source, described(model, error, document)) from None
