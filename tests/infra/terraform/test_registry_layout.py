"""The module of dev in the registry's layout is golden, like that of prod as a root module: FIRNLINE_WRITE_GOLDEN=1 writes it."""

import json
import os
from dataclasses import fields
from pathlib import Path

import pytest

from firnline_infra.blueprint.stack_outputs import StackOutputs
from firnline_infra.specification import load_spec
from firnline_infra.terraform import differing_from_layout, layout_files, module_files, write_layout, write_module
from firnline_infra.terraform.errors import NotOurReadme
from firnline_infra.terraform.registry_layout import OUTPUTS
from tests.infra.pulumi.conftest import _spec_of
from tests.infra.pulumi.test_beside_terraform import CASES
from tests.infra.specifications import changed
from tests.infra.terraform.test_module import ENVIRONMENTS, GOLDEN

DEV = load_spec(ENVIRONMENTS / "dev.yaml")


def test_a_shipped_environment_is_the_reviewed_module_in_the_registry_s_layout() -> None:
    if os.environ.get("FIRNLINE_WRITE_GOLDEN"):
        write_layout(DEV, GOLDEN / "dev-registry")
        pytest.fail("dev-registry was written: review it, and run the test again")
    assert differing_from_layout(DEV, GOLDEN / "dev-registry") == []
    assert set(layout_files(DEV)) == {
        file.relative_to(GOLDEN / "dev-registry").as_posix()
        for file in (GOLDEN / "dev-registry").rglob("*")
        if file.is_file()
    }


def test_each_output_of_a_stack_is_described() -> None:
    assert OUTPUTS.keys() == {each.name for each in fields(StackOutputs)}


@pytest.mark.parametrize("case", CASES)
def test_every_variable_and_output_has_a_description_and_stands_in_the_readme(case: str) -> None:
    name, changes = CASES[case]
    files = layout_files(_spec_of(name, **changes))
    declared = {
        **json.loads(files["variables.tf.json"]).get("variable", {}),
        **json.loads(files["outputs.tf.json"])["output"],
    }
    for what, each in declared.items():
        assert f"| {what} | {each['description']} |" in files["README.md"]
    for type_, each in json.loads(files["main.tf.json"])["resource"].items():
        assert f"| {type_} | {len(each)} |" in files["README.md"]


@pytest.mark.parametrize("case", CASES)
def test_it_is_the_root_module_with_what_may_not_be_called_in_its_example(case: str) -> None:
    name, changes = CASES[case]
    spec = _spec_of(name, **changes)
    files, root = layout_files(spec), module_files(spec)
    main, whole = json.loads(files["main.tf.json"]), json.loads(root["main.tf.json"])
    example = json.loads(files["examples/complete/main.tf.json"])
    providers = json.loads(root["providers.tf.json"])
    assert {**main, **json.loads(files["variables.tf.json"])} == whole
    assert not {"provider", "import", "terraform"} & main.keys()
    assert (example["provider"], example["variable"]) == (providers["provider"], providers["variable"])
    imports = json.loads(root.get("imports.tf.json", '{"import": []}'))["import"]
    assert [each["to"].removeprefix("module.environment.") for each in example.get("import", [])] == [
        each["to"] for each in imports
    ]


def test_secrets_are_imported_where_the_module_is_called() -> None:
    arn = "arn:aws:secretsmanager:eu-central-1:111122223333:secret:firnline-dev/snowflake/ingest-AbCdEf"
    files = layout_files(changed(DEV, "snowflake.ingest.secret_arn", arn))
    to = "module.environment.aws_secretsmanager_secret.secret-ingest-secret"
    assert json.loads(files["examples/complete/main.tf.json"])["import"] == [{"to": to, "id": arn}]


def test_a_folder_that_was_a_root_module_becomes_one_to_call_and_the_other_way_round(tmp_path: Path) -> None:
    write_module(DEV, tmp_path, keeps_state=True)
    assert {"providers.tf.json", "backend_override.tf.json"} <= set(differing_from_layout(DEV, tmp_path))
    write_layout(DEV, tmp_path)
    assert differing_from_layout(DEV, tmp_path) == []
    assert not (tmp_path / "providers.tf.json").exists()


def test_a_readme_of_somebody_s_own_is_not_overwritten_and_nothing_else_is_written(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# Ours\n")
    with pytest.raises(NotOurReadme, match=r"README\.md was not written by this command"):
        write_layout(DEV, tmp_path)
    assert [file.name for file in tmp_path.iterdir()] == ["README.md"]
