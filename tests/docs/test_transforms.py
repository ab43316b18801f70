"""The page on transforms: no option is missing on it, and its examples do what they say."""

import re
from pathlib import Path

import pytest
import yaml

from firnline_ingest.config.kinds import TRANSFORMS
from tests.ingest.transforms.making import NO_METADATA, made, row

PAGE = (Path(__file__).parents[2] / "docs" / "transforms.md").read_text(encoding="utf-8")
SECTIONS = dict(re.findall(r"^## (\w+)\n(.*?)(?=^## |\Z)", PAGE, re.DOTALL | re.MULTILINE))
EXAMPLES = [
    (title, declared, record, becomes)
    for title, text in SECTIONS.items()
    for declared, table in re.findall(
        r"```yaml\n(.*?)```\n\n\| a record \| becomes \|\n\|---\|---\|\n((?:\|.*\n)+)", text, re.DOTALL
    )
    for record, becomes in re.findall(r"^\| `(.*?)` \| (.*) \|$", table, re.MULTILINE)
]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_option_stands_in_the_section_of_its_transform(name: str) -> None:
    options = re.findall(
        r"^\| `(\w+)` \|", SECTIONS[name].partition("| option | |")[2].partition("\n\n")[0], re.MULTILINE
    )
    assert options == [field for field in TRANSFORMS[name].model_fields if field != "type"]


@pytest.mark.parametrize("name", TRANSFORMS)
def test_every_transform_has_an_example(name: str) -> None:
    assert any(title == name for title, *_ in EXAMPLES) or name == "callable"


@pytest.mark.parametrize(("title", "declared", "record", "becomes"), EXAMPLES)
def test_an_example_does_what_it_says(title: str, declared: str, record: str, becomes: str) -> None:
    transforms = yaml.safe_load(declared)
    found = row(record.encode(), *transforms)
    if becomes == "filtered":
        assert dict(made([record.encode()], *transforms, metadata=NO_METADATA).left_out) == {"filtered": 1}
    elif becomes.startswith("dead letter: "):
        assert becomes.removeprefix("dead letter: ").strip("`") in found
        assert f"({title}): " in found
    else:
        assert found == becomes.strip("`")
