"""Terraform on the embedded environment: the CLI of the machine, and the commands of `firnline` with `--local`."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import click
import pytest
from click.testing import CliRunner

from firnline_infra.specification import load_spec
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.cli.place import PLACE
from firnline_local.cli.terraform import terraform

SPEC = Path(__file__).parents[3] / "stacks" / "environments" / "dev.yaml"
PROVIDERS = {"TF_REATTACH_PROVIDERS": "{}"}


@pytest.fixture
def served(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Returns what becomes of the providers of a running environment."""
    events: list[str] = []
    running = SimpleNamespace(variables={"AWS_ENDPOINT_URL": "http://127.0.0.1:1"}, has_made=lambda _: False)

    @contextmanager
    def providing(environment: Any) -> Iterator[dict[str, str]]:
        assert environment is running
        events.append("served")
        try:
            yield PROVIDERS
        finally:
            events.append("ended")

    monkeypatch.setattr("firnline_local.running.RunningEnvironment.attach", lambda _: running)
    monkeypatch.setattr("firnline_local.terraform.serving.providing", providing)
    return events


def test_the_machines_cli_gets_its_arguments_the_providers_and_the_last_word(
    served: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli, seen = tmp_path / "terraform", tmp_path / "seen"
    cli.write_text(f'#!/bin/sh\necho "$*" "$TF_REATTACH_PROVIDERS" "$AWS_ENDPOINT_URL" > {seen}\nexit 2\n')
    cli.chmod(0o755)
    monkeypatch.setattr("firnline_infra.terraform.cli.find_terraform", lambda: cli)
    ended = CliRunner().invoke(terraform, ["--", "-chdir=a/b", "plan", "-detailed-exitcode", "--help"])
    assert ended.exit_code == 2, ended.output
    assert seen.read_text() == "-chdir=a/b plan -detailed-exitcode --help {} http://127.0.0.1:1\n"
    assert served == ["served", "ended"]


def test_an_environment_that_has_a_module_is_made_by_terraform_here_too(
    served: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    spec, given = load_spec(SPEC), {"local": True, "folder": None}

    def accounts() -> EmbeddedAccounts:
        with click.Context(click.Command("up")):
            found = PLACE.accounts(spec, given)
        assert isinstance(found, EmbeddedAccounts)
        return found

    assert accounts().terraform_providers is None
    main = tmp_path / "stacks" / "terraform" / "dev" / "main.tf.json"
    main.parent.mkdir(parents=True)
    main.write_text(json.dumps({}))
    assert accounts().terraform_providers == PROVIDERS
    assert served == ["served", "ended"]
