import json
import re
from pathlib import Path

import pytest
import yaml
from pydantic import BaseModel

from firnline_infra.specification import parse_spec
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.reference import json_schema, page
from firnline_ingest.config.document import parse
from firnline_ingest.config.model import EngineConfig

DOCS = Path(__file__).parents[4] / "docs"


def test_the_committed_page_is_the_current_one() -> None:
    """Written by: firnline spec reference > docs/spec.md"""
    assert (DOCS / "spec.md").read_text() == page()


@pytest.mark.parametrize("document", [EnvironmentSpec, EngineConfig])
def test_every_field_of_every_object_has_a_line(document: type[BaseModel]) -> None:
    schema, text = json_schema(document), page()
    for definition in [schema, *(each for each in schema["$defs"].values() if "properties" in each)]:
        for name, field in definition["properties"].items():
            described = re.escape(field["description"].replace("<", "\\<").replace("|", "\\|")) or r"\w.*\."
            assert re.search(rf"^\| `{name}` \| .* \| {described} \|$", text, re.MULTILINE), name


def test_an_option_stands_on_the_page_once() -> None:
    specification, engine = page().split("\n# engine.json")
    for part, level in ((specification, "##"), (engine, "###")):
        titles = re.findall(rf"^{level} (`.*)$", part, re.MULTILINE)
        assert len(titles) == len(set(titles)) > 10
    lines = [line for line in re.findall(r"^\| `.*$", engine, re.MULTILINE) if len(line) > 120]
    assert [line for line in lines if line in specification] == []
    assert "As in a specification: `" in engine


def test_units_limits_and_defaults_are_told() -> None:
    text = page()
    assert "| `retention_hours` | integer, 24 to 8,760 | `24` | How long" in text
    assert "| `durability` | `EPHEMERAL` or `PROTECTED` | `PROTECTED` |" in text
    assert "| `aws` | section | **required** |" in text
    assert "* `PROTECTED`: It is refused" in text


def test_the_engines_example_is_a_configuration() -> None:
    (example,) = re.findall(r"```json\n(.*?)```", page(), re.DOTALL)
    assert parse(EngineConfig, json.loads(example), "example").application == "orders-prod"


def test_its_example_is_a_specification() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", page(), re.DOTALL)
    assert parse_spec(example, "example").name == yaml.safe_load(example)["name"]
