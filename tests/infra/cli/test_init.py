import json
import re
from collections.abc import Callable
from importlib.metadata import version
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from firnline_infra.cli.init import QUESTIONS, Question
from firnline_infra.cli.main import firnline
from firnline_infra.rollout.uploads import with_image
from firnline_infra.runtimes.registry import render
from firnline_infra.specification import load_spec
from firnline_infra.specification.errors import SpecificationExists
from firnline_infra.specification.model import Durability
from firnline_infra.specification.runtime import SECTIONS
from firnline_infra.specification.starter import RUNTIMES
from firnline_infra.stack.program import Program
from firnline_ingest.errors import ConfigError, UsageError
from tests.infra.runtimes.environments import IMAGE, job_of
from tests.infra.specifications import names_a_path

ANSWERS = {
    "--name": "dev",
    "--region": "eu-central-1",
    "--aws-account": "123456789012",
    "--snowflake-account": "ORG-ACCOUNT",
    "--warehouse": "REPORTING",
    "--stream": "orders",
    "--database": '"my lake"',
    "--schema": "raw",
    "--runtime": "by-hand",
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
        "firnline bootstrap dev",
        "firnline keys create dev ingest",
        "firnline up",
    ):
        assert step in result.output


SUBNETS = ("--subnet", "subnet-0a1b2c3d4e5f60718")
PODS = ("--cluster", "platform", "--namespace", "ingest")
PLACES = {
    "emr-serverless": (*SUBNETS, "--subnet", "subnet-1a1b2c3d4e5f60718", "--vpc", "vpc-0a1b2c3d4e5f60718"),
    "emr-ec2": SUBNETS,
    "emr-eks": PODS,
    "kubernetes": (*PODS, "--operator", "apache", "--context", "platform"),
}


@pytest.mark.parametrize("place", PLACES)
def test_an_engine_is_started_where_it_was_said_to_run(run: Run, place: str) -> None:
    result = run(*PLACES[place], **{"--runtime": place})
    assert result.exit_code == 0, result.output
    spec = load_spec(FILE)
    assert [named for named in named_pages() if not Path(named).exists()] == []
    spec = with_image(spec, IMAGE) if spec.aws.runtime.kubernetes else spec
    assert spec.aws.runtime.kind == place.replace("-", "_")
    assert render(job_of(spec), token="00000001-ab")
    written = FILE.read_text()
    assert [answer for answer in PLACES[place][1::2] if answer not in written] == []


def test_all_wrong_options_are_named_at_once(run: Run) -> None:
    wrong = {
        "--name": "Dev_3",
        "--region": "eu",
        "--snowflake-account": "a b",
        "--stream": "or ders",
        "--runtime": "emr-eksx",
    }
    said = str(run(**wrong).exception)
    assert "--runtime: 'emr-eksx' is not a valid runtime; did you mean 'emr-eks'?" in said
    assert [
        path for path in ("- name:", "aws.region:", "snowflake.account:", "streams[0].name:") if path not in said
    ] == []


def test_what_a_runtime_needs_is_listed_and_another_one_is_refused(run: Run) -> None:
    assert set(PLACES) == set(RUNTIMES) - {"by-hand"} == {each.replace("_", "-") for each in SECTIONS}
    assert "expected one of: by-hand, emr-ec2," in str(run(**{"--runtime": "lambda"}).exception)
    for place, options in PLACES.items():
        needed = ", ".join(dict.fromkeys(options[::2]))
        assert f"needs {needed}." in str(run(**{"--runtime": place}).exception)


def files() -> set[str]:
    return {str(path) for path in Path().rglob("*") if path.is_file()}


WORKFLOW = Path(".github/workflows/firnline-dev.yaml")


def test_an_empty_folder_gets_all_that_a_repository_needs(run: Run) -> None:
    output = run().output
    stack = {f"stacks/pulumi/{name}" for name in ("Pulumi.yaml", "__main__.py", "Pulumi.dev.yaml")}
    assert files() == {str(FILE), "stacks/environments/schema.json", *stack, str(WORKFLOW), ".gitignore"}
    assert all(f"{name}: written" in output for name in files())
    assert Program.committed("dev", FILE) == Program(Path("stacks/pulumi"), "dev")
    assert ".firnline/" in Path(".gitignore").read_text().splitlines()


@pytest.mark.parametrize("tool", ["terraform", "opentofu"])
def test_where_terraform_is_the_tool_there_is_no_program(run: Run, tool: str) -> None:
    result = run("--tool", tool)
    assert files() == {str(FILE), "stacks/environments/schema.json", str(WORKFLOW), ".gitignore"}
    assert f"firnline-infra[terraform]=={version('firnline-infra')}" in WORKFLOW.read_text()
    assert f"--github OWNER/REPO --tool {tool} --into bootstrap" in result.output
    assert "  5. firnline terraform dev; review and commit stacks/terraform" in result.output
    assert "  6. firnline up dev" in result.output


