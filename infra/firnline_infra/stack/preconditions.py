"""Checks for reasons to refuse an `up`: all that can be known before it begins. Nothing is changed here, and nothing
that is created stays."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts.accounts import Accounts, current_role
from firnline_infra.blueprint import Blueprint, blueprint_of
from firnline_infra.keys.encryption_key import unusable_key
from firnline_infra.keys.file import ReviewedFile
from firnline_infra.kinds.emr import CLUSTER, SERVERLESS, VIRTUAL_CLUSTER
from firnline_infra.observe.absent import absent
from firnline_infra.observe.adopted import check_adopted
from firnline_infra.observe.errors import AdoptedUnusable, AlreadyThere, ClusterInUse
from firnline_infra.observe.existing import StackResources, already_there
from firnline_infra.observe.invisible import (
    asked_by_statement_alone,
    hidden_by_statement,
    remove_left,
    taken_out_of_sight,
)
from firnline_infra.observe.occupied import check_cluster, check_virtual_cluster
from firnline_infra.observe.removable import check_alone, check_removable
from firnline_infra.observe.sight import check_visible, hidden_objects, refuse, unseen
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.prerequisites import encryption_key_missing, missing_keys
from firnline_infra.stack.errors import ApplicationInUse, OnlyLooks, SecretsLost
from firnline_infra.stack.other_tool import held_by_other_tool
from firnline_infra.stack.secrets import lost_secrets
from firnline_infra.stack.serverless import check_application
from firnline_ingest.errors import FirnlineError

State = Mapping[str, Any]


@dataclass(frozen=True, kw_only=True)
class Preconditions:
    spec: EnvironmentSpec
    accounts: Accounts
    keys_file: ReviewedFile
    env_argument: str
    tool: str
    """What makes the environment: Pulumi or Terraform."""

    def refusals(self, session: Any, state: State) -> Iterator[FirnlineError]:
        """Yields what a preview lists and `up` raises."""
        yield from filter(None, (missing_keys(self.spec, self.env_argument),))
        yield from filter(None, (encryption_key_missing(self.spec, self.env_argument),))
        yield from unusable_key(self.spec, self._blueprint, self.accounts)
        yield from held_by_other_tool(self.spec, self.accounts.aws, self.tool)
        yield from objects_in_the_way(self.spec, self.accounts, session, state)
        try:
            check_in_use(self._blueprint, self.accounts, state, environment=self.env_argument)
        except (ApplicationInUse, ClusterInUse) as error:
            yield error

    def check_sight(self, session: Any, state: State) -> None:
        """Checks what would make even a preview wrong. Raises OwnerOutOfReach, ObjectsHidden or SecretsLost."""
        check_visible(self._blueprint, session, state)
        file, env = self.keys_file, self.env_argument
        if lost := list(lost_secrets(self._blueprint, self.accounts, file=file, environment=env)):
            raise SecretsLost(lost, environment=env)

    def check_not_hidden(self, session: Any, state: State) -> None:
        """Asks about what the stack made and Snowflake does not list, which takes a statement. Raises ObjectsHidden."""
        refuse(list(hidden_by_statement(self._blueprint, session, state)), session)

    def check_removable(self, session: Any, state: State) -> None:
        """Checks that a destroy removes nothing of another owner's. Raises OwnerOutOfReach or OthersWouldLose."""
        check_removable(self._blueprint, session, state)

    def check_alone(self, session: Any, state: State) -> None:
        """Checks that a destroy drops nothing that others put there. Raises OtherObjectsThere."""
        check_alone(self._blueprint, session, state)

    def say_unseen(self, session: Any, state: State, *, say: Callable[[str], None]) -> None:
        """Says what a preview would call gone, and may be another owner's: a preview asks by no statement."""
        for each in unseen(self._blueprint, session, state):
            say(
                f"{current_role(session)} sees nothing of {each.display_name}, which this stack created: it was dropped, or has "
                "another owner by now. firnline up asks Snowflake which, before it creates anything."
            )
        if told := another_may_have(self._blueprint, session, state):
            say(told)

    def remove_left(self, session: Any, state: State) -> None:
        """Drops what an `up` that was killed in `check_free` has left. Raises SnowflakeRefused."""
        remove_left(self._blueprint, session, state)

    def check_free(self, session: Any, state: State) -> None:
        """Asks about names of which Snowflake shows nothing, which takes a statement. Raises AlreadyThere, SnowflakeRefused."""
        if taken := list(taken_out_of_sight(self._blueprint, session, state)):
            raise AlreadyThere(taken)

    @property
    def _blueprint(self) -> Blueprint:
        return blueprint_of(self.spec)


def objects_in_the_way(
    spec: EnvironmentSpec, accounts: Accounts, session: Any, state: State
) -> Iterator[AlreadyThere | AdoptedUnusable]:
    """Objects of either cloud that exist and should not, and adopted ones that can't be used."""
    blueprint = blueprint_of(spec)
    if found := list(already_there(blueprint, accounts, session, state)):
        yield AlreadyThere(found)
    unusable = list(check_adopted(blueprint, session))
    gone = list(absent(spec, blueprint, accounts))
    if gone or unusable:
        yield AdoptedUnusable([*gone, *map(str, unusable)], [each.repair for each in unusable if each.repair])


def another_may_have(blueprint: Blueprint, session: Any, state: State) -> str:
    """Says of which names a look can't tell that they are free; empty if it can of all."""
    names = asked_by_statement_alone(blueprint, session, state)
    if not names:
        return ""
    return (
        f"Whether another role has {', '.join(names)} already, which Snowflake does not show, `firnline up` asks by a statement "
        "before it makes anything."
    )


def check_in_use(wanted: Blueprint | None, accounts: Accounts, state: State, *, environment: str) -> None:
    """Refuses to change what an engine runs in, or, with `wanted` None, to remove it. Raises ApplicationInUse or
    ClusterInUse."""
    known = StackResources.of(state)
    check_virtual_cluster(VIRTUAL_CLUSTER.instance(wanted), accounts, known, environment=environment)
    check_cluster(CLUSTER.instance(wanted), accounts, known, environment=environment)
    check_application(SERVERLESS.instance(wanted), accounts, known, environment=environment)


def refuse_previewer(blueprint: Blueprint, session: Any) -> None:
    """Raises OnlyLooks in the role of previews."""
    names = blueprint.names
    if current_role(session) == names.preview_role.name:
        raise OnlyLooks(names.preview_role, deploys=names.deploy_role)


def sees_all(blueprint: Blueprint, session: Any, state: State, *, say: Callable[[str], None]) -> bool:
    """False in the role of previews if something is hidden from it: a refresh would take that for gone."""
    role = blueprint.names.preview_role
    previews = current_role(session) == role.name
    hidden = [each.display_name for each in hidden_objects(blueprint, session, state)] if previews else []
    if hidden:
        say(f"Not refreshed, because {role} can't see {' and '.join(hidden)}: compared with the last `up`.")
    return not hidden
