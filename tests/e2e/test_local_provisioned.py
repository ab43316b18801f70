"""`X ENV --local` on what `firnline local up` has made by itself: every command that takes --local, as a person runs it."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click
import pytest
import yaml

from firnline_infra.cli.main import firnline as root
from firnline_infra.keys.pair import new_pair
from firnline_infra.pulumi_cli import find_cli
from firnline_infra.pulumi_cli.errors import PulumiError
from firnline_local.machine import ARCHITECTURE

pytestmark = [pytest.mark.e2e, pytest.mark.timeout(1800)]

FIRNLINE = [sys.executable, "-c", "from firnline_infra.cli import main; main()"]
OTHER = {"arm64": "x86_64", "x86_64": "arm64"}[ARCHITECTURE]
COMMON: dict[str, Any] = {
    "version": 1,
    "durability": "EPHEMERAL",
    "aws": {"region": "us-east-1", "account": "000000000000", "key": {"origin": "skip"}},
    "streams": [{"name": "orders", "shards": 1}],
    "pipelines": [{"stream": "orders", "database": "SHOP", "schema": "RAW", "table": "ORDERS"}],
    "epoch": {"seconds": 10},
}
SNOWFLAKE = {"account": "FIRNLINE-LOCAL", "warehouse": "COMPUTE_WH"}
BY_HAND = {
    **COMMON,
    "name": "shop",
    "aws": {**COMMON["aws"], "bucket": {"origin": "skip"}, "runtime": {"trust": "nobody"}},
    "snowflake": SNOWFLAKE,
}
"""What a laptop has: an engine that somebody starts."""
A_JOB = {
    **COMMON,
    "name": "jobs",
    "aws": {
        **COMMON["aws"],
        "runtime": {
            "trust": "emr-serverless",
            "emr_serverless": {
                "architecture": OTHER,
                "subnets": ["subnet-0a1b2c3d4e5f60718"],
                "security_group": {"vpc": "vpc-0a1b2c3d4e5f60718"},
            },
        },
    },
    "snowflake": SNOWFLAKE,
    "redshift": {"workgroup": {}, "views": [{"stream": "orders", "name": "orders", "unreadable": "skip"}]},
}
"""What a team has: a runtime of another architecture than this machine's, keys in secrets, views of Redshift."""


@dataclass(frozen=True)
class Typed:
    """A command line, and what it must end with."""

    words: str
    says: str
    status: int = 0


@dataclass(frozen=True)
class Place:
    environment: str
    folder: Path
    """Where a person types: the specification and .firnline/local are in it."""

    def run(self, words: str) -> "subprocess.CompletedProcess[str]":
        return subprocess.run(
            [*FIRNLINE, *words.split()],
            capture_output=True,
            text=True,
            check=False,
            timeout=600,
            cwd=self.folder,
            env={name: value for name, value in os.environ.items() if not name.startswith("FIRNLINE_LOCAL")},
        )

    def otherwise(self, typed: Iterable[Typed]) -> list[str]:
        """Runs all of them, in order. Returns what ended otherwise than it should have."""
        return [text for each in typed if (text := self._ended(each))]

    def _ended(self, typed: Typed) -> str:
        said = self.run(typed.words)
        text = said.stdout + said.stderr
        is_so = said.returncode == typed.status and typed.says in text and "Traceback" not in text
        return "" if is_so else f"firnline {typed.words}: {said.returncode}\n{text[-2000:]}\n"


