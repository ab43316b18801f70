"""Modules of a callable: beside the specification, with the function that is named, and none of it run."""

from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.specification.load import load_spec
from firnline_ingest.errors import ConfigError

DEV = Path(__file__).parents[3] / "stacks" / "environments" / "dev.yaml"


def written(folder: Path, callable_: str, modules: list[str]) -> Path:
    document: dict[str, Any] = yaml.safe_load(DEV.read_text())
    document["aws"].setdefault("runtime", {})["modules"] = modules
    document["pipelines"][0]["transforms"] = [{"type": "callable", "callable": callable_}]
    path = folder / "dev.yaml"
    path.write_text(yaml.safe_dump(document))
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "single.py").write_text("from json import loads as cleaned\nraise RuntimeError('nobody runs it')\n")
    package = tmp_path / "acme" / "orders"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("def cleaned(record): return record\nasync def slow(record): return record\n")
    (package / "broken.py").write_text("def (")
    return tmp_path


@pytest.mark.parametrize(
    ("callable_", "modules"), [("single:cleaned", ["single.py"]), ("acme.orders:cleaned", ["single.py", "acme"])]
)
def test_what_is_there_is_given_with_its_whole_path(folder: Path, callable_: str, modules: list[str]) -> None:
    spec = load_spec(written(folder, callable_, modules))
    assert spec.aws.runtime.modules == [str(folder / module) for module in modules]


@pytest.mark.parametrize(
    ("callable_", "modules", "told"),
    [
        ("single:cleaned", ["absent.py"], r"modules\[0\]: there is no file"),
        ("single:cleaned", ["dev.yaml"], r"modules\[0\]: there is no file"),
        ("single:absent", ["single.py"], "single has no absent at its first level"),
        ("single.more:cleaned", ["single.py"], "single.py has no module single.more"),
        ("other:cleaned", ["single.py"], "other is in none of aws.runtime.modules"),
        ("acme.items:cleaned", ["acme"], "acme has no module acme.items"),
        ("acme.orders:slow", ["acme"], "has no slow"),
        ("acme.orders.broken:f", ["acme"], "broken.py is not Python"),
    ],
)
def test_what_is_not_there_is_told_before_anything_is_built(
    folder: Path, callable_: str, modules: list[str], told: str
) -> None:
    with pytest.raises(ConfigError, match=told):
        load_spec(written(folder, callable_, modules))


def test_a_wheel_of_machine_code_is_beside_the_specification(folder: Path) -> None:
    path = written(folder, "single:cleaned", ["single.py"])
    document = yaml.safe_load(path.read_text())
    document["aws"]["runtime"]["native_wheel"] = "wheels/native.whl"
    path.write_text(yaml.safe_dump(document))
    with pytest.raises(
        ConfigError, match=r"native_wheel: there is no file 'wheels/native\.whl', beside the specification"
    ):
        load_spec(path)
    (folder / "wheels").mkdir()
    (folder / "wheels" / "native.whl").symlink_to("SHA256E-s3--abc.whl")
    (folder / "wheels" / "SHA256E-s3--abc.whl").touch()
    assert load_spec(path).aws.runtime.native_wheel == str(folder / "wheels" / "native.whl")


def test_a_link_out_of_a_folder_is_told(folder: Path) -> None:
    (folder / "key.pem").write_text("a private key")
    (folder / "acme" / "orders" / "within.py").symlink_to("__init__.py")
    (folder / "acme" / "key.pem").symlink_to(folder / "key.pem")
    with pytest.raises(ConfigError, match=r"modules\[0\]: acme/key\.pem leads out of acme") as refused:
        load_spec(written(folder, "acme.orders:cleaned", ["acme"]))
    assert "within" not in str(refused.value)
