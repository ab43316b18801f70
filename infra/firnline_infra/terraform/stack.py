"""An environment that Terraform makes, as the commands know a stack: what is in its state, what would change, its outputs.

Its state and its plans are told in the words of Pulumi's documents, so that everything that is asked before and after an `up`
(what is in the way, who owns a table, what drifted) is asked of either tool's environments in the same way.
"""

from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, ClassVar

from firnline_infra.accounts import Accounts, TerraformPlace
from firnline_infra.accounts.aws import aws_call, if_there
from firnline_infra.blueprint.engine_config import document_text
from firnline_infra.kinds import TOKENS
from firnline_infra.kinds.kind import camel
from firnline_infra.pulumi_cli.recovery.lookups import BY_NAME, REPEATED, Lookup, aws_lookups
from firnline_infra.pulumi_cli.recovery.pending import why_foreign
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.terraform.cli import TerraformCli, find_terraform
from firnline_infra.terraform.errors import ModuleOutdated
from firnline_infra.terraform.module import differing, label_of_time

TERRAFORM = "Terraform"
"""What messages call it, or OpenTofu."""
OPERATIONS = {
    ("create",): "create",
    ("update",): "update",
    ("delete", "create"): "replace",
    ("create", "delete"): "replace",
    ("delete",): "delete",
}
PULUMIS = {"alarm_name": "name"}
"""Names by which what is in a state is looked for, where they are not Terraform's in camel case."""


