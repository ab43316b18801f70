"""Checks that `destroy` takes nothing that the stack made and another role owns by now.

An object that went to another owner is seen or not, by what the role that deploys still holds on it; both are looked for. Tables
that the stack never made go with the database or schema that it made: those that the role sees are named.
"""

from collections.abc import Iterator, Mapping
from typing import Any

from firnline_infra.accounts.accounts import current_role, rows_if_there
from firnline_infra.blueprint import Blueprint
from firnline_infra.observe.errors import OthersWouldLose, OtherTablesThere
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.invisible import hidden_by_statement
from firnline_infra.observe.lookup import listed
from firnline_infra.observe.ownership import check_ownership, owners_by_grant
from firnline_infra.observe.sight import HiddenObject, hidden_objects, made_objects
from firnline_infra.specification.identifier import Identifier, QualifiedName


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


def check_alone(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> None:
    """Raises OtherTablesThere for what others put into a database or schema that the stack made. Raises SnowflakeRefused."""
    if others := list(_others_in_ours(blueprint, session, state)):
        raise OtherTablesThere(others)


def _others_in_ours(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[str]:
    known, landing = StackResources.of(state), blueprint.landing
    databases = [QualifiedName((each.name,)) for each in landing.databases]
    made = [("DATABASE", each) for each in databases if known.knows(each)]
    inside = {each.parts[0] for _, each in made}
    made += [
        ("SCHEMA", each.name) for each in landing.schemas if known.knows(each.name) and each.name.parts[0] not in inside
    ]
    own = {tuple(part.name for part in each.name.parts) for each in (*landing.tables, *landing.latest)}
    for word, container in made:
        for row in rows_if_there(session, f"SHOW TABLES IN {word} {container.sql}") or ():
            parts = (str(row["database_name"]), str(row["schema_name"]), str(row["name"]))
            name = QualifiedName(tuple(map(Identifier, parts)))
            if parts not in own and not known.has_table(name):
                yield f"table {name}, which role {row.get('owner') or 'unknown'} owns"


def _moved(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[HiddenObject]:
    """Yields what is seen, and whose listing names another owner."""
    own = {blueprint.names.deploy_role.name, current_role(session), *owners_by_grant(state)}
    known = StackResources.of(state)
    for _, each in made_objects(blueprint):
        if not known.knows(each.name) or (row := listed(session, each.word, each.name)) is None:
            continue
        if (owner := str(row.get("owner") or "")) and owner not in own:
            yield HiddenObject(each.noun, each.name, each.word, Identifier(owner).name)