@contextmanager
def up(folder: Path, document: dict[str, Any]) -> Iterator[Place]:
    """A running `firnline local up` that has made all of the document."""
    try:
        find_cli()
    except PulumiError as none:
        pytest.skip(str(none))
    spec = folder / "stacks" / "environments" / f"{document['name']}.yaml"
    spec.parent.mkdir(parents=True)
    spec.write_text(yaml.safe_dump(document))
    command = [*FIRNLINE, "local", "up", "--spec", str(spec), "--output", "json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=folder) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline(), process.stderr and process.stderr.read()
            yield Place(document["name"], folder)
        finally:
            process.terminate()


def nothing_differs(name: str) -> tuple[Typed, ...]:
    return (
        Typed(f"preview {name} --local --expect-no-changes", "unchanged"),
        Typed(f"drift {name} --local", "no difference"),
    )


ON_A_LAPTOP = (
    *nothing_differs("shop"),
    Typed("doctor shop --local", "nothing that `up` would create exists already"),
    Typed("outputs shop --local", "engine_config_hash"),
    Typed("validate shop --local", "good     snowflake"),
    Typed("status shop --local", "no engine is running", status=3),
    Typed("run shop --local --available-now", '"records": 3'),
    Typed("status shop --local", "orders", status=3),
    Typed("audit shop --local", "PROVEN: each of 3 records"),
    Typed("latency shop --local", "SHOP.RAW.ORDERS"),
    Typed("columns shop --local", "No column waits for approval"),
    Typed("pipeline pause shop orders --local", "orders is paused"),
    Typed("pipeline resume shop orders --local", "orders"),
    Typed("drain shop --local", "engine.stopping"),
    Typed("stop shop --local", "No engine runs"),
    Typed("resume shop --local --stream orders --from proven", "decided, and kept in the ledger"),
    Typed("deregister shop --local", ""),
    Typed("migrate shop --local --undo", "", status=2),
    Typed("dead-letters list shop --local", "No dead letters"),
    Typed("dead-letters show --local shop none", "", status=2),
    Typed("dead-letters export shop --local --letters none", "", status=0),
    Typed("dead-letters replay shop --local --dry-run", ""),
    Typed("import shop --local", ""),
    Typed("up shop --local", "shop is up"),
    *nothing_differs("shop"),
    Typed("destroy shop --local --yes", ""),
    Typed("drift shop --local", "FL-6135", status=2),
)
OF_A_JOB = (
    *nothing_differs("jobs"),
    Typed("status jobs --local", "no engine", status=3),
    Typed("logs jobs --local", "no engine was ever started", status=3),
    Typed("stop jobs --local", "No engine of firnline-jobs runs there"),
    Typed("deploy jobs --local --rollback", "FL-5468", status=2),
    Typed("redshift status jobs --local", "orders"),
    Typed("redshift refresh jobs --local", ""),
    Typed("redshift audit jobs --local", ""),
    Typed("redshift apply jobs --local", ""),
    Typed("redshift rebuild jobs orders --local --yes", ""),
    Typed("keys create jobs ingest --local", "secret"),
    Typed("keys create jobs reader --local", "secret"),
    Typed("preview jobs --local", "update"),
    Typed("keys rotate jobs ingest --local", "Snowflake does not have every key", status=3),
)
ASKS_NOTHING = {"build", "put"}
"""`build` reads the specification alone; `put` refuses the option, and names `firnline local put`."""


def takers(command: click.Command, path: tuple[str, ...] = ()) -> Iterator[str]:
    """Yields the commands that take --local."""
    if isinstance(command, click.Group):
        context = click.Context(command)
        for name in command.list_commands(context):
            found = command.get_command(context, name)
            assert found is not None
            yield from takers(found, (*path, name))
    elif any("--local" in each.opts for each in command.params):
        yield " ".join(path)


def test_each_command_that_takes_the_option_is_typed() -> None:
    typed = [f"{each.words} " for each in (*ON_A_LAPTOP, *OF_A_JOB)]
    missing = {name for name in takers(root) if not any(words.startswith(f"{name} ") for words in typed)}
    assert missing == ASKS_NOTHING


def test_what_local_up_has_made_is_there_for_the_commands_of_an_environment(tmp_path: Path) -> None:
    """The embedded environment's state is handed to Pulumi, whatever keys and whatever architecture the specification names."""
    keys = {"public_keys": {"slot_1": new_pair().public_key}}  # of an account that is another one
    document = {**A_JOB, "snowflake": {**SNOWFLAKE, "reader": keys}}
    with up(tmp_path, {name: value for name, value in document.items() if name != "redshift"}) as place:
        unchanged, _ = nothing_differs("jobs")
        assert "\n".join(place.otherwise([unchanged])) == ""
        outputs = json.loads(place.run("outputs jobs --local --output json").stdout)
        assert outputs["engine_place"]
        assert not (tmp_path / "stacks" / "environments" / "jobs.keys.yaml").exists()


@pytest.mark.slow
@pytest.mark.spark
def test_every_command_works_beside_an_engine_that_is_started_by_hand(tmp_path: Path) -> None:
    with up(tmp_path, BY_HAND) as place:
        (tmp_path / "events.ndjson").write_text("".join(f'{{"ID": {n}}}\n' for n in range(3)))
        assert place.run("local put orders events.ndjson").returncode == 0
        assert "\n".join(place.otherwise(ON_A_LAPTOP)) == ""


@pytest.mark.slow
def test_every_command_works_beside_an_engine_that_is_a_job(tmp_path: Path) -> None:
    with up(tmp_path, A_JOB) as place:
        assert "\n".join(place.otherwise(OF_A_JOB)) == ""
