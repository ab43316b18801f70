import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.keys_file import is_keys_file
from firnline_infra.specification.reference.json_schema import json_schema, json_schema_text
from firnline_ingest.config.document import parse
from firnline_ingest.errors import ConfigError
from tests.infra.specifications import document, one_pipeline

ENVIRONMENTS = Path(__file__).parents[4] / "stacks" / "environments"
SPECS = sorted(path for path in ENVIRONMENTS.glob("*.yaml") if not is_keys_file(path))
FIRST_LINE = "# yaml-language-server: $schema=schema.json\n"


@pytest.fixture(scope="module")
def validator() -> jsonschema.Draft202012Validator:
    schema = json.loads(json_schema_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_the_committed_schema_is_the_current_one() -> None:
    """Written by: firnline spec schema > stacks/environments/schema.json"""
    assert (ENVIRONMENTS / "schema.json").read_text() == json_schema_text()


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.name)
def test_an_editor_finds_the_schema_and_has_nothing_to_say_about_our_environments(
    path: Path, validator: jsonschema.Draft202012Validator
) -> None:
    assert path.read_text().startswith(FIRST_LINE)
    assert [error.message for error in validator.iter_errors(yaml.safe_load(path.read_text()))] == []


@pytest.mark.parametrize(
    ("change", "where"),
    [
        ({"name": "Dev"}, "name"),
        ({"durabilty": "EPHEMERAL"}, ""),
        ({"durability": "eternal"}, "durability"),
        ({"streams": [{"name": "orders", "shards": 0}]}, "streams/0/shards"),
        ({"pipelines": [{"stream": "orders", "database": "LAKE"}]}, "pipelines/0"),
    ],
)
def test_an_editor_marks_what_is_wrong(
    validator: jsonschema.Draft202012Validator, change: dict[str, Any], where: str
) -> None:
    errors = validator.iter_errors({**document(), **change})
    assert {"/".join(map(str, error.absolute_path)) for error in errors} == {where}


@pytest.mark.parametrize(
    "short",
    [
        {"initial_position": "latest"},
        {"initial_position": "TRIM-HORIZON"},
        {"initial_position": "AT_TIMESTAMP"},
        {"initial_position": "yesterday"},
        {"format": "json_lines"},
        {"format": "Json-Lines"},
        {"format": "csv"},
        {"transforms": ["flatten", {"type": "flatten"}]},
        {"transforms": ["mask"]},
        {"reader": {"fan_out": "lazy"}},
        {"metadata": "iso"},
        {"routes": "dead_letter"},
    ],
    ids=str,
)
def test_an_editor_takes_the_words_that_stand_for_a_section_and_no_others(
    validator: jsonschema.Draft202012Validator, short: dict[str, Any]
) -> None:
    """The loader decides: what it refuses for its form is marked, and what it takes is not."""
    written = document(**one_pipeline(**short))
    try:
        parse(EnvironmentSpec, written, "x")
        is_taken = True
    except ConfigError:
        is_taken = False
    assert validator.is_valid(written) is is_taken


def test_each_word_of_the_schema_is_one_that_the_loader_takes() -> None:
    text = json.loads(json_schema_text())
    offered = {
        (name, field): [each["enum"] for each in _choices(described) if "enum" in each]
        for name, definition in text["$defs"].items()
        for field, described in definition.get("properties", {}).items()
    }
    words = {place: found[0] for place, found in offered.items() if found}
    assert words["Pipeline", "initial_position"] == ["TRIM_HORIZON", "LATEST"]
    assert "csv" not in words["Pipeline", "format"], "it needs its columns, too"
    assert words["Pipeline", "transforms"] == ["flatten"]
    assert ("Aws", "runtime") in words
    assert "emr_serverless" not in words["Aws", "runtime"], "a section's name"


def _choices(described: dict[str, Any]) -> list[dict[str, Any]]:
    within: dict[str, Any] = described.get("items", described)
    found: list[dict[str, Any]] = within.get("anyOf", [])
    return found


def test_no_field_and_no_choice_is_undocumented() -> None:
    schema = json_schema()
    undocumented = [
        f"{name}.{field}"
        for name, definition in [("the document", schema), *schema["$defs"].items()]
        for field, described in definition.get("properties", {}).items()
        if len(described["description"]) < 10
    ]
    undocumented += [
        f"{name}: {value}"
        for name, definition in schema["$defs"].items()
        for value, meaning in zip(definition.get("enum", []), definition.get("enumDescriptions", []), strict=True)
        if not meaning
    ]
    assert undocumented == []


def test_a_default_that_is_shown_is_one_that_may_be_written(validator: jsonschema.Draft202012Validator) -> None:
    text = json.loads(json_schema_text())
    for definition in [text, *text["$defs"].values()]:
        for name, field in definition.get("properties", {}).items():
            if "default" in field:
                assert validator.evolve(schema={**field, "$defs": text["$defs"]}).is_valid(field["default"]), name
