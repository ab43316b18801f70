"""One environment, and the four things that can be done with its stack.

Everything that can be known before is said before: nothing is created, changed or removed by a command that refuses.
"""

from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from firnline_infra.accounts import Accounts, check_aws, check_snowflake
from firnline_infra.accounts.accounts import rows
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.iam.extra import extra_lines
from firnline_infra.blueprint.previewing import out_of_sight
from firnline_infra.blueprint.runtime import RuntimeParts
from firnline_infra.deploy.absent import absent
from firnline_infra.deploy.adopted import check_adopted
from firnline_infra.deploy.errors import (
    AdoptedUnusable,
    AlreadyThere,
    ApplicationInUse,
    DestroyRefused,
    NotDeployed,
    OnlyLooks,
    PlaceInUse,
    SecretsLost,
)
from firnline_infra.deploy.existing import StackResources, already_there
from firnline_infra.deploy.owners import check_owners
from firnline_infra.deploy.places_in_use import check_cluster, check_virtual_cluster
from firnline_infra.deploy.readback import EXISTS, Finding, read_back
from firnline_infra.deploy.secrets import forget_deleted, lost_secrets
from firnline_infra.deploy.serverless import make_changeable
from firnline_infra.deploy.stack import Stack, stack_of
from firnline_infra.deploy.versions import check_packages
from firnline_infra.keys.encryption_key import record_encryption_key
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.observe import ExitStatus, Verdict
from firnline_infra.pulumi_cli.errors import UnexpectedChanges
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.identifier import Identifier
from firnline_infra.specification.model import Durability
from firnline_infra.specification.ready import check_ready, encryption_key_missing, missing_keys
from firnline_ingest.errors import FirnlineError


@dataclass(frozen=True, kw_only=True)
class Preview:
    changes: bool
    """Only told where none were expected."""
    findings: list[Finding]
    refusals: tuple[FirnlineError, ...] = ()
    """Why `up` would be refused all the same: keys are missing, or something is there already."""

    @property
    def exit_status(self) -> ExitStatus:
        return ExitStatus.of([Verdict.WRONG] if self.changes or self.findings else [])


