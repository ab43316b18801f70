"""stacks/terraform/main.py with a stand-in of CDK Terrain's core, which writes down what it is given: Node is not needed here."""

import json
import runpy
import sys
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar

import pytest

from firnline_infra.specification import load_spec
from firnline_infra.terraform import module_files

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "stacks" / "terraform" / "main.py"
JSII = ("cdktn", "cdktf", "jsii")


class Core(ModuleType):
    """The part of the core that the program takes."""

    stacks: ClassVar[dict[str, dict[str, Any]]] = {}

    class App:
        def synth(self) -> None:
            Core.stacks["synthesised"] = {}

    class TerraformStack:
        def __init__(self, app: Any, name: str) -> None:
            self.document = Core.stacks[name] = {}

        def add_override(self, path: str, value: Any) -> None:
            *sections, last = path.split(".")
            place = self.document
            for section in sections:
                place = place.setdefault(section, {})
            place[last] = value

    class S3Backend:
        def __init__(self, stack: Any, **arguments: Any) -> None:
            stack.document.setdefault("terraform", {})["backend"] = {"s3": arguments}


def with_nulls(synthesised: Any) -> Any:
    """The document with what the program writes for null, which the core would leave out."""
    return json.loads(json.dumps(synthesised).replace('"${null}"', "null"))


def merged(documents: list[dict[str, Any]]) -> dict[str, Any]:
    whole: dict[str, Any] = {}
    for document in documents:
        for section, content in document.items():
            whole[section] = {**whole.get(section, {}), **content} if isinstance(content, dict) else content
    return whole


@pytest.mark.parametrize("core", ["cdktn", "cdktf"])
def test_a_stack_is_the_module_that_the_command_writes(core: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in JSII:
        monkeypatch.setitem(sys.modules, name, Core(name) if name == core else None)
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/node")
    monkeypatch.setattr(Core, "stacks", {})
    runpy.run_path(str(PROGRAM))
    assert Core.stacks.keys() == {"dev", "staging", "prod", "synthesised"}
    for name in ("dev", "staging", "prod"):
        files = module_files(load_spec(ROOT / "stacks" / "environments" / f"{name}.yaml"))
        assert with_nulls(Core.stacks[name]) == merged([json.loads(text) for text in files.values()])


def test_without_node_it_says_what_does_without(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda _: None)
    with pytest.raises(SystemExit, match="firnline terraform dev --into"):
        runpy.run_path(str(PROGRAM))


def test_without_a_core_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in JSII:
        monkeypatch.setitem(sys.modules, name, None)
    monkeypatch.setattr("shutil.which", lambda _: "/usr/bin/node")
    with pytest.raises(SystemExit, match=r"pip install 'firnline\[cdk\]'"):
        runpy.run_path(str(PROGRAM))


def test_the_program_is_read_in_a_minute() -> None:
    assert len(PROGRAM.read_text(encoding="utf-8").splitlines()) < 60
