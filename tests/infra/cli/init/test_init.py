from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from firnline_infra.cli.init import command
from firnline_infra.cli.main import firnline
from firnline_infra.deploy.program import Program
from firnline_infra.specification import load_spec
from firnline_infra.specification.errors import SpecificationExists
from firnline_infra.specification.model import Durability
from firnline_ingest.errors import ConfigError, UsageError

ANSWERS = {
    "--name": "dev",
    "--region": "eu-central-1",
    "--aws-account": "123456789012",
    "--snowflake-account": "ORG-ACCOUNT",
    "--stream": "orders",
    "--database": '"my lake"',
    "--schema": "raw",
}
FILE = Path("stacks/environments/dev.yaml")
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)

    def run(*arguments: str, **changes: str) -> Result:
        options = [part for option in (ANSWERS | changes).items() for part in option]
        return CliRunner().invoke(firnline, ["init", *options, *arguments])

    return run


def test_what_is_written_passes_the_check_and_says_what_comes_next(run: Run) -> None:
    result = run("--stream", "clicks")
    assert result.exit_code == 0
    spec = load_spec(FILE)
    assert [stream.name for stream in spec.streams] == ["orders", "clicks"]
    assert {(pipeline.database, pipeline.schema_) for pipeline in spec.pipelines} == {('"my lake"', "RAW")}
    assert spec.durability is Durability.PROTECTED
    assert spec.aws.permissions_boundary == "arn:aws:iam::123456789012:policy/firnline-dev-boundary"
    for step in (
        "firnline spec check",
        "firnline init --bootstrap dev",
        "firnline keys create dev ingest",
        "firnline up",
    ):
        assert step in result.output


def test_in_a_clone_pulumi_is_told_of_the_specification_too(run: Run) -> None:
    program = Path("stacks/pulumi")
    program.mkdir(parents=True)
    (program / "Pulumi.yaml").touch()
    assert "stacks/pulumi/Pulumi.dev.yaml names it" in run().output
    assert Program.committed("dev", FILE).stack == "dev"


def test_settings_of_a_stack_that_are_there_stay(run: Run) -> None:
    program = Path("stacks/pulumi")
    program.mkdir(parents=True)
    (program / "Pulumi.yaml").touch()
    (program / "Pulumi.dev.yaml").write_text("theirs: true")
    assert "Pulumi.dev.yaml" not in run().output
    assert (program / "Pulumi.dev.yaml").read_text() == "theirs: true"


def test_an_editor_finds_the_schema_beside_it(run: Run) -> None:
    run()
    assert FILE.read_text().startswith("# yaml-language-server: $schema=schema.json\n")
    assert FILE.with_name("schema.json").exists()


def test_data_goes_with_the_environment_only_where_that_was_said(run: Run) -> None:
    run("--ephemeral")
    assert load_spec(FILE).durability is Durability.EPHEMERAL


def test_a_file_is_written_over_only_by_force(run: Run) -> None:
    FILE.parent.mkdir(parents=True)
    FILE.write_text("mine")
    assert isinstance(run().exception, SpecificationExists)
    assert FILE.read_text() == "mine"
    assert run("--force").exit_code == 0
    assert load_spec(FILE).name == "dev"


def test_all_wrong_answers_are_told_at_once_and_nothing_is_written(run: Run) -> None:
    error = run(**{"--region": "europe", "--aws-account": "12", "--snowflake-account": "xy12345"}).exception
    assert isinstance(error, ConfigError)
    assert [problem.partition(":")[0] for problem in error.problems] == [
        "aws.region",
        "aws.account",
        "snowflake.account",
    ]
    assert not FILE.exists()


def test_what_nobody_says_and_nobody_can_be_asked_is_listed(run: Run) -> None:
    result = CliRunner().invoke(firnline, ["init", "--name", "dev"])
    assert isinstance(result.exception, UsageError)
    assert "--region, --aws-account, --snowflake-account, --stream, --database, --schema" in str(result.exception)


def test_it_asks_for_what_was_not_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        isatty = staticmethod(lambda: True)

    monkeypatch.setattr(command, "sys", type("Sys", (), {"stdin": Terminal}))
    answers = ["prod", "eu-west-1", "123456789012", "ORG-ACCOUNT", "orders clicks", "LAKE", ""]
    result = CliRunner().invoke(firnline, ["init"], input="\n".join([*answers, ""]))
    assert result.exit_code == 0, result.output
    spec = load_spec(Path("stacks/environments/prod.yaml"))
    assert [stream.name for stream in spec.streams] == ["orders", "clicks"]
    assert spec.pipelines[0].schema_ == "RAW"


def test_another_file_can_be_named(run: Run) -> None:
    assert "firnline up mine/first.yaml" in run("mine/first.yaml").output
    assert load_spec(Path("mine/first.yaml")).name == "dev"
