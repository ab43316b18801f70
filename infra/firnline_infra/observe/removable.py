"""Checks that `destroy` takes nothing that the stack made and another role owns by now.

An object that went to another owner is seen or not, by what the role that deploys still holds on it; both are looked for. What
the stack never made goes with the database or schema that it made: tables, views, stages and whatever else lies there, as far as
the role sees it, is named.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from firnline_infra.accounts.accounts import current_role, rows_if_there
from firnline_infra.accounts.errors import SnowflakeRefused
from firnline_infra.blueprint import Blueprint
from firnline_infra.observe.errors import OtherObjectsThere, OthersWouldLose
from firnline_infra.observe.existing import StackResources
from firnline_infra.observe.invisible import hidden_by_statement
from firnline_infra.observe.lookup import listed
from firnline_infra.observe.ownership import check_ownership, owners_by_grant
from firnline_infra.observe.sight import HiddenObject, hidden_objects, made_objects
from firnline_infra.specification.identifier import Identifier, QualifiedName

WITH_A_CONTAINER = {
    "table": "TABLES",
    "view": "VIEWS",
    "materialized view": "MATERIALIZED VIEWS",
    "stage": "STAGES",
    "pipe": "PIPES",
    "sequence": "SEQUENCES",
    "file format": "FILE FORMATS",
    "function": "USER FUNCTIONS",
    "procedure": "USER PROCEDURES",
    "stream": "STREAMS",
    "task": "TASKS",
    "alert": "ALERTS",
    "notebook": "NOTEBOOKS",
    "streamlit": "STREAMLITS",
    "model": "MODELS",
    "service": "SERVICES",
    "image repository": "IMAGE REPOSITORIES",
    "git repository": "GIT REPOSITORIES",
    "secret": "SECRETS",
}
"""What a DROP of a schema takes along (`sql-reference/sql/drop-schema`), by the plural that SHOW has for it. Policies
and tags are not asked for: not every edition has them."""
NOT_EVERYWHERE = {
    *("materialized view", "alert", "notebook", "streamlit"),
    *("model", "service", "image repository", "git repository", "secret"),
}
"""Kinds that an edition or a region may lack: that a listing of them is refused counts as none."""
SNOWFLAKES_OWN = {"INFORMATION_SCHEMA"}
"""The schema whose views SHOW VIEWS lists with those of the others."""


def check_removable(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> None:
    """Raises OwnerOutOfReach, OthersWouldLose or SnowflakeRefused."""
    check_ownership(session, state)
    known = StackResources.of(state)
    if not known.resources:
        return
    hidden = [each for each in hidden_objects(blueprint, session, state) if known.knows(each.name)]
    said = {each.display_name: each for each in hidden_by_statement(blueprint, session, state)}
    said |= {each.display_name: each for each in (*hidden, *_moved(blueprint, session, state))}
    if said:
        deployer = blueprint.names.deploy_role
        raise OthersWouldLose([(each.described, each.given_back(deployer)) for each in said.values()], role=deployer)


def check_alone(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> None:
    """Raises OtherObjectsThere for what others put into a database or schema that the stack made. Raises SnowflakeRefused."""
    if others := list(_others_in_ours(blueprint, session, state)):
        raise OtherObjectsThere(others)


def _others_in_ours(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[str]:
    known, landing = StackResources.of(state), blueprint.landing
    databases = [QualifiedName((each.name,)) for each in landing.databases]
    made = [("DATABASE", each) for each in databases if known.knows(each)]
    inside = {each.parts[0] for _, each in made}
    made += [
        ("SCHEMA", each.name) for each in landing.schemas if known.knows(each.name) and each.name.parts[0] not in inside
    ]
    named = {"table": (*landing.tables, *landing.latest), "stage": landing.stages, "pipe": landing.pipes}
    own = {(noun, *(part.name for part in each.name.parts)) for noun in named for each in named[noun]}
    yield from _other_makers(blueprint, session, made)
    for word, container in made:
        if word == "DATABASE":
            yield from _other_schemas(blueprint, session, container, known)
        for noun in WITH_A_CONTAINER:
            for name, row in _inside(session, noun, f"{word} {container.sql}"):
                is_known = known.knows(name) and noun in (*named, "view")  # a stream may have its table's name
                if (noun, *(part.name for part in name.parts)) not in own and not is_known:
                    owner = f", which role {row['owner']} owns" if row.get("owner") else ""
                    yield f"{noun} {name}{owner}"


def _other_makers(blueprint: Blueprint, session: Any, made: Sequence[tuple[str, QualifiedName]]) -> Iterator[str]:
    """Yields roles that may make something there: the owner of a schema sees none of it without a right on it."""
    names, landing = blueprint.names, blueprint.landing
    own = {
        current_role(session),
        names.deploy_role.name,
        names.preview_role.name,
        *(each.name.name for each in landing.roles),
    }
    inside = {container.parts[0] for word, container in made if word == "DATABASE"}
    schemas = [("SCHEMA", each.name) for each in landing.schemas if each.name.parts[0] in inside]
    for word, container in (*made, *schemas):
        may = dict[str, list[str]]()
        for row in rows_if_there(session, f"SHOW GRANTS ON {word} {container.sql}") or ():
            grantee, privilege = str(row["grantee_name"]), str(row["privilege"])
            if privilege.startswith("CREATE ") and grantee not in own:
                may.setdefault(grantee, []).append(privilege)
        for grantee, privileges in sorted(may.items()):
            rights = ", ".join(privileges)
            where = f"{word.lower()} {container}"
            yield f"whatever role {grantee} made in {where}, unseen from here: it has {rights} (revoke it if it made nothing)"


def _other_schemas(blueprint: Blueprint, session: Any, database: QualifiedName, known: StackResources) -> Iterator[str]:
    """An empty one is somebody's, too. PUBLIC comes with its database."""
    own = {each.name.parts for each in blueprint.landing.schemas}
    for row in rows_if_there(session, f"SHOW SCHEMAS IN DATABASE {database.sql}") or ():
        name = QualifiedName((database.parts[0], Identifier(str(row["name"]))))
        is_made = name.parts in own or known.knows(name)
        if not is_made and row["name"] not in {*SNOWFLAKES_OWN, "PUBLIC"}:
            yield f"schema {name}, which role {row.get('owner') or 'unknown'} owns"


