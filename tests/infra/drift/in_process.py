"""The plan that Pulumi would show, made in this process: what the program wants against what the embedded clouds tell.

The same Check, Read and Diff that the embedded plugins answer the real engine with; tests/pulumi compares the two documents.
"""

import json
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from firnline_infra.drift.stack import object_name
from firnline_infra.kinds.kind import noun_of
from firnline_infra.pulumi_cli.errors import NoSuchStack
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_local.provisioning import program_of
from firnline_local.pulumi.cloud import Cloud
from firnline_local.pulumi.in_process.application import run
from firnline_local.pulumi.in_process.deployment import Deployment, Record, ResourceGoal
from firnline_local.pulumi.in_process.monitor import Monitor
from firnline_local.running import RunningEnvironment

PROJECT = "firnline"


class Making(Deployment):
    """Keeps what the program has asked for."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.goals: list[ResourceGoal] = []

    def register(self, wanted: ResourceGoal) -> Record:
        self.goals.append(wanted)
        return super().register(wanted)


class Looking(Deployment):
    """Makes and changes nothing: each step that would is noted."""

    def __init__(self, *arguments: Any, open_clouds: dict[str, Cloud], **options: Any) -> None:
        """`open_clouds`: those of earlier looks, by their configuration; this one's are added, and left open."""
        super().__init__(*arguments, **options)
        self.steps: list[dict[str, Any]] = []
        self._open_clouds = open_clouds

    def configure(self, provider: str, package: str, configuration: Mapping[str, Any]) -> None:
        key = f"{package} {json.dumps(configuration, sort_keys=True)}"
        if key in self._open_clouds:
            self._clouds[provider], self._configurations[provider] = self._open_clouds[key], configuration
        else:
            super().configure(provider, package, configuration)
            self._open_clouds[key] = self._clouds[provider]

    def close(self) -> None:
        """Leaves the clouds to the next look."""

    def register_again(self, wanted: ResourceGoal) -> None:
        """Without the program, which configures the providers elsewhere."""
        record = self._records[wanted.urn]
        if record.provider not in self._clouds:
            self.configure(record.provider, record.token.partition(":")[0], record.configuration)
        self.register(wanted)

    def _create(self, cloud: Cloud, wanted: ResourceGoal, inputs: Mapping[str, Any]) -> Record:
        self._step("create", wanted.urn, wanted=inputs)
        known = self._records.get(wanted.urn)
        return known or self._keep(wanted, "", inputs, inputs)

    def _resume(self, cloud: Cloud, known: Record, wanted: ResourceGoal, inputs: Mapping[str, Any]) -> Record:
        found = cloud.read(wanted.token, wanted.name, known.id, inputs=known.inputs, properties=known.properties)
        if found is None:
            return self._create(cloud, wanted, inputs)
        changes = cloud.diff(wanted.token, old=found.inputs, state=found.properties, new=inputs)
        changes = [change for change in changes if change.property not in wanted.ignored]
        if changes:
            op = "replace" if any(change.replaces for change in changes) else "update"
            detailed = {change.property: {"kind": change.kind.value, "inputDiff": True} for change in changes}
            there = {"inputs": found.inputs, "outputs": found.properties}
            self._step(op, wanted.urn, wanted=inputs, there=there, detailed=detailed)
        return replace(known, inputs=inputs)

    def _delete(self, record: Record) -> None:
        self._step("delete", record.urn, there={"inputs": record.inputs, "outputs": record.properties})

    def _step(self, op: str, urn: str, **states: Any) -> None:
        step: dict[str, Any] = {"op": op, "urn": urn, "detailedDiff": states.get("detailed")}
        if "there" in states:
            step["oldState"] = states["there"]
        if "wanted" in states:
            step["newState"] = {"inputs": states["wanted"]}
        self.steps.append(step)


@dataclass
class InProcessStack:
    """A stack of the environment's own program, without an engine; as much of PulumiCli as the comparison asks for."""

    environment: RunningEnvironment
    spec: EnvironmentSpec
    records: list[Record] = field(default_factory=list)
    goals: list[ResourceGoal] = field(default_factory=list)
    outputs: dict[str, Any] = field(default_factory=dict)
    variables: Mapping[str, str] = field(default_factory=dict)
    made_at: datetime = field(default_factory=lambda: datetime.now(UTC))
    created: dict[str, datetime] = field(default_factory=dict)
    """The time at which each resource of a type was made, where that is not `made_at`."""
    excluded: list[tuple[str, ...]] = field(default_factory=list)
    """What each plan was asked to leave out."""
    _open_clouds: dict[str, Cloud] = field(default_factory=dict)
    """Those of all plans: to open a session of Snowflake takes longer than to look at an object."""

    def up(self) -> None:
        making = Making(self.environment, config={}, records=self.records)
        self._run(making)
        self.goals = making.goals
        self.made_at = datetime.now(UTC)

    def plan_of(self, object_: str) -> dict[str, Any]:
        """Plans as `plan` does, of one object alone, and of what the program has asked for the last time; of its kind, where
        none of it has the object's name."""
        looking = self._look()
        kind = [goal for goal in self.goals if object_.startswith(f"{noun_of(goal.token)} ")]
        own = [goal for goal in kind if object_ == f"{noun_of(goal.token)} {object_name(goal.urn, goal.inputs)}"]
        for goal in own or kind:
            looking.register_again(goal)
        return {"steps": looking.steps}

    def _look(self) -> Looking:
        return Looking(self.environment, config={}, records=self.records, open_clouds=self._open_clouds)

    def close(self) -> None:
        for cloud in self._open_clouds.values():
            cloud.close()

    def plan(self, stack: str, *, without: tuple[str, ...] = ()) -> dict[str, Any]:
        self.excluded.append(without)
        before = list(self.records)
        looking, outputs = self._look(), self.outputs
        self._run(looking)
        self.records, self.outputs = before, outputs
        return {"steps": [step for step in looking.steps if step["urn"] not in without]}

    def export(self, stack: str) -> dict[str, Any]:
        if not self.records:
            raise NoSuchStack("stack export", exit_status=6, lines=[])
        made = [
            {"urn": each.urn, "type": each.token, "custom": True, "inputs": each.inputs, "outputs": each.properties}
            | {"created": self.created.get(each.token, self.made_at).isoformat()}
            for each in self.records
        ]
        own = {"urn": f"urn:pulumi:{stack}::{PROJECT}::pulumi:pulumi:Stack::s", "type": "pulumi:pulumi:Stack"}
        return {"deployment": {"resources": [{**own, "outputs": self.outputs}, *made]}}

    def _run(self, deployment: Deployment) -> None:
        program = program_of(self.spec, role=str(Names.of(self.spec).deploy_role))
        with closing(deployment):
            monitor = Monitor(deployment, project=PROJECT, stack=self.spec.name)
            run(program, monitor, project=PROJECT, stack=self.spec.name, config={})
            deployment.delete_the_unnamed()
            self.records, self.outputs = deployment.records, monitor.outputs
