"""A section that a document leaves out is not validated: it has to be what an empty one would be."""

from collections.abc import Iterator

import pytest
from pydantic import BaseModel

from firnline_infra.specification import EnvironmentSpec
from firnline_ingest.config.access import HERE
from firnline_ingest.config.document import Section
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.config.retries import UNCHANGED


def left_out_in(model: type[BaseModel], seen: set[type]) -> Iterator[Section]:
    """The defaults that are sections, of the model and of all that it can hold."""
    if model in seen:
        return
    seen.add(model)
    for field in model.model_fields.values():
        if isinstance(field.default, Section):
            yield field.default
    for other in Section.__subclasses__():
        yield from left_out_in(other, seen)


DEFAULTS = [HERE, UNCHANGED, *left_out_in(EngineConfig, seen := set()), *left_out_in(EnvironmentSpec, seen)]


@pytest.mark.parametrize("section", DEFAULTS, ids=lambda section: type(section).__name__)
def test_a_section_that_is_left_out_is_as_an_empty_one(section: Section) -> None:
    empty = type(section)()

    assert section == empty
    assert section.model_dump_json() == empty.model_dump_json()
    assert section.model_fields_set == empty.model_fields_set == set()
