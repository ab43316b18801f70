"""Checks that `destroy` takes nothing that the stack made and another role owns by now.

An object that went to another owner is seen or not, by what the role that deploys still holds on it; both are looked for. What
the stack never made is not: who drops a database drops what others put into it (docs/uninstall.md).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.accounts.accounts import current_role
from firnline_infra.blueprint import Blueprint
from firnline_infra.observe.errors import OthersWouldLose
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.invisible import hidden_by_statement
from firnline_infra.observe.lookup import listed
from firnline_infra.observe.ownership import check_ownership, owners_by_grant
from firnline_infra.observe.sight import HiddenObject, hidden_objects, made_objects
from firnline_infra.specification.identifier import Identifier


def check_removable(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> None:
    """Raises OwnerOutOfReach, OthersWouldLose or SnowflakeRefused."""
    check_ownership(session, state)
    known = StackResources.of(state)
    if not known.resources:
        return
    hidden = [each for each in hidden_objects(blueprint, session, state) if known.knows(each.name)]
    said = {each.called: each for each in hidden_by_statement(blueprint, session, state)}
    said |= {each.called: each for each in (*hidden, *_moved(blueprint, session, state))}
    if said:
        deployer = blueprint.names.deploy_role
        raise OthersWouldLose([(each.described, each.given_back(deployer)) for each in said.values()], role=deployer)


def _moved(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[HiddenObject]:
    """Yields what is seen, and whose listing names another owner."""
    own = {blueprint.names.deploy_role.name, current_role(session), *owners_by_grant(state)}
    known = StackResources.of(state)
    for _, each in made_objects(blueprint):
        if not known.knows(each.name) or (row := listed(session, each.word, each.name)) is None:
            continue
        if (owner := str(row.get("owner") or "")) and owner not in own:
            yield HiddenObject(each.noun, each.name, each.word, Identifier(owner).name)
