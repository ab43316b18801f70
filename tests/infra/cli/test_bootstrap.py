import shlex
from collections.abc import Callable
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from firnline_infra.cli.main import firnline
from firnline_ingest.errors import UsageError

SPEC = """
version: 1
name: dev
aws:
  region: eu-central-1
  account: "123456789012"
  permissions_boundary: arn:aws:iam::123456789012:policy/firnline-dev-boundary
snowflake: {account: ORG-ACCOUNT}
streams: [{name: orders}]
pipelines: [{stream: orders, database: LAKE, schema: RAW}]
"""
FILES = {"dev-aws.yaml", "dev-snowflake.sql", "dev.env", "dev-workflow.yaml"}
Run = Callable[..., Result]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    monkeypatch.chdir(tmp_path)
    Path("stacks/environments").mkdir(parents=True)
    Path("stacks/environments/dev.yaml").write_text(SPEC)
    return lambda *arguments: CliRunner().invoke(firnline, ["bootstrap", *arguments])


def test_everything_is_printed_and_nothing_made(run: Run) -> None:
    result = run("dev", "--github", "acme/data")
    assert result.exit_code == 0
    assert {line.removeprefix("#### ") for line in result.stdout.splitlines() if line.startswith("#### ")} == FILES
    assert "Nothing was created." in result.stderr
    assert [path for path in Path().rglob("*") if path.is_file()] == [Path("stacks/environments/dev.yaml")]


def test_files_are_written_where_that_is_asked_for_and_over_others_only_by_force(run: Run) -> None:
    assert run("stacks/environments/dev.yaml", "--github", "acme/data", "--into", "boot").exit_code == 0
    assert {path.name for path in Path("boot").iterdir()} == FILES
    assert yaml.safe_load(Path("boot/dev-aws.yaml").read_text())["AWSTemplateFormatVersion"] == "2010-09-09"
    again = run("dev", "--github", "acme/data", "--into", "boot")
    assert isinstance(again.exception, UsageError)
    assert run("dev", "--github", "acme/data", "--into", "boot", "--force").exit_code == 0


def test_the_next_steps_name_the_files(run: Run) -> None:
    steps = run("dev", "--github", "acme/data", "--into", "boot").stderr
    assert "--template-file boot/dev-aws.yaml --capabilities CAPABILITY_NAMED_IAM" in steps
    assert "firnline keys create dev ingest" in steps
    assert "permissions_boundary" not in steps


def test_a_template_that_is_too_large_to_be_sent_goes_through_a_bucket(run: Run) -> None:
    """AWS CLI, `cloudformation deploy`: required for templates of more than 51,200 bytes."""
    assert "--s3-bucket" not in run("dev", "--github", "acme/data").stderr
    document = yaml.safe_load(SPEC)
    names = [f"shop-orders-{number}" for number in range(40)]
    document["streams"] = [{"name": name, "consumers": ["analytics", "warehouse"]} for name in names]
    document["pipelines"] = [{"stream": name, "database": "LAKE", "schema": "RAW"} for name in names]
    Path("stacks/environments/dev.yaml").write_text(yaml.safe_dump(document))
    steps = run("dev", "--github", "acme/data", "--into", "boot").stderr
    assert Path("boot/dev-aws.yaml").stat().st_size > 51_200
    assert "CAPABILITY_NAMED_IAM \\\n       --s3-bucket BUCKET" in steps


def test_more_policies_than_an_account_lets_a_role_have_at_first_are_told(run: Run) -> None:
    """IAM takes 10, and 25 where an account has asked for them."""
    assert "managed policies" not in run("dev", "--github", "acme/data").stderr
    document = yaml.safe_load(SPEC)
    names = [f"clicks-{number}" for number in range(55)]
    document["streams"] = [{"name": name} for name in names]
    document["pipelines"] = [{"stream": name, "database": "LAKE", "schema": "RAW"} for name in names]
    document["alarms"] = {"topics": ["arn:aws:sns:eu-central-1:123456789012:on-call"]}
    document["metrics"] = {"cloudwatch": True}
    Path("stacks/environments/dev.yaml").write_text(yaml.safe_dump(document))
    assert "ask Service Quotas for 25" in run("dev", "--github", "acme/data").stderr


def test_a_specification_without_the_boundary_is_told_its_line(run: Run) -> None:
    path = Path("stacks/environments/dev.yaml")
    path.write_text("".join(line for line in SPEC.splitlines(keepends=True) if "boundary" not in line))
    steps = run("dev", "--github", "acme/data").stderr
    assert "permissions_boundary: arn:aws:iam::123456789012:policy/firnline-dev-boundary" in steps


