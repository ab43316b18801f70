"""Three environments, each made in an embedded cloud of its own, without the Pulumi engine: this repository's, with what goes
beside them."""

import json
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.blueprint import blueprint_of
from firnline_infra.drift import find_drift
from firnline_infra.drift.context import DriftContext
from firnline_infra.drift.ignore import IgnoreList
from firnline_infra.drift.stack import State, stack_findings
from firnline_infra.drift.suite import PARTS, drift_report
from firnline_infra.keys.create import create_key
from firnline_infra.keys.owner import KeyOwner
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.stack.deployment import Deployment
from firnline_infra.stack.stack import Stack
from firnline_ingest.checks import Check, Report
from firnline_local.accounts import EmbeddedAccounts
from firnline_local.running import RunningEnvironment
from tests.infra.drift.in_process import InProcessStack
from tests.pulumi.environments import Trial, trial_of

AMENDED = {
    "dev": {
        "  key: {origin: skip}": "  runtime: {trust: static-keys}\n  key: {origin: skip}",
        "    tolerance: all #": "    file_replay: true\n    columns: [{name: ORDER_ID, type: VARCHAR}]\n"
        "    latest_by: [ORDER_ID]\n    tolerance: all #",
    },
    "staging": {
        "    table: CLICKS\n": "    table: CLICKS\n    ingest: {}\n",
        "      image: ": "      # image: ",
    },
}
"""By the text of each: a stage, a table of latest rows, the engine as a user of IAM, a pipeline with a user of its own, a
repository of images."""


STRANGER = "arn:aws:iam::999988887777:root"


def policy(action: str, resource: str, **more: Any) -> str:
    return json.dumps(
        {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": action, "Resource": resource, **more}]}
    )


Doing = Callable[[], object]


@dataclass(frozen=True)
class Change:
    does: Doing
    object: str
    path: str
    undo: Doing | None = None
    """For what another change of this list would hide, or could not be made after."""
    also: tuple[str, ...] = ()
    """Properties of the object that the service changes with it: each is a finding of its own."""

    @property
    def keys(self) -> set[tuple[str, str]]:
        return {(self.object, path) for path in (self.path, *self.also)}

    @property
    def key(self) -> tuple[str, str]:
        return self.object, self.path


@dataclass(frozen=True)
class Clients(EmbeddedAccounts):
    """Keeps the clients of AWS: to make one takes longer than to ask it."""

    made: dict[str, Any] = field(default_factory=dict)

    def aws(self, service: str) -> Any:
        return self.made.get(service) or self.made.setdefault(service, super().aws(service))


@dataclass
class Made:
    spec: EnvironmentSpec
    spec_file: Path
    environment: RunningEnvironment
    stack: InProcessStack
    clients: dict[str, Any] = field(default_factory=dict)

    @property
    def name(self) -> str:
        return self.spec.name

    @property
    def application(self) -> str:
        return f"firnline-{self.name}"

    def aws(self, service: str) -> Any:
        return self.accounts().aws(service)

    def accounts(self, role: str | None = None) -> EmbeddedAccounts:
        return Clients(self.environment, deploy_role=role, made=self.clients)

    def sql(self, statement: str) -> None:
        """Several are separated by semicolons."""
        with closing(self.session.cursor()) as cursor:
            for each in statement.split("; "):
                cursor.execute(each)

    @cached_property
    def session(self) -> Any:
        return self.accounts().snowflake()

    def by_sql(self, statement: str, object_: str, path: str, *, undo: str = "") -> Change:
        return Change(lambda: self.sql(statement), object_, path, (lambda: self.sql(undo)) if undo else None)

    @cached_property
    def _checks(self) -> list[Check]:
        context = DriftContext(
            blueprint=blueprint_of(self.spec),
            accounts=self.accounts(),
            session=self.session,
            outputs=self.stack.outputs,
            state=self.stack.export(self.name),
        )
        return [check for part in PARTS for check in part.checks(context)]

    def deployment(self, role: str | None = None) -> Deployment:
        return Deployment(
            spec=self.spec,
            spec_file=self.spec_file,
            env_argument=self.name,
            accounts=self.accounts(role),
            say=lambda line: None,
            stack=Stack(self.stack, self.name),  # type: ignore[arg-type] # as much of the CLI as is asked for
        )

    def drift(self, role: str | None = None, *, ignoring: IgnoreList | None = None) -> Report:
        """Returns what a role of Snowflake sees; the administrator's where none is named."""
        return find_drift(self.deployment(role), ignoring or IgnoreList())

    def drift_of(self, object_: str) -> set[tuple[str, str]]:
        """Returns what it finds of one object: by the object's own checks, and by the stack's comparison of its kind."""
        steps = self.stack.plan_of(object_)
        found = list(stack_findings(steps, State.of(self.stack.export(self.name)), next_step="up"))
        for check in self._checks:
            of_targets = object_.startswith("snowflake ") and check.name.endswith("wrote into")
            if check.name.endswith(f" {object_}") or of_targets:
                found += check.run()
        keys = {each.key for each in drift_report(self.name, found, ignoring=IgnoreList()).findings}
        return {(of, path) for of, path in keys if of == object_}


@pytest.fixture(scope="module")
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Made]:
    name: str = request.param
    with pytest.MonkeyPatch.context() as patch, trial_of(name, tmp_path_factory.mktemp(name)) as trial:
        patch.setenv("AWS_MAX_ATTEMPTS", "10")  # one change after the other asks more a second than Kinesis answers
        spec = load_spec(_amended(trial, name))
        stack = InProcessStack(trial.environment, spec)
        stack.up()
        made = Made(spec, trial.spec_file, trial.environment, stack)
        with closing(made.session), closing(stack):
            yield made


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