def test_the_workflow_names_the_release_that_wrote_it_and_the_branch(run: Run) -> None:
    run("--branch", "trunk")
    text = WORKFLOW.read_text()
    assert f"'firnline-infra[deploy]=={version('firnline-infra')}'" in text
    assert "refs/heads/trunk" in text


def test_said_again_it_writes_nothing_new(run: Run) -> None:
    run()
    before = {name: Path(name).read_text() for name in files()}
    result = run()
    assert result.exit_code == 0
    assert {name: Path(name).read_text() for name in files()} == before
    assert result.output.count(": was there\n") == len(before)
    assert "move it away" not in result.output


@pytest.mark.parametrize(
    "name", ["stacks/pulumi/Pulumi.yaml", "stacks/pulumi/__main__.py", "stacks/pulumi/Pulumi.dev.yaml", str(WORKFLOW)]
)
def test_a_file_that_differs_stays_and_what_to_do_is_said(run: Run, name: str) -> None:
    Path(name).parent.mkdir(parents=True)
    Path(name).write_text("theirs: true\n")
    result = run("--force")
    assert result.exit_code == 0
    assert f"{name}: was there, differs, and is left as it is\n" in result.output
    assert "move it away, and run this again" in result.output
    assert Path(name).read_text() == "theirs: true\n"


def test_settings_that_pulumi_has_written_into_are_the_same_still(run: Run) -> None:
    run()
    settings = Path("stacks/pulumi/Pulumi.dev.yaml")
    settings.write_text("encryptionsalt: v1:x\n" + settings.read_text())
    assert "move it away" not in run().output


def test_lines_are_added_to_what_git_leaves_out_already(run: Run) -> None:
    Path(".gitignore").write_text("*.pem\nmine")
    assert ".gitignore: has more lines" in run().output
    lines = Path(".gitignore").read_text().splitlines()
    assert lines[:2] == ["*.pem", "mine"]
    assert lines.count("*.pem") == 1
    assert ".venv/" in lines


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
    assert files() == set()


@pytest.mark.parametrize(
    ("option", "wrong"),
    [("--name", "Dev"), ("--region", "europe"), ("--stream", "a b"), ("--schema", "a b"), ("--warehouse", "a b")],
)
def test_a_wrong_answer_is_told_with_its_option(run: Run, option: str, wrong: str) -> None:
    error = run(**{option: wrong}).exception
    assert isinstance(error, ConfigError)
    assert all(each.endswith(f"; it is {option}") for each in error.problems)


@pytest.mark.parametrize("question", [each for each in QUESTIONS if each.name != "runtime"], ids=lambda each: each.name)
def test_each_question_knows_its_places_in_the_specification(question: Question) -> None:
    paths = re.sub(r"\\\[.*?\\\]", "", question.place).replace("\\", "")
    expanded = [
        paths.replace("(serverless.subnets|ec2.subnet)()?", each) for each in ("serverless.subnets", "ec2.subnet")
    ]
    assert question.place
    assert [each for path in expanded for each in path.split("|") if not names_a_path(f"{each}: x")] == []


def test_a_wrong_value_of_a_file_is_told_with_the_connector_s_option(run: Run, tmp_path: Path) -> None:
    file = tmp_path / "openflow.json"
    names = ("AWS Kinesis Stream Name", "Snowflake Destination Database", "Snowflake Destination Schema")
    file.write_text(json.dumps({**dict.fromkeys(names, "ORDERS"), "AWS Kinesis Region": "europe"}))
    given = {name: value for name, value in ANSWERS.items() if name in ("--name", "--aws-account", "--runtime")}
    options = [part for pair in (given | {"--warehouse": "W", "--snowflake-account": "A-B"}).items() for part in pair]
    error = CliRunner().invoke(firnline, ["init", "--from", str(file), *options]).exception
    assert isinstance(error, ConfigError)
    assert [each.partition("; it is ")[2] for each in error.problems] == [
        "AWS Kinesis Region of Openflow's connector for Kinesis"
    ]


def test_what_nobody_says_and_nobody_can_be_asked_is_listed(run: Run) -> None:
    result = CliRunner().invoke(firnline, ["init", "--name", "dev"])
    assert isinstance(result.exception, UsageError)
    assert "--region, --aws-account, --snowflake-account, --warehouse, --stream, --database, --schema" in str(
        result.exception
    )


