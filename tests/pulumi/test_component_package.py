"""The component package from a program in TypeScript: the example's, through the real engine, to an environment that is whole.

Its SDK is made by Pulumi's generator of the schema that the engine got from the package, and the program is compiled against it.
"""

import hashlib
import os
import re
import shlex
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_local.accounts import WHOLE_OR_NOT_AT_ALL
from firnline_local.pulumi import admission
from firnline_local.pulumi.home import PulumiHome

from .engine import run_the_engine
from .environments import Trial, survey, trial_of

pytestmark = [pytest.mark.pulumi, pytest.mark.slow, pytest.mark.timeout(900)]

REPOSITORY = Path(__file__).parents[2]
PACKAGE = REPOSITORY / "stacks" / "component"
EXAMPLE = REPOSITORY / "examples" / "typescript"
PINS = Path(__file__).parent / "typescript"
HOST = "pulumi-language-nodejs"
STACK = "local"


@pytest.fixture(scope="module")
def provided() -> Path:
    """Returns the folder of what scripts/typescript has installed and built."""
    name = hashlib.sha256((PINS / "package-lock.json").read_bytes()).hexdigest()[:12]
    place = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firnline" / f"typescript-{name}"
    if not place.exists():
        pytest.skip("scripts/typescript provides TypeScript and the generator of SDKs")
    return place


@dataclass(frozen=True)
class TypeScriptProject:
    """A copy of the example, beside an environment."""

    cli: PulumiCli
    provided: Path

    @property
    def folder(self) -> Path:
        return self.cli.project

    def add_package(self) -> None:
        """Generates the SDK into node_modules, as `pulumi package add` does with a release's language host."""
        schema = self._run([str(self.cli.binary), "package", "get-schema", str(PACKAGE)])
        sdk = self.folder / "node_modules" / "@firnline" / "firnline"
        sdk.mkdir(parents=True)
        for module in (self.provided / "node_modules").iterdir():
            (self.folder / "node_modules" / module.name).symlink_to(module)
        subprocess.run([self.provided / "generate", sdk], input=schema, text=True, check=True, timeout=60)
        self.compile(sdk)
        shutil.copy(sdk / "package.json", sdk / "bin")  # as the SDK's own script does once it is installed

    def compile(self, folder: Path | None = None) -> None:
        """Raises CalledProcessError, whose output is the compiler's."""
        self._run(
            [
                "node",
                str(self.provided / "node_modules" / "typescript" / "bin" / "tsc"),
                "-p",
                str(folder or self.folder),
            ]
        )

    def configure(self, trial: Trial) -> None:
        snowflake = trial.deployment.spec.snowflake
        keys = {"ingest": snowflake.ingest.public_keys.slot_1, "reader": snowflake.reader.public_keys.slot_1}
        settings = self.folder / f"Pulumi.{STACK}.yaml"
        stack = yaml.safe_load(settings.read_text())
        settings.write_text(yaml.safe_dump({**stack, "config": {"firnline:publicKeys": keys}}))

    def change(self, old: str, new: str) -> None:
        program = self.folder / "index.ts"
        text = program.read_text()
        assert old in text
        program.write_text(text.replace(old, new))

    def _run(self, command: list[str]) -> str:
        done = subprocess.run(
            command,
            cwd=self.folder,
            env=dict(self.cli.variables),
            text=True,
            capture_output=True,
            check=False,
            timeout=120,
        )
        if done.returncode:
            raise AssertionError(done.stdout + done.stderr)
        return done.stdout


def project_of(trial: Trial, folder: Path, binary: Path, provided: Path) -> TypeScriptProject:
    home = PulumiHome.write(folder / "home")
    add_node_host(home, binary)
    (folder / "states").mkdir()
    engine = home.variables(backend=f"{(folder / 'states').as_uri()}?{WHOLE_OR_NOT_AT_ALL}", passphrase="of the tests")
    role = {name: value for name, value in trial.cli.variables.items() if name.startswith("SNOWFLAKE_")}
    variables = {**engine, **role, **admission.variables(trial.environment)}
    shutil.copytree(EXAMPLE, folder / "program", ignore=shutil.ignore_patterns("node_modules", "bin"))
    manifest = folder / "program" / "Pulumi.yaml"
    manifest.write_text(
        "\n".join(
            line if "stacks/component" not in line else f"  firnline: {PACKAGE}"
            for line in manifest.read_text().splitlines()
        )
    )
    return TypeScriptProject(
        PulumiCli(binary=home.cli(binary), project=folder / "program", variables=variables), provided
    )


def add_node_host(home: PulumiHome, binary: Path) -> None:
    """The release's, where the CLI is one; else the tests' own (`node_host.py`)."""
    released = binary.resolve().with_name(HOST)
    own = f"PYTHONPATH={shlex.quote(str(REPOSITORY))} exec {shlex.quote(sys.executable)} -m tests.pulumi.node_host"
    executable = home.folder / "plugins" / "language-nodejs-v3.250.0" / HOST
    executable.parent.mkdir(parents=True)
    executable.write_text(f'#!/bin/sh\n{f"exec {released}" if released.exists() else own} "$@"\n')
    executable.chmod(0o755)


def resources(cli: PulumiCli) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = cli.export(STACK)["deployment"]["resources"]
    return found


def test_a_typescript_program_makes_the_environment_that_its_inputs_describe(
    tmp_path: Path, pulumi_binary: Path, provided: Path
) -> None:
    with trial_of("local", tmp_path, extended=False) as trial:
        before = survey(trial.environment)
        project = project_of(trial, tmp_path, pulumi_binary, provided)
        project.add_package()
        project.compile()
        project.cli.init(STACK)
        project.configure(trial)
        project.cli.up(STACK)

        outputs = project.cli.outputs(STACK)
        assert trial.differences(outputs, before=before) == {}
        made = resources(project.cli)
        (component,) = [each for each in made if each["type"] == "firnline:index:Environment"]
        assert {each["type"].partition(":")[0] for each in made} == {"pulumi", "firnline", "aws", "snowflake"}
        project.cli.preview(STACK, refresh=True, expect_no_changes=True)
        assert run_the_engine(trial.environment, outputs, [{"n": n} for n in range(20)]) == list(range(20))

        project.change("retentionHours: 24", "retentionHours: 0")
        project.compile()
        with pytest.raises(CommandFailed) as refused:
            project.cli.up(STACK)
        said = "\n".join(refused.value.lines)
        assert re.search(r"FL-1001[\s\S]*streams\[0\]\.retention_hours", said), said
        assert "Traceback" not in said
        assert {each["urn"] for each in resources(project.cli)} == {each["urn"] for each in made}

        project.change("retentionHours: 0", 'retentionHours: "a day"')
        with pytest.raises(AssertionError, match="Type 'string' is not assignable to type 'number'"):
            project.compile()
        project.cli.destroy(STACK)
        assert survey(trial.environment) == before
        assert yaml.safe_load(component["outputs"]["specification"])["streams"] == [
            {"name": "orders", "shards": 4, "retention_hours": 24}
        ]
