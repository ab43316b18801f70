"""Each command that answers something has --output, declared once; each other one says here why it has none."""

import json

import click
import pytest
import yaml
from click.testing import CliRunner

from firnline_infra.cli.main import firnline
from firnline_infra.cli.output import OUTPUTS, rendered
from tests.infra.cli.test_help import commands, found

NARRATES = "It does something and says so as it goes; its exit status is the answer, and `status -o json` has what is there then."
DOCUMENT = "What it prints is a document, for the program that reads it."
WRITES = "It writes files and names them."
ENGINES = "It is the engine's own, which runs where there is no YAML: `validate -o table|json`; the others narrate."
WITHOUT = {
    "up": NARRATES, "destroy": NARRATES, "deploy": NARRATES, "stop": NARRATES, "pipeline pause": NARRATES,
    "pipeline resume": NARRATES, "keys create": NARRATES, "keys rotate": NARRATES, "redshift apply": NARRATES,
    "redshift rebuild": NARRATES, "redshift refresh": NARRATES, "dead-letters replay": NARRATES, "demo": NARRATES,
    "import": NARRATES,
    "preview": "It shows Pulumi's own preview; `drift -o json` has the findings.",
    "spec reference": DOCUMENT, "spec schema": DOCUMENT, "dead-letters show": DOCUMENT, "dead-letters export": DOCUMENT,
    "cross-account": DOCUMENT, "local env": DOCUMENT, "completion": DOCUMENT, "help": DOCUMENT,
    "local terraform": "What it prints is Terraform's: `-- plan -json`.",
    "init": WRITES, "bootstrap": WRITES, "build": WRITES, "terraform": WRITES,
    "run": ENGINES, "drain": ENGINES, "validate": ENGINES, "resume": ENGINES, "migrate": ENGINES, "deregister": ENGINES,
    "columns": ENGINES,
}  # fmt: skip # a paragraph, not a column
ALL = {" ".join(way): found(way) for way in commands() if not isinstance(found(way), click.Group)}


def outputs_of(command: click.Command) -> list[click.Parameter]:
    return [each for each in command.params if "--output" in each.opts]


def test_each_command_has_an_output_or_a_reason() -> None:
    assert {name for name, command in ALL.items() if not outputs_of(command)} == set(WITHOUT)


@pytest.mark.parametrize("name", sorted(set(ALL) - set(WITHOUT)))
def test_output_is_the_same_everywhere_and_has_no_other_spelling(name: str) -> None:
    command = ALL[name]
    (option,) = outputs_of(command)
    assert option.opts == ["-o", "--output"]
    assert isinstance(option.type, click.Choice)
    assert tuple(option.type.choices)[: len(OUTPUTS)] == OUTPUTS
    assert not {"--json", "--yaml", "--format"} & {opt for each in command.params for opt in each.opts}


def test_json_and_yaml_are_the_same_document() -> None:
    explained = [CliRunner().invoke(firnline, ["explain", "FL-2204", "-o", form]).stdout for form in ("json", "yaml")]
    assert json.loads(explained[0]) == yaml.safe_load(explained[1])
    assert json.loads(explained[0])["id"] == "FL-2204"


def test_another_connectors_id_is_explained_as_the_error_that_it_is_here() -> None:
    assert CliRunner().invoke(firnline, ["explain", "error_5030"]).stdout.startswith("FL-3105 RowsRejected")


def test_answers_that_follow_one_another_are_lines_of_json_and_documents_of_yaml() -> None:
    answers = [{"n": 1, "text": "größe\n"}, {"n": 2, "text": ": - '"}]
    written = {
        form: "\n".join(rendered(form, lambda each=each: each, str, is_one_of_many=True) for each in answers)
        for form in ("json", "yaml")
    }
    assert [json.loads(line) for line in written["json"].splitlines()] == answers
    assert list(yaml.safe_load_all(written["yaml"])) == answers


@pytest.mark.parametrize("columns", ["80", "120"])
def test_the_list_of_hosts_fits_the_terminal(columns: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    shown = CliRunner().invoke(firnline, ["hosts", "stacks/environments/prod.yaml"])
    assert shown.exit_code == 0
    assert max(map(len, shown.output.splitlines())) <= int(columns)


def test_errors_are_on_standard_error_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from firnline_infra.cli.main import main

    monkeypatch.setattr("sys.argv", ["firnline", "explain", "FL-20041", "-o", "json"])
    with pytest.raises(SystemExit):
        main()
    printed = capsys.readouterr()
    assert (printed.out, "FL-1002" in printed.err or "did you mean" in printed.err) == ("", True)
