"""The life's commands are ones that there are. All of it together is `scripts/live --embedded --dollars 5`, on demand."""

import os
import re
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import click
import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.cli.main import firnline
from firnline_infra.kinds.emr import SERVERLESS
from firnline_infra.kinds.kind import own_name
from firnline_infra.kinds.storage import external_volumes
from firnline_infra.kinds.streams import CONSUMER, STREAM
from firnline_infra.specification import load_spec
from firnline_local.running import RunningEnvironment
from tests.live.embedded import variables_of
from tests.live.job_life import REHEARSED_SECONDS, RUNNING_IN, SECONDS, JobLife
from tests.live.life import CommandFailed, Life, commands
from tests.live.names import Run

OF_THE_ENGINE = {"run", "validate"}
RUN = Run(1)
OF_A_JOB = {"", "status", "logs", "stop"}
TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"


@pytest.mark.parametrize(("name", "command"), list(commands("live-1").items()))
def test_each_command_exists_with_its_options(name: str, command: Any) -> None:
    words = command.words.split()
    found: click.Command = firnline
    while isinstance(found, click.Group):
        inner = found.get_command(click.Context(found), words.pop(0))
        assert inner is not None, name
        found = inner
    known = {option for each in found.params for option in each.opts}
    if found.name not in OF_THE_ENGINE:
        assert {word for word in words if word.startswith("--")} <= known


def test_the_life_has_every_command_of_the_tutorial_in_its_order() -> None:
    """So that whoever runs it runs the tutorial; it looks for drift and for what is left to do besides. Its engine is started
    by hand."""
    page = TUTORIAL.read_text(encoding="utf-8").replace("\\\n", " ")
    blocks = "\n".join(re.findall(r"```sh\n(.*?)```", page, re.DOTALL))
    told = [step for step in map(named, re.findall(r"^firnline (.*)$", blocks, re.MULTILINE)) if step not in OF_A_JOB]
    lived = ["init", *(named(each.words) for each in commands("dev").values())]
    assert told
    remaining = iter(lived)
    assert [step for step in dict.fromkeys(told) if step not in remaining] == []


def named(words: str) -> str:
    """A command without what is given to it: `keys create dev reader` is told from the engine's key."""
    said = words.partition("#")[0].split()
    return " ".join(
        [*said[: 2 if said[0] in ("spec", "keys") else 1], *(each for each in said if each in ("ingest", "reader"))]
    )


def life(folder: Path, variables: Mapping[str, str]) -> Life:
    return Life(
        run=RUN,
        folder=folder,
        variables=variables,
        region="eu-west-1",
        snowflake_account="A-B",
        seconds_left=lambda: 60.0,
        say=lambda _: None,
    )


def test_a_command_that_fails_ends_the_life_with_what_it_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.live.life.FIRNLINE", sys.executable)
    with pytest.raises(CommandFailed, match="no such thing"):
        life(tmp_path, {})._firnline("-c exit('no_such_thing'.replace('_',chr(32)))")


def test_a_command_that_takes_all_of_the_time_is_ended(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.live.life.FIRNLINE", sys.executable)
    short = Life(**{**vars(life(tmp_path, {})), "seconds_left": lambda: 0.0})
    with pytest.raises(subprocess.TimeoutExpired):
        short._firnline("-c __import__('time').sleep(60)")


def test_the_engine_runs_here_and_finds_the_account_that_the_variables_name(tmp_path: Path) -> None:
    import json

    around = {"SNOWFLAKE_HOST": "localhost", "SNOWFLAKE_PORT": "4430", "SSL_CERT_FILE": "/ca.pem"}
    life(tmp_path, around)._write_engine_config({"snowflake": {"user": "U"}, "spark": {"checkpoint": "s3://b/c/"}})
    written = json.loads((tmp_path / "engine.json").read_text(encoding="utf-8"))
    assert written["snowflake"] == {"user": "U", "url": "https://localhost:4430", "ca_file": "/ca.pem"}
    assert written["spark"]["master"] == "local[2]"


@pytest.mark.contract
def test_the_life_has_fan_out_a_volume_and_an_interactive_table(
    tmp_path: Path, local_environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The life writes a specification that `up` takes, of names that the sweep finds."""
    variables = {**os.environ, **variables_of(local_environment)}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    written = Life(**{**vars(life(tmp_path, variables)), "snowflake_account": "FIRNLINE-LOCAL"})
    written._write_specification()
    blueprint = blueprint_of(load_spec(written.spec_file))
    assert {type(table).__name__ for table in blueprint.landing.tables} == {"Table", "IcebergTable", "InteractiveTable"}
    assert [own_name(each) for each in CONSUMER.instances(blueprint)] == ["firnline"]
    (volume,) = external_volumes(blueprint.environment)
    warehouse = blueprint.landing.warehouse
    assert warehouse is not None
    named = [own_name(each) for each in STREAM.instances(blueprint)]
    named += [volume.name.name, volume.bucket.name, volume.role.name, warehouse.name.name]
    assert [name for name in named if Run.of(name) != RUN] == []


def test_a_job_reads_for_ten_minutes_in_an_account_and_for_one_in_a_rehearsal(tmp_path: Path) -> None:
    given = vars(life(tmp_path, {}))
    assert JobLife(**given).seconds == SECONDS == 600
    assert JobLife(**{**given, "variables": {RUNNING_IN: "/there"}}).seconds == REHEARSED_SECONDS


@pytest.mark.contract
def test_the_life_of_a_job_is_a_specification_of_emr_serverless_whose_names_the_sweep_finds(
    tmp_path: Path, local_environment: RunningEnvironment, monkeypatch: pytest.MonkeyPatch
) -> None:
    variables = {**os.environ, **variables_of(local_environment), RUNNING_IN: str(local_environment.folder.path)}
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    written = JobLife(**{**vars(life(tmp_path, variables)), "snowflake_account": "FIRNLINE-LOCAL"})
    written._write_specification()
    spec = load_spec(written.spec_file)
    assert spec.aws.runtime.kind == "emr_serverless"
    blueprint = blueprint_of(spec)
    assert Run.of(own_name(SERVERLESS.instance(blueprint))) == RUN
    assert [each for each in map(own_name, STREAM.instances(blueprint)) if Run.of(each) != RUN] == []


def test_an_audit_that_counts_other_records_than_were_put_ends_the_life_of_a_job(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    report = '{"proven": true, "pipelines": [{"totals": {"records": 99}}]}'
    monkeypatch.setattr(JobLife, "_firnline", lambda *_: (report, 0))
    lived = JobLife(**vars(life(tmp_path, {})))
    assert lived._in_accounts("audit ENV --output json", of=99) == 0
    with pytest.raises(CommandFailed, match="does not prove 100 records"):
        lived._in_accounts("audit ENV --output json", of=100)
