"""Tests of what `firnline demo` runs: its own events, or those of a file. tests/e2e runs it whole."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from firnline_infra.specification import EnvironmentSpec
from firnline_local.cli.demo import AUDIT_FAILED, demo
from firnline_local.demo.events import shop_events

SPEC = Path(__file__).parents[3] / "stacks" / "environments" / "local.yaml"


class Pipeline:
    """Stands for the run from here on, which takes every list of events alike."""

    def __init__(self) -> None:
        self.events: list[bytes] = []
        self.options: dict[str, Any] = {}

    def __call__(self, folder: Path, spec: EnvironmentSpec, events: list[bytes], **options: Any) -> int:
        self.events, self.options = events, options
        return AUDIT_FAILED


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> Pipeline:
    pipeline = Pipeline()
    monkeypatch.setattr("firnline_local.cli.demo._run", pipeline)
    return pipeline


def run(*arguments: str) -> int:
    return CliRunner().invoke(demo, ["--spec", str(SPEC), *arguments]).exit_code


def test_a_file_of_ones_own_goes_through_the_same_pipeline(pipeline: Pipeline, tmp_path: Path) -> None:
    events = tmp_path / "events.ndjson"
    lines = [*(f'{{"id": {n}, "who": "me"}}' for n in range(1200)), "no json"]
    events.write_text("".join(f"{line}\n" for line in lines))
    assert run("--file", str(events), "--keep") == AUDIT_FAILED
    assert pipeline.events == [line.encode() for line in lines]
    assert pipeline.options == {"keep": True, "by_terraform": False, "deployed_from": None}


def test_the_shops_events_are_as_many_as_were_asked_for(pipeline: Pipeline) -> None:
    assert run("--records", "1500") == AUDIT_FAILED
    assert pipeline.events == list(shop_events(1500))


@pytest.mark.parametrize("tool", ["pulumi", "terraform"])
def test_a_tool_makes_what_the_specification_says(tool: str, pipeline: Pipeline) -> None:
    assert run("--records", "1000", f"--{tool}") == AUDIT_FAILED
    assert pipeline.options == {"keep": False, "by_terraform": tool == "terraform", "deployed_from": SPEC}


@pytest.mark.parametrize("arguments", [["--deploy"], ["--deploy", "--terraform"]])
def test_the_engine_is_deployed_on_what_the_program_or_terraform_made(
    arguments: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    deploys: list[bool] = []
    monkeypatch.setattr("firnline_local.cli.demo._deploy", lambda *_, by_terraform: deploys.append(by_terraform) or 3)
    assert run(*arguments) == AUDIT_FAILED
    assert deploys == ["--terraform" in arguments]
    assert run("--deploy", "--pulumi") == run("--deploy", "--keep") == 2


def test_two_tools_do_not_make_one_environment(pipeline: Pipeline) -> None:
    assert run("--pulumi", "--terraform") == 2
    assert pipeline.options == {}
