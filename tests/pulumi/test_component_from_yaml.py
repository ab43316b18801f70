"""The component package from a program in Pulumi's YAML: the example's, through the real engine and Pulumi's own host of YAML.

No SDK is made: the host asks the package for its schema, and checks the program by it.
"""

import os
import re
import shutil
from pathlib import Path

import pytest
import yaml

from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_local.accounts import WHOLE_OR_NOT_AT_ALL
from firnline_local.pulumi import admission
from firnline_local.pulumi.home import PulumiHome

from .environments import Trial, survey, trial_of
from .test_component_package import PACKAGE, REPOSITORY, STACK, resources

pytestmark = [pytest.mark.pulumi, pytest.mark.slow, pytest.mark.timeout(900)]

EXAMPLE = REPOSITORY / "examples" / "yaml"
HOST, VERSION = "pulumi-language-yaml", "1.25.0"


@pytest.fixture
def yaml_host(pulumi_binary: Path) -> Path:
    """Returns the host of YAML programs: the release's, beside its CLI, or the one that scripts/pulumi-yaml has built."""
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "firnline"
    for found in (pulumi_binary.resolve().with_name(HOST), cache / f"pulumi-yaml-{VERSION}" / HOST):
        if found.exists():
            return found
    pytest.skip(f"scripts/pulumi-yaml provides {HOST}")


def project_of(trial: Trial, folder: Path, binary: Path, host: Path) -> PulumiCli:
    home = PulumiHome.write(folder / "home")
    plugin = home.folder / "plugins" / f"language-yaml-v{VERSION}" / HOST
    plugin.parent.mkdir(parents=True)
    plugin.symlink_to(host)
    (folder / "states").mkdir()
    engine = home.variables(backend=f"{(folder / 'states').as_uri()}?{WHOLE_OR_NOT_AT_ALL}", passphrase="of the tests")
    role = {name: value for name, value in trial.cli.variables.items() if name.startswith("SNOWFLAKE_")}
    shutil.copytree(EXAMPLE, folder / "program")
    change(folder / "program", "../../stacks/component", str(PACKAGE))
    variables = {**engine, **role, **admission.variables(trial.environment)}
    return PulumiCli(binary=home.cli(binary), project=folder / "program", variables=variables)


def change(project: Path, old: str, new: str) -> None:
    program = project / "Pulumi.yaml"
    text = program.read_text()
    assert old in text
    program.write_text(text.replace(old, new))


def configure(cli: PulumiCli, trial: Trial) -> None:
    snowflake = trial.deployment.spec.snowflake
    settings = cli.project / f"Pulumi.{STACK}.yaml"
    keys = {"ingestKey": snowflake.ingest.public_keys.slot_1, "readerKey": snowflake.reader.public_keys.slot_1}
    stack = yaml.safe_load(settings.read_text())
    settings.write_text(
        yaml.safe_dump({**stack, "config": {f"firnline:{name}": value for name, value in keys.items()}})
    )


def test_a_program_of_yaml_makes_the_environment_that_its_inputs_describe(
    tmp_path: Path, pulumi_binary: Path, yaml_host: Path
) -> None:
    with trial_of("local", tmp_path, extended=False) as trial:
        before = survey(trial.environment)
        cli = project_of(trial, tmp_path, pulumi_binary, yaml_host)
        cli.init(STACK)
        configure(cli, trial)
        cli.up(STACK)

        outputs = cli.outputs(STACK)
        assert outputs["ledger_table"] == "firnline-local"
        assert outputs["stream_arns"].keys() == {"orders"}
        assert trial.differences(outputs, before=before) == {}
        made = resources(cli)
        (component,) = [each for each in made if each["type"] == "firnline:index:Environment"]
        assert yaml.safe_load(component["outputs"]["specification"])["streams"] == [
            {"name": "orders", "shards": 4, "retention_hours": 24}
        ]
        cli.preview(STACK, refresh=True, expect_no_changes=True)

        change(cli.project, "retentionHours: 24", "retentionHours: 0")
        with pytest.raises(CommandFailed) as refused:
            cli.up(STACK)
        said = "\n".join(refused.value.lines)
        assert re.search(r"FL-1001[\s\S]*streams\[0\]\.retention_hours", said), said
        assert "Traceback" not in said

        change(cli.project, "retentionHours: 0", "retentionHour: 24")
        with pytest.raises(CommandFailed) as misspelt:
            cli.up(STACK)
        assert "retentionHour" in "\n".join(misspelt.value.lines)
        cli.destroy(STACK)
        assert survey(trial.environment) == before