def test_it_asks_for_what_was_not_said(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal:
        isatty = staticmethod(lambda: True)

    monkeypatch.setattr("firnline_infra.cli.init.sys", type("Sys", (), {"stdin": Terminal}))
    answers = ["prod", "eu-west-1", "123456789012", "ORG-ACCOUNT", "REPORTING", "orders clicks", "LAKE", ""]
    answers += ["", "subnet-0a1b2c3d4e5f60718", "vpc-0a1b2c3d4e5f60718"]
    result = CliRunner().invoke(firnline, ["init"], input="\n".join([*answers, ""]))
    assert result.exit_code == 0, result.output
    spec = load_spec(Path("stacks/environments/prod.yaml"))
    assert [stream.name for stream in spec.streams] == ["orders", "clicks"]
    assert spec.pipelines[0].schema_ == "RAW"
    assert spec.aws.runtime.job is not None


def test_another_file_can_be_named(run: Run) -> None:
    assert "firnline up mine/first.yaml" in run("mine/first.yaml").output
    assert load_spec(Path("mine/first.yaml")).name == "dev"
    assert Program.committed("dev", Path("mine/first.yaml")).stack == "dev"
    assert "firnline up mine/first.yaml" in WORKFLOW.read_text()
    assert "'mine/first.*'" in WORKFLOW.read_text()


@pytest.mark.parametrize("file", ["onlyname", "dev.spec", "/tmp/dev.yaml", "../dev.yaml"])
def test_a_specification_is_where_commands_and_the_workflow_find_it_again(run: Run, file: str) -> None:
    refused = run(file)
    assert isinstance(refused.exception, UsageError)
    assert "stacks/environments/dev.yaml" in str(refused.exception)
    assert files() == set()


@pytest.mark.parametrize("branch", ["rel: #1", "a\nb", "release/**", "it's", "-x", ""])
def test_a_branch_that_a_workflow_could_not_compare_is_refused(run: Run, branch: str) -> None:
    refused = run(f"--branch={branch}")
    assert refused.exit_code == 2
    assert "is not a plain name of a branch" in refused.output
    assert files() == set()


def test_the_next_steps_mean_the_same_branch(run: Run) -> None:
    assert "--branch release/2 --into bootstrap" in run("--branch", "release/2").output


def test_a_place_that_can_not_be_written_is_named_with_what_to_do(run: Run) -> None:
    Path(".github").write_text("a file")
    refused = run()
    assert isinstance(refused.exception, UsageError)
    assert ".github" in str(refused.exception)
    Path(".github").unlink()
    assert run().exit_code == 0


def test_ends_of_lines_of_what_git_leaves_out_stay(run: Run) -> None:
    Path(".gitignore").write_bytes(b"*.log\r\n.venv/\r\n")
    run()
    lines = Path(".gitignore").read_bytes()
    assert lines.startswith(b"*.log\r\n.venv/\r\n")
    assert lines.count(b".venv/") == 1


def test_a_team_on_gitlab_gets_its_pipeline_in_place_of_the_workflow(run: Run) -> None:
    result = run("--gitlab", "--branch", "trunk")
    assert result.exit_code == 0
    assert {".gitlab-ci.yml", ".gitlab/firnline-dev.yml"} <= files()
    assert not any(".github" in file for file in files())
    assert yaml.safe_load(Path(".gitlab-ci.yml").read_text()) == {"include": [{"local": ".gitlab/firnline-dev.yml"}]}
    assert '$CI_COMMIT_BRANCH == "trunk"' in Path(".gitlab/firnline-dev.yml").read_text()
    assert "firnline bootstrap dev --gitlab GROUP/PROJECT --branch trunk" in result.output


def test_a_second_environment_on_gitlab_is_to_be_included_beside_the_first(run: Run) -> None:
    run("--gitlab")
    result = run("--gitlab", **{"--name": "prod"})
    assert ".gitlab-ci.yml: was there, differs" in result.output
    assert Path(".gitlab/firnline-prod.yml").is_file()


def test_a_name_that_is_refused_names_no_file_that_was_not_written(run: Run) -> None:
    refused = run(**{"--name": "Dev_1"}).exception
    assert isinstance(refused, ConfigError)
    assert "nothing is written to stacks/environments/Dev_1.yaml" in str(refused)
    assert not Path("stacks").exists()


def named_pages() -> set[str]:
    """Files of documentation that what was written refers to: a team's repository has none of ours."""
    texts = (file.read_text(encoding="utf-8") for file in Path().rglob("*") if file.suffix in (".yaml", ".yml", ".py"))
    return {page for text in texts for page in re.findall(r"\bdocs/[\w./-]+", text)}
