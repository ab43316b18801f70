"""One environment, and the four things that can be done with its stack.

Everything that can be known before is said before: nothing is created, changed or removed by a command that refuses.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from firnline_infra.accounts import Accounts, check_aws, checked_session
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.blueprint.iam.extra import extra_lines
from firnline_infra.keys.encryption_key import with_recorded_key
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.kinds.emr import SERVERLESS
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.lookup import listed_once
from firnline_infra.redshift import RedshiftViews
from firnline_infra.specification import EnvironmentSpec, load_spec
from firnline_infra.specification.prerequisites import check_ready, missing_keys
from firnline_infra.stack.errors import DestroyRefused, NotDeployed
from firnline_infra.stack.preconditions import Preconditions, check_in_use, refuse_previewer, sees_all
from firnline_infra.stack.secrets import forget_deleted
from firnline_infra.stack.serverless import make_changeable
from firnline_infra.stack.stack import Stack, stack_of
from firnline_infra.stack.table_readback import TableReadback, statements
from firnline_infra.terraform.stack import TerraformStack
from firnline_ingest.checks import ExitStatus, Finding, Verdict
from firnline_ingest.errors import FirnlineError


@dataclass(frozen=True, kw_only=True)
class Preview:
    changes: bool
    """Only known where none were expected."""
    findings: list[Finding]
    refusals: tuple[FirnlineError, ...] = ()
    """The reason why `up` would be refused all the same: keys are missing, or something is there already."""

    @property
    def exit_status(self) -> ExitStatus:
        """An `up` that will be refused counts more than what differs: the merge would fail."""
        if self.refusals:
            return ExitStatus.INCOMPLETE
        return ExitStatus.of([Verdict.WRONG] if self.changes or self.findings else [])


@dataclass(frozen=True, kw_only=True)
class Deployment:
    spec: EnvironmentSpec
    spec_file: Path
    env_argument: str
    """ENV, with the options that say which accounts, for commands that a person runs next."""
    accounts: Accounts
    say: Callable[[str], None]
    stack: Stack | TerraformStack = field(repr=False)

    @classmethod
    def of(cls, spec_file: Path, env_argument: str, accounts: Accounts, say: Callable[[str], None]) -> "Deployment":
        """Raises ConfigError, PackagesTooOld, CliMissing, CliTooOld, NoProgram."""
        spec = load_spec(accounts.specification(spec_file))
        stack = stack_of(spec, spec_file, accounts, on_line=say)
        return cls(spec=spec, spec_file=spec_file, env_argument=env_argument, accounts=accounts, say=say, stack=stack)

    def up(self, *, refresh: bool = False, plan: Path | None = None) -> dict[str, Any]:
        """The outputs. With `refresh`, what was changed behind the program's back is set back too, also where Pulumi does
        not look: a table that it recreated has none of its properties yet. With the `plan` of a preview, Pulumi does
        nothing else than it says.

        Raises KeysMissing, WrongAwsAccount, WrongSnowflakeAccount, OwnerOutOfReach, ObjectsHidden, AlreadyThere, SecretsLost,
        ApplicationInUse, ClusterInUse, and what Pulumi and the recovery raise.
        """
        if (missing := missing_keys(self.spec, self.env_argument)) is not None:
            raise missing  # before anybody logs in
        spec = with_recorded_key(self.spec, self._keys_file, self.accounts, environment=self.env_argument, say=self.say)
        check_ready(spec, self.env_argument)
        self.stack.check(spec)
        state, blueprint = self.stack.state() or {}, blueprint_of(spec)
        with self._session() as session, listed_once():
            refuse_previewer(blueprint, session)
            self._refuse(spec, session, state)
        self._make_changeable(state, blueprint)
        self.stack.init()
        readback = TableReadback(blueprint, self.say)
        if refresh and statements(state):
            with self._session() as session:
                readback.make_again(session, state)
        self.stack.up(self.accounts, say=self.say, refresh=refresh, plan=plan)
        if refresh:
            with self._session() as session:
                readback.set_back(session)
        self._apply_views(blueprint)
        return self.stack.outputs()

    def import_existing(self) -> tuple[int, int]:
        """Takes what exists of the environment into its tool's state, and changes nothing else: how many objects that were,
        and how many were left alone because they are not the environment's.
        """
        check_ready(self.spec, self.env_argument)
        self.stack.check(self.spec)
        with self._session() as session:
            refuse_previewer(self._blueprint, session)
        self.stack.init()
        return self.stack.import_existing(self.accounts, say=self.say)

    def preview(
        self, *, refresh: bool = True, expect_no_changes: bool = False, save_plan: Path | None = None
    ) -> Preview:
        """Returns what `up` would do, through `say`, and in a file for `up`; then what Pulumi can't see is read back,
        if it was made.
        """
        state = self.stack.state() or {}
        for line in extra_lines(self.spec.aws.runtime.statements):
            self.say(f"Beside its own rights: {line}.")
        with self._session() as session, listed_once():
            preconditions = self._preconditions(self.spec)
            preconditions.check_sight(session, state)
            refusals = tuple(preconditions.refusals(session, state))
            self.stack.init()
            refresh = refresh and sees_all(self._blueprint, session, state, say=self.say)
            if refresh:
                preconditions.say_unseen(session, state, say=self.say)
            changes = self.stack.preview(refresh=refresh, expect_no_changes=expect_no_changes, save_plan=save_plan)
            findings = TableReadback(self._blueprint, self.say).findings(session, state)
        made, differing = self._views_ahead()
        changed = changes or (expect_no_changes and bool(made))
        return Preview(changes=changed, findings=[*findings, *differing], refusals=refusals)

    def plan(self, without: tuple[str, ...] = ()) -> dict[str, Any]:
        """Pulumi's document of what `up` would change, and why. Writes nothing, and makes no stack."""
        return self.stack.plan(without)

    def outputs(self) -> dict[str, Any]:
        """Raises NotDeployed."""
        found = {} if self.stack.state() is None else self.stack.outputs()
        if not found:
            raise self.not_deployed()
        return found

    def removals(self, *, with_others: bool = False) -> list[tuple[str, str]]:
        """Returns what `destroy` would remove: type and name.

        Raises DestroyRefused, NotDeployed, OwnerOutOfReach, OthersWouldLose, OtherObjectsThere, or that it is another account.

        What is still PROTECTED since the last `up` counts, whatever the specification says by now: Pulumi would find
        that out half-way.
        """
        if self.spec.is_protected:
            raise DestroyRefused(self.spec.name, list(_holds_data(self._blueprint)))
        with self._session() as session, listed_once():
            refuse_previewer(self._blueprint, session)
            state = self.stack.state() or {}
            self._preconditions(self.spec).check_removable(session, state)
            if not with_others:
                self._preconditions(self.spec).check_alone(session, state)
        if not StackResources.of(state).resources:
            raise self.not_deployed()
        if protected := [_named(resource) for resource in _resources(state) if resource.get("protect")]:
            raise DestroyRefused(self.spec.name, [f"{type_} {name}" for type_, name in protected])
        return [_named(resource) for resource in _resources(state)]

    def destroy(self, *, with_others: bool = False) -> None:
        """Takes the keys that went with it out of their file. Raises as `removals` does, which is asked again."""
        self.removals(with_others=with_others)
        state = self.stack.state() or {}
        check_in_use(None, self.accounts, state, environment=self.env_argument)
        self._make_changeable(state, None)
        if self._blueprint.redshift is not None:
            RedshiftViews(self._blueprint.redshift, self.accounts.aws, self.say).remove()
        self.stack.destroy()
        if gone := forget_deleted(self._blueprint, self.accounts, self._keys_file):
            again = "; ".join(f"firnline keys create {self.env_argument} {user}" for user in gone)
            self.say(f"The keys of {' and '.join(gone)} are gone, and no longer in {self._keys_file.path}: commit it.")
            self.say(f"Before another `up`: {again}")

    def engine_config(self) -> dict[str, Any]:
        """Returns what an engine must be given here. Raises NotDeployed."""
        return self.accounts.engine_config(self.outputs()["engine_config"], self.spec)

    def _refuse(self, spec: EnvironmentSpec, session: Any, state: dict[str, Any]) -> None:
        preconditions = self._preconditions(spec)
        preconditions.check_sight(session, state)
        preconditions.check_not_hidden(session, state)
        preconditions.remove_left(session, state)
        for refusal in preconditions.refusals(session, state):
            raise refusal
        preconditions.check_free(session, state)

    def _preconditions(self, spec: EnvironmentSpec) -> Preconditions:
        keys, env, tool = self._keys_file, self.env_argument, self.stack.tool
        return Preconditions(spec=spec, accounts=self.accounts, keys_file=keys, env_argument=env, tool=tool)

    def _make_changeable(self, state: dict[str, Any], wanted: Blueprint | None) -> None:
        known, env = StackResources.of(state), self.env_argument
        make_changeable(SERVERLESS.instance(wanted), self.accounts, known, say=self.say, environment=env)

    def _apply_views(self, blueprint: Blueprint) -> None:
        """Redshift's: no stack holds them."""
        if blueprint.redshift is not None:
            for finding in RedshiftViews(blueprint.redshift, self.accounts.aws, self.say).apply():
                self.say(f"{finding}. Next: {finding.next_step}")

    def _views_ahead(self) -> tuple[list[str], list[Finding]]:
        """Returns what an `up` would make in Redshift, which it says too, and what differs there. Says so if it can't look."""
        if self._blueprint.redshift is None:
            return [], []
        try:
            made, differing = RedshiftViews(self._blueprint.redshift, self.accounts.aws, self.say).ahead()
        except FirnlineError as error:
            self.say(f"Redshift: its views were not looked at. {error}")
            return [], []
        for each in made:
            self.say(f"Redshift, by firnline up: {each}.")
        return made, differing

    def not_deployed(self) -> NotDeployed:
        return NotDeployed(
            self.stack.name, self.stack.backend, environment=self.env_argument, elsewhere=self.stack.elsewhere
        )

    @property
    def _keys_file(self) -> ReviewedFile:
        return ReviewedFile.beside(self.spec_file)

    @property
    def _blueprint(self) -> Blueprint:
        return blueprint_of(self.spec)

    @contextmanager
    def _session(self) -> Iterator[Any]:
        """The deployer's session, in the right accounts."""
        check_aws(self.spec, self.accounts)
        with checked_session(self.spec, self.accounts) as session:
            yield session


def _resources(state: dict[str, Any]) -> list[dict[str, Any]]:
    """The state's resources of a cloud."""
    found = state["deployment"].get("resources") or ()
    return [each for each in found if each.get("custom") and not each["type"].startswith("pulumi:")]


def _named(resource: dict[str, Any]) -> tuple[str, str]:
    return resource["type"], resource["urn"].rpartition("::")[2]


def _holds_data(blueprint: Blueprint) -> Iterator[str]:
    yield from (f"stream {stream.name}" for stream in blueprint.environment.spec.streams)
    yield f"ledger {blueprint.names.ledger_table}"
    if blueprint.has_own_bucket:
        yield f"bucket {blueprint.names.bucket}"
    yield from (f"table {table.name}" for table in blueprint.landing.tables)
