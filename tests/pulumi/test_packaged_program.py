"""The program of the package, where a team has none of its own: the engine runs it, with the settings that are committed."""

from pathlib import Path

import pytest
import yaml

from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.stack.program import Program
from firnline_local.accounts import WHOLE_OR_NOT_AT_ALL
from firnline_local.pulumi import admission
from firnline_local.pulumi.home import PulumiHome
from firnline_local.running import RunningEnvironment

pytestmark = pytest.mark.pulumi

SPEC = """
version: 1
name: packaged
durability: EPHEMERAL
aws: {region: us-east-1, account: "000000000000", key: {origin: skip}}
snowflake: {account: FIRNLINE-LOCAL}
streams: [{name: packaged, shards: 1}]
pipelines: [{stream: packaged, database: PACKAGED, schema: RAW, table: EVENTS}]
"""


def test_it_finds_its_specification_and_leaves_its_settings_where_they_are_committed(
    tmp_path: Path, pulumi_binary: Path, pulumi_home: PulumiHome, local_environment: RunningEnvironment
) -> None:
    spec_file = tmp_path / "stacks" / "environments" / "packaged.yaml"
    spec_file.parent.mkdir(parents=True)
    spec_file.write_text(SPEC)
    program = Program.committed("packaged", spec_file, program=tmp_path / "stacks" / "pulumi")
    (tmp_path / "states").mkdir()
    backend = f"{(tmp_path / 'states').as_uri()}?{WHOLE_OR_NOT_AT_ALL}"
    variables = {**pulumi_home.variables(backend=backend, passphrase=""), **admission.variables(local_environment)}
    cli = PulumiCli(binary=pulumi_home.cli(pulumi_binary), project=program.folder, variables=variables)

    cli.init("packaged")
    said = "\n".join(cli.preview("packaged"))
    assert "aws:kinesis/stream:Stream" in said
    assert "firnline keys create packaged ingest" in said  # a preview warns that there are no keys yet
    (settings,) = (tmp_path / "stacks" / "pulumi").iterdir()
    assert settings.name == "Pulumi.packaged.yaml"
    assert yaml.safe_load(settings.read_text()).keys() == {"config", "encryptionsalt"}
