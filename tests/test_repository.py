"""Files of this repository that GitHub and people's tools read: actions, hooks, forms, updates.

Each is one that its reader takes.
"""

import json
import os
import re
import subprocess
from importlib.resources import files
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from click.testing import CliRunner

from firnline_infra.cli.main import firnline

ROOT = Path(__file__).parents[1]
ACTIONS = sorted((ROOT / ".github" / "actions").glob("*/action.yml"))
FORMS = sorted(set((ROOT / ".github" / "ISSUE_TEMPLATE").glob("*.yml")) - {ROOT / ".github/ISSUE_TEMPLATE/config.yml"})


def schema(name: str) -> Any:
    vendored = files("check_jsonschema").joinpath(f"builtin_schemas/vendor/{name}.json")
    return json.loads(vendored.read_text(encoding="utf-8"))


def document(path: Path | str) -> Any:
    return yaml.safe_load((ROOT / path).read_text(encoding="utf-8"))


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        *((path, "github-actions") for path in ACTIONS),
        *((path, "github-issue-forms") for path in FORMS),
        (".github/ISSUE_TEMPLATE/config.yml", "github-issue-config"),
        (".github/dependabot.yml", "dependabot"),
    ],
    ids=str,
)
def test_github_takes_it(path: Path | str, kind: str) -> None:
    jsonschema.validate(document(path), schema(kind))


@pytest.mark.parametrize("path", ACTIONS, ids=lambda path: path.parent.name)
def test_an_action_is_one_that_a_shell_takes_and_that_no_text_of_others_is_part_of(path: Path) -> None:
    found = document(path)
    assert found["branding"].keys() == {"icon", "color"}, "a marketplace asks for it"
    used = re.findall(r"uses: (.+)", path.read_text(encoding="utf-8"))
    assert [each for each in used if not re.fullmatch(r"[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+", each)] == []
    for script in (step["run"] for step in found["runs"]["steps"] if "run" in step):
        assert "${{" not in script
        checked = subprocess.run(["bash", "-n"], input=script, capture_output=True, text=True, check=False)
        assert (checked.returncode, checked.stderr) == (0, "")


@pytest.mark.parametrize(
    ("given", "installed"),
    [
        ({"RELEASE": "0.1.0"}, "firnline==0.1.0"),
        ({"RELEASE": "0.1.0", "EXTRAS": "local,spark"}, "firnline[local,spark]==0.1.0"),
        ({"REQUIREMENTS": "firnline.txt"}, "--require-hashes --requirement firnline.txt"),
    ],
)
def test_the_setup_installs_the_release_or_what_is_listed_by_hash(
    tmp_path: Path, given: dict[str, str], installed: str
) -> None:
    """With stand-ins for pip and the command: nothing is released yet."""
    (script,) = (step["run"] for step in document(".github/actions/setup/action.yml")["runs"]["steps"] if "run" in step)
    python = tmp_path / "bin" / "python"
    python.parent.mkdir()
    commands = tmp_path / "firnline" / "bin"
    python.write_text(
        f"#!/bin/sh\nmkdir -p {commands}\n"
        f"printf '#!/bin/sh\\necho \"$@\" > {tmp_path}/asked\\n' > {commands}/pip\n"
        f"printf '#!/bin/sh\\necho firnline, version 0.1.0\\n' > {commands}/firnline\nchmod +x {commands}/*\n"
    )
    python.chmod(0o755)
    variables = {
        **os.environ,
        **{name: given.get(name, "") for name in ("RELEASE", "EXTRAS", "REQUIREMENTS")},
        "PATH": f"{python.parent}{os.pathsep}{os.environ['PATH']}",
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_PATH": str(tmp_path / "path"),
        "GITHUB_OUTPUT": str(tmp_path / "output"),
    }
    subprocess.run(["bash", "-e", "-c", script], env=variables, check=True, cwd=tmp_path)
    assert (tmp_path / "asked").read_text() == f"install --quiet {installed}\n"
    assert (tmp_path / "path").read_text() == f"{commands}\n"
    assert (tmp_path / "output").read_text() == "version=0.1.0\n"


@pytest.fixture
def hook() -> dict[str, str]:
    (found,) = document(".pre-commit-hooks.yaml")
    assert {"id", "name", "entry", "language"} <= found.keys()
    return dict(found)


@pytest.mark.parametrize(
    ("path", "is_checked"),
    [
        ("stacks/environments/dev.yaml", True),
        ("stacks/environments/dev.keys.yaml", True),
        ("platform/stacks/environments/prod.yml", True),
        ("stacks/environments/dev.drift.yaml", False),
        ("stacks/environments/schema.json", False),
        ("stacks/pulumi/Pulumi.dev.yaml", False),
        ("stacks/environments/parts/dev.yaml", False),
    ],
)
def test_the_hook_checks_specifications_with_their_keys_and_nothing_else(
    hook: dict[str, str], path: str, is_checked: bool
) -> None:
    """Chooses as pre-commit does: `files` is searched for, and then `exclude`."""
    assert bool(re.search(hook["files"], path) and not re.search(hook["exclude"], path)) == is_checked


def test_the_hooks_command_refuses_a_specification_that_is_wrong(
    hook: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """pre-commit adds the files behind the entry."""
    program, *words = hook["entry"].split()
    assert program == "firnline"
    monkeypatch.chdir(tmp_path)
    folder = Path("stacks/environments")
    folder.mkdir(parents=True)
    good = (ROOT / "stacks" / "environments" / "dev.yaml").read_text(encoding="utf-8")
    (folder / "dev.yaml").write_text(good)
    assert CliRunner().invoke(firnline, [*words, "stacks/environments/dev.yaml"]).exit_code == 0
    (folder / "dev.yaml").write_text(good.replace("version: 1", "version: 7"))
    assert CliRunner().invoke(firnline, [*words, "stacks/environments/dev.yaml"]).exit_code == 2
