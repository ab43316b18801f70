"""Every command that names an engine takes ENV or --config, and holds what was typed against the specification first."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml
from click.testing import CliRunner, Result

from firnline_infra.accounts.real import RealAccounts
from firnline_infra.cli.main import firnline
from firnline_ingest.config.model import EngineConfig
from firnline_ingest.errors import UsageError
from tests.infra.cli.test_help import commands, found
from tests.infra.specifications import document

SECRET = "arn:aws:secretsmanager:eu-central-1:123456789012:secret:one"
READER = ("--reader-user", "EVE", "--reader-role", "EVE", "--reader-key", "engine.json")
ENGINES = {
    "audit": (),
    "latency": (),
    "dead-letters list": (),
    "dead-letters export": (),
    "dead-letters replay": (),
    "dead-letters show": ("orders@1700000000000/shardId-000000000000/1.parse",),
    "run": (),
    "drain": (),
    "validate": (),
    "resume": ("--stream", "orders", "--from", "proven"),
    "deregister": (),
    "columns": (),
    "migrate": ("--from", "app"),
    "status": (),
    "stop": (),
}


@pytest.fixture(autouse=True)
def repository(tmp_path: Path, engine_document: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> Path:
    """A specification named dev, its engine.json, and nobody who could log in."""
    folder = tmp_path / "stacks" / "environments"
    folder.mkdir(parents=True)
    (folder / "dev.yaml").write_text(yaml.safe_dump(document()))
    (folder / "dev.keys.yaml").write_text(yaml.safe_dump({"reader": {"secret_arn": SECRET}}))
    (tmp_path / "engine.json").write_text(json.dumps(engine_document))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(RealAccounts, "aws", _nobody)
    monkeypatch.setattr(RealAccounts, "snowflake", _nobody)
    return tmp_path


def _nobody(*_: object) -> None:
    pytest.fail("an account was asked")


def run(command: str, *arguments: str) -> Result:
    return CliRunner().invoke(firnline, [*command.split(), *arguments])


def test_the_commands_that_take_an_engine_are_these() -> None:
    takes = {" ".join(way): {name for each in found(way).params for name in each.opts} for way in commands()}
    assert {name for name, options in takes.items() if "--config" in options} == ENGINES.keys()


@pytest.mark.parametrize("command", ENGINES)
def test_neither_and_both_are_refused_alike(command: str) -> None:
    for given in ((), ("dev", "--config", "engine.json")):
        result = run(command, *given[:1], *ENGINES[command], *given[1:])
        assert result.exit_code == 2
        assert "ENV" in result.output
        assert "--config" in result.output


@pytest.mark.parametrize("command", ENGINES)
def test_an_environment_that_is_not_there_is_refused_with_the_nearest(command: str) -> None:
    result = run(command, "dve", *ENGINES[command])
    assert result.exit_code == 2
    assert "did you mean 'dev'?" in result.output


@pytest.mark.parametrize("command", ENGINES)
def test_a_configuration_that_is_not_there_is_named_and_is_no_document_with_mistakes(command: str) -> None:
    looks = READER if command in ("audit", "latency") else ()
    result = run(command, *ENGINES[command], *looks, "--config", "nope.json")
    said = f"{result.output}{result.exception}"
    assert "nope.json" in said
    assert any(words in said for words in ("There is no nope.json", "File 'nope.json' does not exist"))
    assert "is required" not in said


@pytest.mark.parametrize(
    "typed",
    [
        "audit dev --pipeline ordrs",
        "latency dev --pipeline ordrs",
        "dead-letters list dev --stream ordrs",
        "dead-letters export dev --stream ordrs",
        "dead-letters replay dev --stream ordrs",
        "resume dev --stream ordrs --from proven",
        "pipeline pause dev ordrs",
        "pipeline resume dev ordrs",
        "keys create dev ordrs",
        "keys rotate dev ordrs",
    ],
)
def test_a_word_that_the_specification_does_not_have_is_refused_before_anybody_logs_in(typed: str) -> None:
    result = run(typed)
    assert result.exit_code == 2 or result.exception is not None
    assert "ordrs" in (result.output if result.exit_code == 2 else str(result.exception))


def test_an_up_without_keys_says_so_before_anybody_logs_in(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("firnline_infra.stack.deployment.stack_of", lambda *_, **__: None)
    result = run("up dev")
    assert "FL-7001" in str(result.exception)


def test_an_audit_of_an_environment_looks_as_its_reader_with_the_key_in_its_secret(
    monkeypatch: pytest.MonkeyPatch, engine_document: dict[str, Any]
) -> None:
    asked = []
    config = EngineConfig.model_validate_json(json.dumps(engine_document))
    monkeypatch.setattr("firnline_infra.cli.engine_argument.ChosenEngine.config", lambda _: config)
    monkeypatch.setattr("firnline_infra.audit.audit", lambda config, reader, **_: asked.append((config, reader)))
    run("audit", "dev", "--warehouse", "W")
    ((given, reader),) = asked
    assert given is config
    assert (reader.user, reader.role) == ("FIRNLINE_DEV_READER", "FIRNLINE_DEV_READER")
    assert (reader.secret_arn, reader.key_file, reader.warehouse) == (SECRET, None, "W")


def test_another_user_brings_a_key() -> None:
    result = run("audit", "dev", "--reader-user", "EVE")
    assert result.exit_code == 2
    assert "Missing --reader-key" in result.output


def test_with_a_configuration_alone_the_reader_has_to_be_said() -> None:
    result = run("latency", "--config", "engine.json", "--reader-user", "EVE")
    assert result.exit_code == 2
    assert "Missing --reader-role, --reader-key" in result.output


def test_the_engines_errors_look_as_all_others_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Colour is there where it is asked for, and no control character that somebody wrote."""
    monkeypatch.setattr("firnline_ingest.ledger.provision.dynamodb_client", _refusing)
    result = CliRunner().invoke(firnline, ["columns", "--config", "engine.json"], color=True)
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith("\x1b[31m\x1b[1m[FL-1002]\x1b[0m the place \\x1b[2J")


def _refusing(*_: object, **__: object) -> None:
    raise UsageError("the place \x1b[2J is gone")
