"""Three environments, each made in an embedded cloud of its own, without the Pulumi engine: this repository's, with what goes
beside them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.drift import find_drift
from firnline_infra.drift.ignore import IgnoreList
from firnline_infra.keys.create import create_key
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.stack.deployment import Deployment
from firnline_infra.stack.stack import Stack
from firnline_ingest.checks import Report
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment
from tests.infra.drift.in_process import InProcessStack
from tests.pulumi.environments import Trial, trial_of

AMENDED = {
    "dev": {
        "  key: {origin: skip}": "  runtime: {trust: static-keys}\n  key: {origin: skip}",
        "    tolerance: all #": "    file_replay: true\n    tolerance: all #",
    },
    "staging": {
        "    table: CLICKS\n": "    table: CLICKS\n    ingest: {}\n",
        "      image: ": "      # image: ",
    },
}
"""By the text of each: a stage, the engine as a user of IAM, a pipeline with a user of its own, a repository of images."""


@dataclass(frozen=True)
class Change:
    does: Callable[[], object]
    object: str
    path: str


@dataclass
class Made:
    spec: EnvironmentSpec
    spec_file: Path
    environment: RunningEnvironment
    stack: InProcessStack

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def application(self) -> str:
        return f"firnline-{self.name}"

    def aws(self, service: str) -> Any:
        return self.environment.client(service)

    def sql(self, statement: str) -> None:
        self.environment.query(statement, login="admin")

    def by_sql(self, statement: str, object_: str, path: str) -> Change:
        return Change(lambda: self.sql(statement), object_, path)

    def deployment(self, role: str | None = None) -> Deployment:
        return Deployment(
            spec=self.spec,
            spec_file=self.spec_file,
            env_argument=self.name,
            accounts=EmbeddedAccounts(self.environment, deploy_role=role),
            say=lambda line: None,
            stack=Stack(self.stack, self.name),  # type: ignore[arg-type] # as much of the CLI as is asked for
        )

    def drift(self, role: str | None = None, *, ignoring: IgnoreList | None = None) -> Report:
        """As seen by a role of Snowflake; the administrator's where none is named."""
        return find_drift(self.deployment(role), ignoring or IgnoreList())


@pytest.fixture(scope="module", params=["dev", "staging", "prod"])
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    name: str = request.param
    with trial_of(name, tmp_path_factory.mktemp(name)) as trial:
        spec = load_spec(_amended(trial, name))
        stack = InProcessStack(trial.environment, spec)
        stack.up()
        yield Made(spec, trial.spec_file, trial.environment, stack)


def _amended(trial: Trial, name: str) -> Path:
    text = trial.spec_file.read_text()
    for old, new in AMENDED.get(name, {}).items():
        assert old in text
        text = text.replace(old, new)
    trial.spec_file.write_text(text)
    for pipeline in load_spec(trial.spec_file).pipelines:
        if pipeline.ingest is not None:
            owner = KeyOwner.of(load_spec(trial.spec_file), trial.spec_file, pipeline.stream)
            create_key(owner, EmbeddedAccounts(trial.environment))
    return trial.spec_file
