"""A problem names a field that a specification has: whoever reads it looks there. A law over all that the checks can say."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from pydantic import BaseModel

from firnline_infra.specification import EnvironmentSpec
from tests.infra.specifications import names_a_path, sections_of

CHECKED = Path(__file__).parents[3] / "infra" / "firnline_infra" / "specification" / "checks"
ANY = "\0"
"""Stands for what a text is put together of when it is said."""
PLACE = re.compile(rf"(?:[a-z_]+|{ANY})(?:\[{ANY}\])?(?:\.(?:[a-z_]+|{ANY})(?:\[{ANY}\])?)*(?=: )")


def all_sections() -> set[type[BaseModel]]:
    found, left = set[type[BaseModel]](), list[type[BaseModel]]([EnvironmentSpec])
    while left:
        each = left.pop()
        if each not in found:
            found.add(each)
            left += [inner for field in each.model_fields.values() for inner in sections_of(field.annotation)]
    return found


def template_of(text: ast.JoinedStr) -> str:
    """The text with ANY for what is put in; `{each.at('name')}` is a field of a pipeline or of one of its routes."""
    parts = []
    for each in text.values:
        call = each.value if isinstance(each, ast.FormattedValue) else None
        if isinstance(each, ast.Constant):
            parts.append(str(each.value))
        elif isinstance(call, ast.Call) and isinstance(call.func, ast.Attribute) and call.func.attr == "at":
            (name,) = call.args
            parts.append(f"{ANY}.{str(name.value) if isinstance(name, ast.Constant) else ANY}")
        else:
            parts.append(ANY)
    return "".join(parts)


def places() -> Iterator[tuple[str, str]]:
    """Yields each place that a problem begins with, and where it is said."""
    for path in sorted(CHECKED.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.JoinedStr) and (found := PLACE.match(template_of(node))):
                yield found[0], f"{path.relative_to(CHECKED)}:{node.lineno}"


def is_there(place: str) -> bool:
    """Returns whether a specification may have a field there, whatever stands for ANY."""
    models = {EnvironmentSpec} if not place.startswith(ANY) else all_sections()
    for part in re.sub(rf"\[{ANY}\]", "", place).split("."):
        if part == ANY:
            models = all_sections()
            continue
        found = [field for each in models for name, field in each.model_fields.items() if part in (field.alias, name)]
        if not found:
            return False
        models = {section for field in found for section in sections_of(field.annotation)}
    return True


def test_each_place_that_a_check_names_is_one_that_a_specification_has() -> None:
    said = dict(places())
    assert len(said) > 40, "the checks are not found"
    assert {where: place for place, where in said.items() if not is_there(place)} == {}


@pytest.mark.parametrize(
    "place", ["pipelines[\0].tabel", "aws.runtime.nothing", f"{ANY}.tolerances", "pipelines.aws.region"]
)
def test_a_place_that_no_specification_has_is_found(place: str) -> None:
    assert not is_there(place)
    assert not names_a_path(f"{place.replace(ANY, '0')}: is wrong.")
