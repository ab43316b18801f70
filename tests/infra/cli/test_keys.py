"""Tests of what the commands say; what they do is tested in tests/infra/keys."""

from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from firnline_infra.cli.main import firnline
from firnline_infra.keys.errors import KeyExists
from firnline_infra.keys.rotate import DoneStep
from firnline_infra.keys.steps import RotationStep
from firnline_local.running import RunningEnvironment

SPEC = """
version: 1
name: typed
aws: {region: us-east-1, account: "000000000000"}
snowflake: {account: FIRNLINE-LOCAL}
streams: [{name: orders}]
pipelines: [{stream: orders, database: SHOP, schema: RAW}]
"""


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(firnline, ["keys", *map(str, arguments)])


@pytest.fixture
def spec_file(tmp_path: Path) -> Path:
    path = tmp_path / "typed.yaml"
    path.write_text(SPEC)
    return path


@pytest.mark.contract
def test_create_says_where_both_halves_are_and_what_comes_next(
    spec_file: Path, local_environment: RunningEnvironment
) -> None:
    folder = ("--folder", local_environment.folder.path)
    result = invoke("create", spec_file, "reader", *folder)
    assert result.exit_code == 0, result.output
    first, private, public, following = result.output.splitlines()
    assert first.startswith("Key SHA256:")
    assert first.endswith(" of FIRNLINE_TYPED_READER")
    assert private.startswith("  private half: arn:aws:secretsmanager:us-east-1:000000000000:secret:firnline-typed/")
    assert public == f"  public half:  {spec_file.with_name('typed.keys.yaml')}"
    assert following == (f"Next: firnline up {spec_file} --folder {local_environment.folder.path}")
    again = invoke("create", spec_file, "reader", *folder)
    assert isinstance(again.exception, KeyExists)


@pytest.mark.contract
def test_create_says_which_key_of_an_earlier_embedded_environment_it_replaces(
    spec_file: Path, local_environment: RunningEnvironment
) -> None:
    spec_file.write_text(SPEC.replace("name: typed", "name: restarted"))
    command = ("create", spec_file, "--folder", local_environment.folder.path)
    assert invoke(*command).exit_code == 0
    arn = yaml.safe_load(spec_file.with_name("typed.keys.yaml").read_text())["ingest"]["secret_arn"]
    local_environment.client("secretsmanager").delete_secret(SecretId=arn, ForceDeleteWithoutRecovery=True)
    result = invoke(*command)
    assert result.exit_code == 0, result.output
    assert f"in place of the file's key in {arn}" in result.output
    assert arn not in spec_file.with_name("typed.keys.yaml").read_text()


@pytest.fixture
def advancing(monkeypatch: pytest.MonkeyPatch) -> list[DoneStep]:
    done: list[DoneStep] = []
    monkeypatch.setattr("firnline_infra.keys.rotate.Rotation.advance", lambda _self, wait_s: iter(done))
    return done


@pytest.mark.parametrize(
    ("last", "in_use", "status", "said"),
    [
        (RotationStep.REGISTER, None, 3, "firnline up"),
        (RotationStep.UNREGISTER, None, 3, "still has a key"),
        (RotationStep.TAKE_UP, None, 3, "No engine was seen"),
        (RotationStep.TAKE_UP, frozenset({"SHA256:old", "SHA256:new"}), 3, "still uses SHA256:old; it looks"),
        (RotationStep.FORGET, None, 0, "Complete: SHA256:new is the only key"),
    ],
)
def test_rotate_ends_with_what_it_waits_for(
    spec_file: Path,
    advancing: list[DoneStep],
    last: RotationStep,
    in_use: frozenset[str] | None,
    status: int,
    said: str,
) -> None:
    advancing += [
        DoneStep(step=RotationStep.PROMOTE, fingerprint="SHA256:new"),
        DoneStep(step=last, fingerprint="SHA256:new", in_use=in_use),
    ]
    result = invoke("rotate", spec_file)
    assert result.exit_code == status
    assert said in result.output.splitlines()[-1]