@pytest.mark.parametrize("github", [(), ("--github", "acme")])
def test_the_repository_has_to_be_named(run: Run, github: tuple[str, ...]) -> None:
    result = run("dev", *github)
    assert isinstance(result.exception, UsageError)
    assert "--github acme/data-platform" in str(result.exception)


@pytest.mark.parametrize("old", [("--bootstrap", "dev"), ("--bootstrap=dev",)])
def test_the_form_that_it_had_as_an_option_of_init_still_works_and_says_so(run: Run, old: tuple[str, ...]) -> None:
    rest = ("--github", "acme/data", "--branch", "trunk")
    before, now = CliRunner().invoke(firnline, ["init", *old, *rest]), run("dev", *rest)
    assert (before.exit_code, before.stdout) == (0, now.stdout)
    assert before.stderr == f"`firnline init --bootstrap ENV` is `firnline bootstrap ENV` now.\n{now.stderr}"


@pytest.mark.parametrize(
    "repository",
    ["acme", "acme/", "/x", "acme/da ta", "acme/*", "*/*", "a/b/c", "acme@1/data", "acme/data@1", "acme@x/data@1"],
)
def test_a_repository_is_an_owner_and_a_name(run: Run, repository: str) -> None:
    assert isinstance(run("dev", "--github", repository).exception, UsageError)


def test_a_folder_that_is_a_file_is_named(run: Run) -> None:
    Path("taken").write_text("")
    refused = run("dev", "--github", "acme/data", "--into", "taken/inner").exception
    assert isinstance(refused, UsageError)
    assert "taken" in str(refused)


def test_a_repository_whose_tokens_have_immutable_subjects_is_named_with_its_ids(run: Run) -> None:
    result = run("dev", "--github", "acme@123/data@456")
    assert result.exit_code == 0
    assert "repo:acme@123/data@456:environment:dev" in result.stdout


def test_a_project_of_gitlab_gets_a_pipeline_and_roles_of_its_own(run: Run) -> None:
    steps = run("dev", "--gitlab", "acme/platform/data", "--gitlab-host", "gitlab.acme.com", "--into", "boot").stderr
    assert {path.name for path in Path("boot").iterdir()} == {*FILES - {"dev-workflow.yaml"}, "dev-gitlab-ci.yaml"}
    assert "GitLabProviderExists=true" in steps
    assert "put boot/dev-gitlab-ci.yaml in the place of .gitlab/firnline-dev.yml" in steps
    template = Path("boot/dev-aws.yaml").read_text()
    assert "gitlab.acme.com:sub: project_path:acme/platform/data:ref_type:branch:ref:main" in template
    assert "github" not in template.lower()


@pytest.mark.parametrize(
    "options",
    [
        ("--gitlab", "acme"),
        ("--gitlab", "acme/*"),
        ("--gitlab", "acme/data:ref_type"),
        ("--gitlab", "acme/data", "--github", "acme/data"),
        ("--gitlab", "acme/data", "--gitlab-host", "https://gitlab.acme.com"),
        ("--gitlab", "acme/data", "--gitlab-host", "*"),
    ],
)
def test_a_project_is_one_by_its_path_on_one_host(run: Run, options: tuple[str, ...]) -> None:
    assert isinstance(run("dev", *options).exception, UsageError)


@pytest.mark.parametrize(
    ("provider", "written"), [("--gitlab", "dev-gitlab-ci.yaml"), ("--github", "dev-workflow.yaml")]
)
def test_a_path_that_a_shell_would_take_apart_is_named_and_watched_as_it_is(
    run: Run, provider: str, written: str
) -> None:
    spec = Path("my envs/dev.yaml")
    spec.parent.mkdir()
    spec.write_text(SPEC)
    result = run(str(spec), provider, "acme/data", "--into", "out")
    assert result.exit_code == 0
    text = Path("out", written).read_text()
    commands = [shlex.split(line) for line in text.splitlines() if ".venv/bin/firnline spec check" in line]
    assert commands
    assert all(words[-1] == str(spec) for words in commands)
    assert "'my envs/dev.*'" in text
    assert "firnline keys create 'my envs/dev.yaml' ingest" in result.output


def test_what_is_rendered_is_for_the_tool_that_makes_the_environment(run: Run) -> None:
    assert run("dev", "--github", "acme/data", "--tool", "opentofu", "--into", "boot").exit_code == 0
    for name in ("dev.env", "dev-workflow.yaml"):
        text = Path("boot", name).read_text()
        assert "TERRAFORM_BINARY_NAME" in text
        assert "pulumi" not in text.lower()