@dataclass(frozen=True)
class TerraformStack:
    cli: TerraformCli
    spec_file: Path
    name: str
    tool: ClassVar[str] = TERRAFORM

    @classmethod
    def of(
        cls, spec: EnvironmentSpec, spec_file: Path, place: TerraformPlace, *, on_line: Callable[[str], None]
    ) -> "TerraformStack":
        """Raises TerraformMissing, TerraformTooOld, ModuleOutdated."""
        stack = cls(TerraformCli(find_terraform(), place.module, place.variables, on_line), spec_file, spec.name)
        stack.check(spec)
        return stack

    def check(self, spec: EnvironmentSpec) -> None:
        """Raises ModuleOutdated where another module would be written of the specification."""
        if names := differing(spec, self.cli.module):
            raise ModuleOutdated(self.cli.module, names, specification=self.spec_file)

    @property
    def backend(self) -> str:
        return f"the backend of {self.cli.module}"

    @property
    def elsewhere(self) -> str:
        """Next step if the state is in another place."""
        return f"bring its state back to where {self.cli.module / 'providers.tf.json'} says, or name its place beside that file"

    @cached_property
    def _is_ready(self) -> bool:
        self.cli.init()
        return True

    def init(self) -> None:
        """Initialises the module, once for each command."""
        assert self._is_ready

    def state(self) -> dict[str, Any] | None:
        """The state in the form of Pulumi's; None where nothing was applied."""
        self.init()
        values = self.cli.state().get("values")
        if values is None:
            return None
        found = values.get("root_module", {}).get("resources", ())
        times = {each["name"]: each["values"].get("output") for each in found if each["type"] == "terraform_data"}
        return {"deployment": {"resources": [self._resource(each, times) for each in found if each["type"] in TOKENS]}}

    def preview(self, *, refresh: bool, expect_no_changes: bool, save_plan: Path | None) -> bool:
        """Returns whether something would change where nothing was expected to; False if anything was."""
        return self.cli.has_changes(save_plan, refresh=refresh) and expect_no_changes

    def up(self, accounts: Accounts, *, say: Callable[[str], None], refresh: bool, plan: Path | None) -> None:
        """Terraform knows what a killed apply has made, but for what was just being made: it says so, and how to import it."""
        self.cli.apply(plan, refresh=refresh)
        self._put_configuration(accounts)

    def outputs(self) -> dict[str, Any]:
        return self.cli.outputs()

    def destroy(self) -> None:
        self.cli.destroy()

    def plan(self, without: tuple[str, ...] = ()) -> dict[str, Any]:
        """Changes nothing. `without` are URNs that are not looked at."""
        self.init()
        steps = map(self._step, self._changes())
        return {"steps": [step for step in steps if step["op"] != "same" and step["urn"] not in without]}

    def import_existing(self, accounts: Accounts, *, say: Callable[[str], None]) -> tuple[int, int]:
        """The number of objects that were taken into the state, and of those that exist and were left alone. Looks for what
        follows from an object after it."""
        lookups, asked, taken, foreign = {**BY_NAME, **aws_lookups(accounts.aws)}, set[str](), 0, 0
        while creates := {
            each["address"]: ids
            for each in self._changes()
            if each["change"]["actions"] == ["create"] and each["address"] not in asked and (ids := _ids(each, lookups))
        }:
            asked |= creates.keys()
            there = [address for address, ids in creates.items() if any(self.cli.import_(address, id_) for id_ in ids)]
            for address, why in self._foreign(there):
                say(f"{address} is there, and is left alone: {why}.")
                self.cli.forget(address)
                there.remove(address)
                foreign += 1
            taken += len(there)
        return taken, foreign

    def _foreign(self, imported: Collection[str]) -> list[tuple[str, str]]:
        """Addresses of objects that have not the tags or the comment that they should, and why they are another's."""
        reasons = {
            each["address"]: why_foreign(*(_properties(each["change"][when] or {}) for when in ("after", "before")))
            for each in (self._changes() if imported else ())
            if each["address"] in imported
        }
        return [(address, why) for address, why in reasons.items() if why]

    def _changes(self) -> list[dict[str, Any]]:
        """Yields what an apply would do with each resource, as `terraform show -json` writes a plan."""
        with TemporaryDirectory() as folder:
            file = Path(folder) / "plan"
            self.cli.has_changes(file)
            return [each for each in self.cli.plan(file)["resource_changes"] if each["type"] in TOKENS]

    def _put_configuration(self, accounts: Accounts) -> None:
        """Writes the engine's configuration where the outputs say that it is. Terraform itself would delete the one of a job
        that still runs with it.
        """
        outputs = self.outputs()
        if url := outputs.get("engine_config_url"):
            s3, (bucket, _, key) = accounts.aws("s3"), url.removeprefix("s3://").partition("/")
            if if_there("s3:GetObject", url, s3.get_object, Bucket=bucket, Key=key) is None:
                text = document_text(outputs["engine_config"])
                with aws_call("s3:PutObject", url):
                    s3.put_object(Bucket=bucket, Key=key, Body=text.encode(), ContentType="application/json")

    def _urn(self, found: Mapping[str, Any]) -> str:
        return f"urn:pulumi:{self.name}::terraform::{TOKENS[found['type']]}::{found['name']}"

    def _resource(self, found: Mapping[str, Any], times: Mapping[str, Any]) -> dict[str, Any]:
        """Protected is what the cloud itself refuses to delete until another apply; the rest the module says."""
        values, made = found["values"], times.get(label_of_time(found["name"]))
        return {
            **({"created": made} if made else {}),
            "urn": self._urn(found),
            "type": TOKENS[found["type"]],
            "custom": True,
            "id": values.get("id"),
            "inputs": _properties(values),
            "protect": bool(values.get("deletion_protection_enabled")),
        }

    def _step(self, changed: Mapping[str, Any]) -> dict[str, Any]:
        change = changed["change"]
        before, after, unknown = (change[each] or {} for each in ("before", "after", "after_unknown"))
        differ = [name for name in {*before, *after} if before.get(name) != after.get(name) and not unknown.get(name)]
        return {
            "op": OPERATIONS.get(tuple(change["actions"]), "same"),
            "urn": self._urn(changed),
            "newState": {"inputs": _properties(after)},
            "oldState": {"inputs": _properties(before), "outputs": {}},
            "detailedDiff": {_camel(name): {} for name in sorted(differ)},
        }


def _ids(change: Mapping[str, Any], lookups: Mapping[str, Lookup]) -> Sequence[str]:
    """The ids under which an object would be found; none if they are not known yet, or if it is repeated."""
    token = TOKENS[change["type"]]
    if token in REPEATED or token not in lookups:
        return ()
    try:
        return lookups[token](_properties(change["change"]["after"]))
    except KeyError:
        return ()


def _properties(values: Mapping[str, Any]) -> dict[str, Any]:
    return dict(_named(values))


def _named(values: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """A block that stands once is the object in it."""
    for name, value in values.items():
        if isinstance(value, list) and len(value) == 1 and isinstance(value[0], Mapping):
            yield _camel(name), _properties(value[0])
        elif value is not None and value != []:
            yield _camel(name), value


def _camel(name: str) -> str:
    return camel(PULUMIS.get(name, name))
