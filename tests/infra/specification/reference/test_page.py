import re
from pathlib import Path

import yaml

from firnline_infra.specification import parse_spec
from firnline_infra.specification.reference import json_schema, page

PAGE = Path(__file__).parents[4] / "docs" / "spec.md"


def test_the_committed_page_is_the_current_one() -> None:
    """Written by: firnline spec reference > docs/spec.md"""
    assert PAGE.read_text() == page()


def test_every_field_of_every_object_has_a_line_once() -> None:
    schema, text = json_schema(), page()
    for definition in [schema, *(each for each in schema["$defs"].values() if "properties" in each)]:
        for name, field in definition["properties"].items():
            described = field["description"].replace("<", "\\<").replace("|", "\\|")
            assert re.search(rf"^\| `{name}` \| .* \| {re.escape(described)} \|$", text, re.MULTILINE), name
    titles = re.findall(r"^## `(.*)`$", text, re.MULTILINE)
    assert len(titles) == len(set(titles))
    assert {"aws.key", "snowflake.ingest.public_keys", "streams[]", "pipelines[].metadata"} <= set(titles)


def test_units_limits_and_defaults_are_told() -> None:
    text = page()
    assert "| `retention_hours` | integer, 24 to 8,760 | `24` | How long" in text
    assert "| `durability` | `EPHEMERAL` or `PROTECTED` | `PROTECTED` |" in text
    assert "| `aws` | section | **required** |" in text
    assert "* `PROTECTED`: It is refused" in text


def test_its_example_is_a_specification() -> None:
    (example,) = re.findall(r"```yaml\n(.*?)```", page(), re.DOTALL)
    assert parse_spec(example, "example").name == yaml.safe_load(example)["name"]
