"""The component package: its schema is the specification's, and its component makes what the Python program makes."""

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from firnline_infra.kinds.kind import camel
from firnline_infra.pulumi import environment, providers
from firnline_infra.pulumi.package.component import EnvironmentComponent, EnvironmentProvider
from firnline_infra.pulumi.package.schema import named_as_in_a_specification
from firnline_infra.specification.reference.json_schema import json_schema_text
from firnline_ingest.errors import ConfigError
from tests.infra.pulumi.conftest import Deploy, SpecOf

STACKS = Path(__file__).parents[3] / "stacks"


@cache
def specification_schema() -> dict[str, Any]:
    """Returns it when it is first asked for: processes that only collect these tests need not render it."""
    found: dict[str, Any] = json.loads(json_schema_text())
    return found


@pytest.fixture(scope="module")
def package() -> dict[str, Any]:
    schema = EnvironmentProvider().schema
    assert schema is not None
    found: dict[str, Any] = json.loads(schema)
    return found


def sections() -> Iterator[tuple[str, Mapping[str, Any]]]:
    yield from ((name, each) for name, each in specification_schema()["$defs"].items() if each.get("type") == "object")


def test_every_section_and_field_of_a_specification_is_in_the_schema_with_its_description(
    package: dict[str, Any],
) -> None:
    (component,) = package["resources"].values()
    whole = {name: each for name, each in specification_schema()["properties"].items() if name != "version"}
    assert component["inputProperties"].keys() == {camel(name) for name in whole}
    assert component["requiredInputs"] == sorted(
        camel(name) for name in specification_schema()["required"] if name != "version"
    )
    for name, section in sections():
        type_ = package["types"][f"firnline:index:{name}"]
        fields = section.get("properties", {})
        assert type_["properties"].keys() == {camel(field) for field in fields}, name
        assert type_["required"] == sorted(map(camel, section.get("required", ()))), name
        for field, each in fields.items():
            assert type_["properties"][camel(field)].get("description") == each.get("description"), f"{name}.{field}"


def test_every_enumeration_has_its_values_and_every_reference_leads_to_a_type(package: dict[str, Any]) -> None:
    for name, each in specification_schema()["$defs"].items():
        if "enum" in each:
            values = package["types"][f"firnline:index:{name}"]["enum"]
            assert [value["value"] for value in values] == each["enum"]
            assert len({value["name"] for value in values}) == len(values)
    named = {reference for reference in references(package) if reference != "pulumi.json#/Any"}
    assert named <= {f"#/types/{token}" for token in package["types"]}


def references(value: Any) -> Iterator[str]:
    if isinstance(value, Mapping):
        if "$ref" in value:
            yield value["$ref"]
        for each in value.values():
            yield from references(each)
    elif isinstance(value, list):
        for each in value:
            yield from references(each)


def in_camel_case(value: Any, *, at: str = "") -> Any:
    """A document with the inputs' names; names that are the user's own stay."""
    if isinstance(value, Mapping):
        own = at in {"tags", "compute", "conf"}
        return {name if own else camel(name): in_camel_case(each, at=name) for name, each in value.items()}
    if isinstance(value, list):
        return [in_camel_case(each) for each in value]
    return float(value) if type(value) is int else value  # as the engine sends it


@pytest.mark.parametrize("name", ["local", "dev", "staging", "prod"])
def test_inputs_have_the_names_of_a_specification_in_either_form(name: str) -> None:
    document = yaml.safe_load((STACKS / "environments" / f"{name}.yaml").read_text())
    assert named_as_in_a_specification(in_camel_case(document)) == document
    assert named_as_in_a_specification(document) == document


def test_names_that_are_the_users_own_stay_as_they_are() -> None:
    tags = {"costCenter": "a", "team_name": "b"}
    assert named_as_in_a_specification({"tags": tags, "fanOut": {}}) == {"tags": tags, "fan_out": {}}


@pytest.mark.parametrize("name", ["local", "prod"])
def test_the_component_makes_what_the_program_in_python_makes(name: str, deploy: Deploy, spec_of: SpecOf) -> None:
    """Both run as a preview, which needs no keys."""
    spec = spec_of(name)
    document = in_camel_case(yaml.safe_load((STACKS / "environments" / f"{name}.yaml").read_text()))
    here = deploy(lambda: EnvironmentComponent("any", document), preview=True)
    opts = pulumi.ResourceOptions
    there = deploy(lambda: environment(spec, opts(providers=providers(spec))), preview=True)
    inputs = {(each.type, each.name): each.inputs for each in here.resources}
    assert inputs.pop(("firnline:index:Environment", "any")) == {}
    assert inputs == {(each.type, each.name): each.inputs for each in there.resources}
    assert here["aws"].parent == here["snowflake"].parent == "any"


def test_mistakes_are_listed_by_their_place_in_a_specification() -> None:
    document = yaml.safe_load((STACKS / "environments" / "local.yaml").read_text())
    inputs = in_camel_case(document)
    inputs["streams"][0]["retentionHours"] = 1.0
    inputs["pipelines"][0]["tabel"] = "ORDERS"
    with pytest.raises(ConfigError, match=r"FL-1001") as wrong:
        EnvironmentComponent("local", inputs)
    assert [problem.partition(":")[0] for problem in wrong.value.problems] == [
        "streams[0].retention_hours",
        "pipelines[0].tabel",
    ]


def test_a_value_that_is_not_known_yet_is_refused_by_its_place(deploy: Deploy) -> None:
    def program() -> None:
        region = pulumi.Output.from_input("us-east-1")
        with pytest.raises(ConfigError, match=r"aws\.region: must be a value that is known when the program runs"):
            EnvironmentComponent("local", {"name": "local", "aws": {"region": region, "account": "000000000000"}})

    assert deploy(program).resources == []


def test_a_path_of_a_module_is_absolute() -> None:
    inputs = yaml.safe_load((STACKS / "environments" / "dev.yaml").read_text())
    inputs["aws"]["runtime"] = {"modules": ["transforms.py"]}
    with pytest.raises(ConfigError, match=r"aws\.runtime\.modules\[0\]: 'transforms\.py' must be an absolute path"):
        EnvironmentComponent("dev", inputs)


def test_the_packages_program_serves_the_provider() -> None:
    """The engine reads the port from its first line."""
    program = subprocess.Popen(
        [sys.executable, STACKS / "component" / "__main__.py", "127.0.0.1:1"], stdout=subprocess.PIPE, text=True
    )
    try:
        assert program.stdout is not None
        assert int(program.stdout.readline()) > 0
    finally:
        program.terminate()
        program.communicate(timeout=30)


def test_another_component_is_refused() -> None:
    with pytest.raises(ValueError, match=r"firnline:index:Stream is not a component of this package"):
        EnvironmentProvider().construct("any", "firnline:index:Stream", {})
