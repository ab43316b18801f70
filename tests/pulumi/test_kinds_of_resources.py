"""A stack with a resource of every kind is killed while all of them are made, changed or deleted at once.

Before the effect or after it, the next `up` leaves what was asked for, once.
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.local.materialise.clients import Clients
from firnline_infra.local.materialise.registry import materialiser_of
from firnline_infra.local.pulumi.compare import same
from firnline_infra.local.pulumi.plugin.pause import VARIABLE
from firnline_infra.local.pulumi.schema import fields_of
from firnline_infra.local.running import RunningEnvironment
from firnline_infra.pulumi_cli.recovery import recovered_up
from firnline_infra.pulumi_cli.recovery.aws import aws_lookups
from firnline_infra.pulumi_cli.testing import TrialProject

from .kinds import DATABASE, PREVIEW_FEATURES, Kind, kinds

pytestmark = pytest.mark.pulumi
PROGRAM = """
import json, pathlib
import pulumi

aws = pulumi.ProviderResource("aws", "aws", {})
snowflake = pulumi.ProviderResource("snowflake", "snowflake", {"previewFeaturesEnabled": FEATURES})
for each in json.loads(pathlib.Path("resources.json").read_text()):
    provider = aws if each["type"].startswith("aws:") else snowflake
    pulumi.CustomResource(each["type"], each["name"], each["inputs"], pulumi.ResourceOptions(provider=provider))
""".replace("FEATURES", repr(PREVIEW_FEATURES))
Inputs = Mapping[str, Any]
Asked = dict[str, tuple[Kind, Inputs]]


@pytest.fixture
def clients(local_environment: RunningEnvironment) -> Iterator[Clients]:
    with closing(Clients(local_environment.endpoints, local_environment.logins["admin"])) as clients:
        yield clients
        clients.execute(
            f"DROP DATABASE IF EXISTS {DATABASE}", "DROP ROLE IF EXISTS KILLED_R", "DROP USER IF EXISTS KILLED_U"
        )


def test_a_kill_before_or_after_every_effect_is_repaired_for_every_kind(
    embedded_project: TrialProject, local_environment: RunningEnvironment, clients: Clients, tmp_path: Path
) -> None:
    embedded_project.write(PROGRAM)
    lives = Lives(embedded_project, local_environment, clients, tmp_path)
    every = list(kinds(clients))
    made: Asked = {str(number): (kind, kind.inputs) for number, kind in enumerate(every)}
    changed = {name: (kind, {**inputs, **kind.change}) for name, (kind, inputs) in made.items()}
    updates = sum(1 for kind in every if kind.change)
    for when in ("before", "after"):
        lives.interrupted(made, when, "create", len(made))
        lives.interrupted(changed, when, "update", updates)
        lives.interrupted({}, when, "delete", len(made))


class Lives:
    def __init__(self, project: TrialProject, environment: RunningEnvironment, clients: Clients, folder: Path) -> None:
        self._project, self._environment, self._clients = project, environment, clients
        self._folder = folder
        self._ids: dict[str, tuple[str, str]] = {}

    def interrupted(self, asked: Asked, when: str, call: str, number: int) -> None:
        """An `up` that is killed when so many calls wait at their point, and then one that is not."""
        documents = [{"type": kind.type, "name": name, "inputs": inputs} for name, (kind, inputs) in asked.items()]
        (self._project.folder / "resources.json").write_text(json.dumps(documents))
        marker = self._folder / f"{when}-{call}"
        pause = {"when": when, "call": call, "type": "*", "marker": str(marker)}
        command = ("up", "--yes", "--skip-preview", "--parallel", "64")
        with self._project.killed(*command, **{VARIABLE: json.dumps(pause)}) as up:
            up.wait_for(marker, lines=number)
        self._project.wait_until_all_have_ended(within_s=5)
        recovered_up(self._project.cli, "dev", say=_ignore, lookups=aws_lookups(self._environment.client))
        self._check(asked)

    def _check(self, asked: Asked) -> None:
        state = self._project.cli.export("dev")["deployment"]
        assert not state.get("pending_operations")
        custom = [each for each in state["resources"] if each.get("custom") and ":providers:" not in each["type"]]
        here = {each["urn"].rpartition("::")[2]: (each["type"], each["id"]) for each in custom}
        assert len(custom) == len(here) == len(asked)
        for name, (kind, inputs) in asked.items():
            there = self._read(*here[name], inputs)
            fields = fields_of(kind.type)
            differing = {each for each, value in inputs.items() if not same(fields[each].shape, value, there.get(each))}
            assert differing <= UNREADABLE, (kind.type, inputs, there)
        for name in self._ids.keys() - here.keys():
            type_, id_ = self._ids[name]
            assert type_ in LASTING or materialiser_of(type_).read(id_, {}, self._clients) is None, type_
        self._ids = here
        self._assert_nothing_is_doubled(asked)

    def _read(self, type_: str, id_: str, inputs: Inputs) -> Mapping[str, Any]:
        there = materialiser_of(type_).read(id_, inputs, self._clients)
        assert there is not None, (type_, id_)
        return there

    def _assert_nothing_is_doubled(self, asked: Asked) -> None:
        """What has no name of its own could be: keys."""
        kms = self._environment.client("kms")
        ids = [each["KeyId"] for each in kms.list_keys()["Keys"]]
        told = [kms.describe_key(KeyId=id_)["KeyMetadata"] for id_ in ids]
        live = [each for each in told if each["Description"] == "a key" and each["KeyState"] != "PendingDeletion"]
        assert len(live) == (1 if asked else 0)


UNREADABLE = {"recoveryWindowInDays", "deletionWindowInDays"}  # words for the deletion; a read does not know them
LASTING = {"aws:s3/bucketVersioning:BucketVersioning"}  # can't be taken back


def _ignore(line: str) -> None:
    """Nobody listens."""
