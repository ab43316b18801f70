"""Tests of what encrypts the secrets of a stack, as Pulumi is asked for it."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml

from firnline_infra.environment import Environment
from firnline_infra.pulumi_cli import PulumiCli
from firnline_infra.pulumi_cli.errors import CommandFailed
from firnline_infra.render.bootstrap.template import secrets_provider
from firnline_infra.specification import load_spec
from firnline_infra.stack import stack as stack_module
from firnline_infra.stack.errors import SecretsKeyOutOfReach
from firnline_infra.stack.program import complete, encryption_in
from firnline_infra.stack.stack import PASSPHRASES, Stack, stack_of

ROOT = Path(__file__).parents[3]
SPEC = ROOT / "stacks" / "environments" / "dev.yaml"
KEY = "awskms://alias/firnline-dev-state?region=eu-central-1"
REAL = SimpleNamespace(pulumi=lambda stack, spec_file: None, terraform=lambda stack, spec_file: None)


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Without a program of its own; returns where its settings are."""
    (tmp_path / "stacks" / "environments").mkdir(parents=True)
    (tmp_path / "stacks" / "environments" / "dev.yaml").write_text(SPEC.read_text())
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(stack_module, "find_cli", lambda: Path("pulumi"))
    for name in PASSPHRASES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path / "stacks" / "pulumi" / "Pulumi.dev.yaml"


def made(settings: Path) -> Stack:
    spec_file = settings.parents[1] / "environments" / "dev.yaml"
    return stack_of(load_spec(spec_file), spec_file, REAL, on_line=lambda line: None)  # type: ignore[arg-type]


def test_a_new_stack_is_encrypted_with_the_bootstraps_key_and_no_passphrase(repository: Path) -> None:
    stack = made(repository)
    assert stack.encryption == encryption_in(repository) == KEY
    assert "PULUMI_CONFIG_PASSPHRASE" not in stack.cli.variables


@pytest.mark.parametrize(
    ("settings", "encryption"),
    [("", KEY), ("secretsprovider: gcpkms://mine\n", "gcpkms://mine"), ("encryptionsalt: v1:x\n", "passphrase")],
)
def test_the_settings_have_the_last_word(repository: Path, settings: str, encryption: str) -> None:
    repository.parent.mkdir()
    repository.write_text(f"{settings}config: {{firnline:spec: ../environments/dev.yaml}}\n")
    stack = made(repository)
    assert stack.encryption == encryption
    assert (stack.cli.variables.get("PULUMI_CONFIG_PASSPHRASE") == "") is (encryption == "passphrase")


def test_a_passphrase_that_somebody_chose_stays(repository: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PULUMI_CONFIG_PASSPHRASE", "chosen")
    repository.parent.mkdir()
    repository.write_text("encryptionsalt: v1:x\nconfig: {firnline:spec: ../environments/dev.yaml}\n")
    assert made(repository).cli.variables["PULUMI_CONFIG_PASSPHRASE"] == "chosen"


def test_settings_that_nobody_committed_get_the_stacks_own_key_again(tmp_path: Path) -> None:
    settings = tmp_path / "Pulumi.dev.yaml"
    settings.write_text(f"# a remark\nsecretsprovider: {KEY}\nconfig: {{a: b}}\n")
    complete(
        settings, {"deployment": {"secrets_providers": {"type": "cloud", "state": {"url": KEY, "encryptedkey": "q"}}}}
    )
    text = settings.read_text()
    assert yaml.safe_load(text) == {"secretsprovider": KEY, "encryptedkey": "q", "config": {"a": "b"}}
    complete(settings, {"deployment": {"secrets_providers": {"state": {"url": "another", "encryptedkey": "other"}}}})
    assert settings.read_text() == text
    assert "# a remark" in text


@pytest.mark.parametrize("name", ["dev", "staging", "prod"])
def test_the_committed_stacks_are_encrypted_with_the_key_of_their_bootstrap(name: str) -> None:
    settings = [*(ROOT / "stacks").rglob(f"Pulumi.{name}.yaml")]
    wanted = secrets_provider(Environment.of(load_spec(SPEC.with_name(f"{name}.yaml"))))
    assert len(settings) == 4
    assert {encryption_in(each) for each in settings} == {wanted}


def cli(folder: Path, script: str) -> PulumiCli:
    binary = folder / "pulumi"
    binary.write_text(f"#!/bin/sh\n{script}\n")
    binary.chmod(0o755)
    return PulumiCli(binary=binary, project=folder, variables={})


def test_a_key_that_refuses_is_told_with_what_to_make(tmp_path: Path) -> None:
    refused = 'case "$2" in export) exit 6;; esac; echo "operation error KMS: Encrypt, NotFoundException"; exit 1'
    with pytest.raises(SecretsKeyOutOfReach, match=r"(?s)NotFoundException.*firnline bootstrap"):
        Stack(cli(tmp_path, refused), "dev", KEY).init()


def test_what_fails_for_another_reason_is_told_as_it_is(tmp_path: Path) -> None:
    refused = 'case "$2" in export) exit 6;; esac; echo "no such bucket"; exit 1'
    with pytest.raises(CommandFailed, match="no such bucket"):
        Stack(cli(tmp_path, refused), "dev", KEY).init()
