"""A stack with a resource of every kind is killed while all of them are made, changed or deleted at once.

Before the effect or after it, the next `up` leaves what was asked for, once.
"""

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from firnline_infra.pulumi_cli.recovery import recovered_up
from firnline_infra.pulumi_cli.recovery.lookups import REPEATED, aws_lookups
from firnline_infra.pulumi_cli.recovery.up import LOOKING
from firnline_local.providers.clients import Clients
from firnline_local.providers.registry import kind_of, known_types
from firnline_local.pulumi.equality import same
from firnline_local.pulumi.schema import fields_of
from firnline_local.running import RunningEnvironment
from tests.pulumi.pause import VARIABLE
from tests.pulumi.trial_project import TrialProject

from .kinds import NEVER_UPDATED, Kind, kinds
from .kinds_of_snowflake import remove

pytestmark = pytest.mark.pulumi
PREVIEW_FEATURES = sorted({kind_of(token).rules.preview_feature for token in known_types()} - {None})
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
        remove(clients)


@pytest.mark.slow
@pytest.mark.parametrize("when", ["before", "after"])
def test_a_kill_around_every_effect_is_repaired_for_every_kind(
    when: str, embedded_project: TrialProject, local_environment: RunningEnvironment, clients: Clients, tmp_path: Path
) -> None:
    every = list(kinds(clients))
    assert sorted(kind.type for kind in every) == sorted(known_types())
    assert {kind.type for kind in every if not kind.change} == set(NEVER_UPDATED)
    embedded_project.write(PROGRAM)
    lives = Lives(embedded_project, local_environment, clients, tmp_path)
    made: Asked = {str(number): (kind, kind.inputs) for number, kind in enumerate(every)}
    changed = {name: (kind, {**inputs, **kind.change}) for name, (kind, inputs) in made.items()}
    lives.interrupted(made, when, "create", len(made))
    lives.interrupted(changed, when, "update", len(made) - len(NEVER_UPDATED))
    lives.interrupted({}, when, "delete", len(made))


@pytest.mark.parametrize("token", NEVER_UPDATED)
def test_what_is_never_updated_has_no_input_that_an_update_could_change(token: str) -> None:
    inputs = {name for name, field in fields_of(token).items() if field.is_input}
    assert inputs <= kind_of(token).rules.replaced_by


class Lives:
    def __init__(self, project: TrialProject, environment: RunningEnvironment, clients: Clients, folder: Path) -> None:
        self._project, self._environment, self._clients = project, environment, clients
        self._folder = folder
        self._made: dict[str, tuple[str, str, Inputs]] = {}

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
        said: list[str] = []
        recovered_up(self._project.cli, "dev", say=said.append, lookups=aws_lookups(self._environment.client))
        lock, *found = [line for line in said if line != LOOKING]
        assert "which is gone: its lock is removed" in lock
        assert Counter(line.rpartition(": ")[2] for line in found) == (settled(asked, when) if call == "create" else {})
        self._check(asked)

    def _check(self, asked: Asked) -> None:
        state = self._project.cli.export("dev")["deployment"]
        assert not state.get("pending_operations")
        custom = [each for each in state["resources"] if each.get("custom") and ":providers:" not in each["type"]]
        here = {each["urn"].rpartition("::")[2]: (each["type"], each["id"]) for each in custom}
        assert len(custom) == len(here) == len(asked)
        for name, (kind, inputs) in asked.items():
            there = self._read(*here[name], inputs)
            assert there is not None, (kind.type, inputs)
            fields = fields_of(kind.type)
            differing = {each for each, value in inputs.items() if not same(fields[each].shape, value, there.get(each))}
            assert differing <= UNREADABLE, (kind.type, inputs, there)
        for name in self._made.keys() - here.keys():
            type_, id_, inputs = self._made[name]
            told = inputs if type_ in NAMELESS else {}
            assert type_ in LASTING or self._read(type_, id_, told) is None, type_
        self._made = {name: (*place, asked[name][1]) for name, place in here.items()}
        self._assert_nothing_is_doubled(asked)

    def _read(self, type_: str, id_: str, inputs: Inputs) -> Mapping[str, Any] | None:
        """None for a statement, too, whose query finds nothing."""
        there = kind_of(type_).read(id_, inputs, self._clients)
        return None if there is None or there.get("queryResults") == [] else there

    def _assert_nothing_is_doubled(self, asked: Asked) -> None:
        """Keys could be made twice: they have no name of their own."""
        kms = self._environment.client("kms")
        ids = [each["KeyId"] for each in kms.list_keys()["Keys"]]
        told = [kms.describe_key(KeyId=id_)["KeyMetadata"] for id_ in ids]
        live = [each for each in told if each["Description"] == "a key" and each["KeyState"] != "PendingDeletion"]
        assert len(live) == (1 if asked else 0)


def settled(asked: Asked, when: str) -> Counter[str]:
    """Returns what is said of the creates that were killed, and how often."""
    again = sum(1 for kind, _ in asked.values() if kind.type in REPEATED)
    found = "it is made now." if when == "before" else "it is imported."
    return Counter({found: len(asked) - again, "it is created again.": again})


# Words for the deletion, and an object's content: a read does not know them.
UNREADABLE = {"recoveryWindowInDays", "deletionWindowInDays", "content"}
NAMELESS = {
    "snowflake:index/execute:Execute",  # its id is made up; what it made is found by its query
    "aws:eks/podIdentityAssociation:PodIdentityAssociation",  # its id is known within its cluster alone
}
LASTING = {"aws:s3/bucketVersioning:BucketVersioning"}  # can't be taken back