def _inside(session: Any, noun: str, container: str) -> Iterator[tuple[QualifiedName, Mapping[str, Any]]]:
    """Yields each object with its row. The default pipe of a table has no owner and goes with it."""
    try:
        found = rows_if_there(session, f"SHOW {WITH_A_CONTAINER[noun]} IN {container}") or ()
    except SnowflakeRefused:
        if noun in NOT_EVERYWHERE:
            return
        raise
    for row in found:
        database = row["database_name"] if "database_name" in row else row["catalog_name"]
        parts = (str(database), str(row["schema_name"]), str(row["name"]))
        if parts[1] not in SNOWFLAKES_OWN and not (noun == "pipe" and not row.get("owner")):
            yield QualifiedName(tuple(map(Identifier, parts))), row


def _moved(blueprint: Blueprint, session: Any, state: Mapping[str, Any]) -> Iterator[HiddenObject]:
    """Yields what is seen, and whose listing names another owner."""
    own = {blueprint.names.deploy_role.name, current_role(session), *owners_by_grant(state)}
    known = StackResources.of(state)
    for _, each in made_objects(blueprint):
        if not known.knows(each.name) or (row := listed(session, each.word, each.name)) is None:
            continue
        if (owner := str(row.get("owner") or "")) and owner not in own:
            yield HiddenObject(each.noun, each.name, each.word, Identifier(owner).name)