@dataclass(frozen=True, kw_only=True)
class Deployment:
    spec: EnvironmentSpec
    spec_file: Path
    env_argument: str
    """ENV, with the options that say which accounts, for commands that a person is told next."""
    accounts: Accounts
    say: Callable[[str], None]
    stack: Stack = field(repr=False)

    @classmethod
    def of(cls, spec_file: Path, env_argument: str, accounts: Accounts, say: Callable[[str], None]) -> "Deployment":
        """Raises ConfigError, PackagesTooOld, CliMissing, CliTooOld, NoProgram."""
        spec = load_spec(accounts.specification(spec_file))
        check_packages()
        stack = stack_of(spec, spec_file, accounts, on_line=say)
        return cls(spec=spec, spec_file=spec_file, env_argument=env_argument, accounts=accounts, say=say, stack=stack)

    def up(self, *, refresh: bool = False, plan: Path | None = None) -> dict[str, Any]:
        """The outputs. With `refresh`, what was changed behind the program's back is set back too, also where Pulumi does
        not look: a table that it made anew has none of its properties yet. With the `plan` of a preview, Pulumi does
        nothing else than it says.

        Raises KeysMissing, WrongAwsAccount, WrongSnowflakeAccount, OwnerOutOfReach, AlreadyThere, SecretsLost,
        ApplicationInUse, PlaceInUse, and what Pulumi and the recovery raise.
        """
        from firnline_infra.pulumi_cli.recovery import recovered_up
        from firnline_infra.pulumi_cli.recovery.lookups import aws_lookups

        if (arn := self._recorded_key()) is not None:
            return self._with_key(arn).up(refresh=refresh, plan=plan)
        check_ready(self.spec, self.env_argument)
        state = self.stack.state() or {}
        with self._session() as session:
            self._refuse_who_only_looks(session)
            check_owners(session, state)
            refused = next(self._in_the_way(session, state), None)
        if refused is not None:
            raise refused
        self._refuse_lost_secrets()
        self._make_changeable(state, self._blueprint.runtime)
        self.stack.init()
        if refresh:
            self._make_what_is_gone(state)
        lookups = aws_lookups(self.accounts.aws)
        recovered_up(self.stack.cli, self.stack.name, say=self.say, lookups=lookups, refresh=refresh, plan=plan)
        if refresh:
            self._set_back()
        return self.stack.cli.outputs(self.stack.name)

    def preview(
        self, *, refresh: bool = True, expect_no_changes: bool = False, save_plan: Path | None = None
    ) -> Preview:
        """What `up` would do, through `say`, and in a file for `up`; then what Pulumi can't see is read back, if it was made."""
        state = self.stack.state() or {}
        for line in extra_lines(self.spec):
            self.say(f"Beside its own rights: {line}.")
        with self._session() as session:
            check_owners(session, state)
            self._refuse_lost_secrets()
            refusals = [
                *filter(None, [missing_keys(self.spec, self.env_argument)]),
                *filter(None, [encryption_key_missing(self.spec, self.env_argument)]),
                *self._in_the_way(session, state),
                *filter(None, [self._in_use(state)]),
            ]
            self.stack.init()
            refresh = refresh and self._can_see_all(session)
            changes = False
            try:
                self.stack.cli.preview(
                    self.stack.name, refresh=refresh, expect_no_changes=expect_no_changes, save_plan=save_plan
                )
            except UnexpectedChanges:
                changes = True
            findings = read_back(self._blueprint, session) if _is_made(state) else []
        return Preview(changes=changes, findings=findings, refusals=tuple(refusals))

    def plan(self, without: tuple[str, ...] = ()) -> dict[str, Any]:
        """Pulumi's document of what `up` would change, and why. Writes nothing, and makes no stack."""
        return self.stack.cli.plan(self.stack.name, without=without)

    def outputs(self) -> dict[str, Any]:
        """Raises NotDeployed."""
        found = {} if self.stack.state() is None else self.stack.cli.outputs(self.stack.name)
        if not found:
            raise NotDeployed(self.stack.name, self.stack.backend, environment=self.env_argument)
        return found

    def removals(self) -> list[tuple[str, str]]:
        """What `destroy` would remove: type and name. Raises DestroyRefused, NotDeployed, OwnerOutOfReach, or that it is
        another account.

        What is still PROTECTED since the last `up` counts, whatever the specification says by now: Pulumi would find
        that out half-way.
        """
        if self.spec.durability is not Durability.EPHEMERAL:
            raise DestroyRefused(self.spec.name, list(_holds_data(self._blueprint)))
        with self._session() as session:
            self._refuse_who_only_looks(session)
            state = self.stack.state() or {}
            check_owners(session, state)
        if not StackResources.of(state).resources:
            raise NotDeployed(self.stack.name, self.stack.backend, environment=self.env_argument)
        if protected := [_named(resource) for resource in _resources(state) if resource.get("protect")]:
            raise DestroyRefused(self.spec.name, [f"{type_} {name}" for type_, name in protected])
        return [_named(resource) for resource in _resources(state)]

    def destroy(self) -> None:
        """Takes the keys that went with it out of their file. Raises as `removals` does, which is asked again."""
        self.removals()
        self._make_changeable(self.stack.state() or {}, RuntimeParts())
        self.stack.cli.destroy(self.stack.name)
        if gone := forget_deleted(self._blueprint, self.accounts, self._keys_file):
            again = "; ".join(f"firnline keys create {self.env_argument} {user}" for user in gone)
            self.say(f"The keys of {' and '.join(gone)} are gone, and no longer in {self._keys_file.path}: commit it.")
            self.say(f"Before another `up`: {again}")

    def engine_config(self) -> dict[str, Any]:
        """What an engine has to be given here. Raises NotDeployed."""
        return self.accounts.engine_config(self.outputs()["engine_config"], self.spec)

    def _can_see_all(self, session: Any) -> bool:
        """A refresh would take what it can't see for gone."""
        hidden, role = out_of_sight(self._blueprint.landing), self._blueprint.names.preview_role
        if not hidden or not _acts_as(session, role):
            return True
        self.say(f"Not refreshed, because {role} can't see {' and '.join(hidden)}: compared with the last `up`.")
        return False

    def _recorded_key(self) -> str | None:
        """Of the key that the bootstrap made, if it was not recorded before. Raises what `record_encryption_key` does."""
        arn = record_encryption_key(self.spec, self._keys_file, self.accounts, environment=self.env_argument)
        if arn is not None:
            self.say(f"The environment's key is {arn}: written into {self._keys_file.path}, commit it.")
        return arn

    def _with_key(self, arn: str) -> "Deployment":
        key = self.spec.aws.key.model_copy(update={"arn": arn})
        return replace(self, spec=self.spec.model_copy(update={"aws": self.spec.aws.model_copy(update={"key": key})}))

    def _refuse_who_only_looks(self, session: Any) -> None:
        names = self._blueprint.names
        if _acts_as(session, names.preview_role):
            raise OnlyLooks(names.preview_role, deploys=names.deploy_role)

    def _in_the_way(self, session: Any, state: dict[str, Any]) -> Iterator[FirnlineError]:
        """Of objects in either cloud: what exists and should not, and what should and can't be used."""
        if found := list(already_there(self._blueprint, self.accounts, session, state)):
            yield AlreadyThere(found)
        unusable = check_adopted(self._blueprint, session)
        gone = list(absent(self.spec, self._blueprint, self.accounts))
        if gone or unusable.problems:
            yield AdoptedUnusable([*gone, *unusable.problems], unusable.statements)

    def _make_changeable(self, state: dict[str, Any], wanted: RuntimeParts, *, looking: bool = False) -> None:
        known, env = StackResources.of(state), self.env_argument
        check_virtual_cluster(wanted.virtual_cluster, self.accounts, known, environment=env)
        check_cluster(wanted.cluster, self.accounts, known, environment=env)
        make_changeable(wanted.application, self.accounts, known, say=self.say, environment=env, looking=looking)

    def _in_use(self, state: dict[str, Any]) -> ApplicationInUse | PlaceInUse | None:
        try:
            self._make_changeable(state, self._blueprint.runtime, looking=True)
        except (ApplicationInUse, PlaceInUse) as error:
            return error
        return None

    def _make_what_is_gone(self, state: dict[str, Any]) -> None:
        """What a statement of the stack made, and somebody dropped: Pulumi grants rights on it, and can't make it again. What it
        was in may be gone too; that Pulumi makes, and the next `up` this.
        """
        made = [resource.get("inputs", {}).get("execute") for resource in (_resources(state) if state else ())]
        if not any(made):
            return
        with self._session() as session:
            with suppress(SnowflakeRefused):  # then in the role that whoever deploys has: it has to own what it grants
                rows(session, f"USE ROLE {self._blueprint.names.deploy_role.sql}")
            for finding in read_back(self._blueprint, session):
                if finding.property == EXISTS and finding.repair in made:
                    with suppress(SnowflakeRefused):  # Pulumi has its turn; what it can't mend either, it says
                        rows(session, finding.repair)
                        self.say(f"{finding}: made again, empty. {finding.afterwards}".rstrip())

    def _set_back(self) -> None:
        with self._session() as session:
            for finding in read_back(self._blueprint, session):
                if finding.repair:
                    rows(session, finding.repair)
                self.say(f"{finding}: {'set back' if finding.repair else 'no statement sets that back'}.")

    def _refuse_lost_secrets(self) -> None:
        lost = list(lost_secrets(self._blueprint, self.accounts, file=self._keys_file, environment=self.env_argument))
        if lost:
            raise SecretsLost(lost, environment=self.env_argument)

    @property
    def _keys_file(self) -> ReviewedFile:
        return ReviewedFile.beside(self.spec_file)

    @property
    def _blueprint(self) -> Blueprint:
        return blueprint_of(self.spec)

    @contextmanager
    def _session(self) -> Iterator[Any]:
        """Of whoever deploys, in the right accounts."""
        check_aws(self.spec, self.accounts)
        with closing(self.accounts.snowflake()) as session:
            check_snowflake(self.spec, session)
            yield session


def _acts_as(session: Any, role: Identifier) -> bool:
    return bool(rows(session, "SELECT CURRENT_ROLE() AS ROLE")[0]["role"] == role.name)


def _resources(state: dict[str, Any]) -> list[dict[str, Any]]:
    """Those of a cloud."""
    found = state["deployment"].get("resources") or ()
    return [each for each in found if each.get("custom") and not each["type"].startswith("pulumi:")]


def _is_made(state: dict[str, Any]) -> bool:
    return any("/execute:" in each["type"] for each in StackResources.of(state).resources)


def _named(resource: dict[str, Any]) -> tuple[str, str]:
    return resource["type"], resource["urn"].rpartition("::")[2]


def _holds_data(blueprint: Blueprint) -> Iterator[str]:
    yield from (f"stream {stream.name}" for stream in blueprint.streams)
    yield f"ledger {blueprint.ledger.name}"
    if blueprint.bucket is not None:
        yield f"bucket {blueprint.bucket.name}"
    yield from (f"table {table.name}" for table in blueprint.landing.tables)
