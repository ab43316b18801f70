"""The programs in stacks/: short, one for every environment, and the same resources whether in one stack or in three."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pulumi
import pytest
import yaml

from firnline_infra.specification import load_spec
from firnline_infra.specification.origin import Origin
from firnline_local.keys import make_key_pair
from tests.infra.pulumi.conftest import Deploy, Deployment

STACKS = Path(__file__).parents[3] / "stacks"
SINGLE, LAYERED = STACKS / "pulumi", STACKS / "pulumi-layered"
LAYERS = [LAYERED / name for name in ("foundation", "warehouse", "runtime")]
PROGRAMS = [SINGLE, *LAYERS]
ENVIRONMENTS = ["dev", "staging", "prod"]
KEY = "arn:aws:kms:eu-central-1:{account}:key/1f0c1a2b-3c4d-4e5f-8a6b-7c8d9e0f1a2b"


@pytest.fixture(scope="module")
def keys(tmp_path_factory: pytest.TempPathFactory) -> str:
    """Returns what `firnline keys create` would have written beside a specification."""
    folder = tmp_path_factory.mktemp("keys")
    pairs = {user: make_key_pair(folder, user) for user in ("ingest", "reader")}
    return yaml.safe_dump({user: {"slot_1": pair.public_key} for user, pair in pairs.items()})


@pytest.fixture
def spec_file(tmp_path: Path, keys: str) -> Callable[..., Path]:
    def copy(name: str, *, with_keys: bool = True) -> Path:
        file = tmp_path / f"{name}.yaml"
        file.write_text((STACKS / "environments" / f"{name}.yaml").read_text(encoding="utf-8"), encoding="utf-8")
        if with_keys:
            aws = load_spec(file).aws
            made = {"encryption_key": KEY.format(account=aws.account)} if aws.key.origin is Origin.CREATE else {}
            (tmp_path / f"{name}.keys.yaml").write_text(keys + yaml.safe_dump(made) * bool(made), encoding="utf-8")
        return file

    return copy


def program(folder: Path) -> Callable[[], object]:
    return lambda: runpy.run_path(str(folder / "__main__.py"), run_name="__main__")


def made_whole(deploy: Deploy, file: Path) -> Deployment:
    deployment = deploy(program(SINGLE), config={"firnline:spec": str(file)})
    assert deployment.of("Table")
    assert {"engine_config", "engine_config_hash", "stream_arns", "ledger_table"} <= deployment.outputs.keys()
    return deployment


def test_one_program_makes_a_local_environment_too(deploy: Deploy, spec_file: Callable[..., Path]) -> None:
    made_whole(deploy, spec_file("local"))


@pytest.mark.parametrize("name", [*ENVIRONMENTS, "users"])
def test_three_layers_make_what_one_stack_makes(
    name: str, deploy: Deploy, spec_file: Callable[..., Path], tmp_path: Path
) -> None:
    file = with_users(spec_file("staging"), tmp_path) if name == "users" else spec_file(name)
    config = {"firnline:spec": str(file)}
    whole = made_whole(deploy, file)
    below: dict[str, Any] = {}
    layers = []
    for folder in LAYERS:
        layers.append(deploy(program(folder), config=config, stacks=below))
        below[f"acme/firnline-{folder.name}/test"] = layers[-1].outputs
    parts = [each for layer in layers for each in layer.made]
    assert {(each.type, each.name, each.parent) for each in parts} == {
        (each.type, each.name, each.parent) for each in whole.made
    }
    assert {each.name: each.inputs for each in parts} == {each.name: each.inputs for each in whole.made}
    assert layers[-1].outputs == whole.outputs


def with_users(file: Path, tmp_path: Path) -> Path:
    """One pipeline has a user of its own, and another an adopted one; images have a repository."""
    text = file.read_text(encoding="utf-8")
    for old, new in {
        "    table: CLICKS\n": "    table: CLICKS\n    ingest: {}\n",
        "    table: ORDERS\n": "    table: ORDERS\n    ingest: {origin: adopt, user: KAFKA_USER, role: KAFKA_ROLE}\n",
        "      image: ": "      # image: ",
    }.items():
        assert old in text
        text = text.replace(old, new)
    file.write_text(text, encoding="utf-8")
    keys = file.with_name("staging.keys.yaml")
    slots = {each: {"slot_1": make_key_pair(tmp_path, each).public_key} for each in ("orders", "clicks")}
    of_pipelines = {"pipelines": slots}
    keys.write_text(keys.read_text(encoding="utf-8") + yaml.safe_dump(of_pipelines), encoding="utf-8")
    return file


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_without_keys_nothing_is_made_and_the_command_is_named(
    folder: Path, deploy: Deploy, spec_file: Callable[..., Path]
) -> None:
    config = {"firnline:spec": str(spec_file("prod", with_keys=False))}
    with pytest.raises(pulumi.RunError, match="firnline keys create prod"):
        deploy(program(folder), config=config)


def test_a_preview_without_keys_shows_what_would_be_made_and_warns(
    deploy: Deploy, spec_file: Callable[..., Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    warnings: list[str] = []
    monkeypatch.setattr(pulumi, "warn", warnings.append)
    config = {"firnline:spec": str(spec_file("prod", with_keys=False))}
    deployment = deploy(program(SINGLE), config=config, preview=True)
    assert deployment.of("Table")
    assert len(warnings) == 2
    assert "firnline keys create prod ingest" in warnings[0]
    assert "alias/firnline-prod" in warnings[1]


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_a_program_is_a_project_that_runs_with_what_setup_installed(folder: Path) -> None:
    project = yaml.safe_load((folder / "Pulumi.yaml").read_text(encoding="utf-8"))
    assert project["name"] == ("firnline" if folder == SINGLE else f"firnline-{folder.name}")
    virtualenv = project["runtime"]["options"]["virtualenv"]
    assert (folder / virtualenv).resolve() == STACKS.parent / ".venv"


@pytest.mark.parametrize("folder", PROGRAMS, ids=lambda folder: folder.name)
def test_a_program_is_read_in_a_minute(folder: Path) -> None:
    assert len((folder / "__main__.py").read_text(encoding="utf-8").splitlines()) < 60


@pytest.mark.parametrize(
    "file", [file for folder in PROGRAMS for file in sorted(folder.glob("Pulumi.*.yaml"))], ids=lambda file: file.name
)
def test_a_stacks_file_says_which_specification_and_nothing_else(file: Path) -> None:
    content = yaml.safe_load(file.read_text(encoding="utf-8"))
    name = file.name.split(".")[1]
    assert content.keys() == {"encryptionsalt" if name == "local" else "secretsprovider", "config"}
    assert content["config"].keys() == {"firnline:spec"}
    assert (file.parent / content["config"]["firnline:spec"]).resolve() == STACKS / "environments" / f"{name}.yaml"
