"""Pure: what is missing in the database and how it is made; and what is there otherwise than the specification says.

A view that is defined otherwise is never made again by itself: it holds records that the stream may no longer have.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from firnline_infra.blueprint.redshift import RedshiftDestination, sql
from firnline_infra.blueprint.redshift.definitions import StreamViewDefinition
from firnline_infra.redshift.observed import Observed
from firnline_infra.specification.origin import Origin
from firnline_ingest.checks import NOTHING, Finding, unknown

REBUILD = "compare both; to make it again, without what the stream no longer has: firnline redshift rebuild"
BY_ANOTHER = "run it as the role that deploys, whose views they are, or as a superuser of the database"
OF_ITS_OWNER = "it is adopted: have its owner change it, or change the specification"
APPLY = "then firnline redshift apply creates it as specified"
BROKEN = 100
KIND, SCHEMA = "redshift view", "redshift schema"


@dataclass(frozen=True)
class ViewStep:
    sql: str
    does: str
    """For a person: makes view public.orders."""


def steps(wanted: RedshiftDestination, found: Observed) -> Iterator[ViewStep]:
    """Yields the steps in order. Leaves what exists as it is, but for AUTO REFRESH. Yields none for what the user may
    merely not see."""
    for schema in wanted.schemas:
        if schema.name not in found.schemas and schema.name not in found.owners and found.sees_all:
            yield ViewStep(sql.create_schema(schema), f"schema {schema.name} stands for the streams")
    for view in wanted.views:
        yield from _of_view(view, found)


def _of_view(view: StreamViewDefinition, found: Observed) -> Iterator[ViewStep]:
    there, name = found.views.get((view.schema, view.name)), f"{view.schema}.{view.name}"
    if view.origin is Origin.CREATE and found.sees_all and not found.has((view.schema, view.name)):
        yield ViewStep(sql.create_view(view), f"view {name} reads stream {view.stream}")
    elif view.origin is Origin.CREATE and there is not None and there.auto_refresh is not view.auto_refresh:
        how = "by itself" if view.auto_refresh else "when it is asked to"
        yield ViewStep(sql.set_refresh(view), f"view {name} is refreshed {how}")
    for each in view.dependents:
        if found.sees_all and not found.has((each.schema, each.name)):
            yield ViewStep(sql.create_dependent(each), f"view {each.schema}.{each.name} is over {name}")
    for statement, key in sql.grants(view):
        if key not in found.grants and found.sees_all:
            yield ViewStep(statement, f"role {key[2]} may read {key[1]}")


def findings(wanted: RedshiftDestination, found: Observed) -> Iterator[Finding]:
    """Yields what differs; what is missing has the statement that creates it as its repair."""
    for step in steps(wanted, found):
        yield Finding(kind="redshift", name=step.does, path="exists", expected="yes", found=NOTHING, repair=step.sql)
    yield from left_alone(wanted, found)


def left_alone(wanted: RedshiftDestination, found: Observed) -> Iterator[Finding]:
    """Yields what is there otherwise than it should be, and no statement of ours changes."""
    for schema in wanted.schemas:
        role = found.schemas.get(schema.name)
        if role and schema.role_arn and role != schema.role_arn:
            step_ = f"ALTER EXTERNAL SCHEMA {sql.quoted(schema.name)} IAM_ROLE {sql.literal(schema.role_arn)}"
            yield Finding(
                kind=SCHEMA, name=schema.name, path="IAM_ROLE", expected=schema.role_arn, found=role, next_step=step_
            )
    for view in wanted.views:
        yield from _about_view(view, found)
    yield from _owned_by_another(wanted, found)
    if not_seen := list(_not_seen(wanted, found)):
        said = f"{found.user} is shown its own alone, and sees nothing of {', '.join(not_seen)}"
        yield unknown("the views of Redshift", said, next_step=BY_ANOTHER)


def _not_seen(wanted: RedshiftDestination, found: Observed) -> Iterator[str]:
    """Yields what may be there all the same, or otherwise than it should be."""
    if not found.sees_all:
        yield from (f"schema {each.name}" for each in wanted.schemas if each.name not in found.schemas)
        views = [each for view in wanted.views for each in view.with_dependents]
        yield from (
            f"view {each.schema}.{each.name}"
            for each in views
            if (each.schema, each.name) not in found.views and (each.schema, each.name) not in found.plain
        )
        grants = (key for view in wanted.views for _, key in sql.grants(view))
        yield from (f"the {key[0]} of role {key[2]} on {key[1]}" for key in grants if key not in found.grants)


def _owned_by_another(wanted: RedshiftDestination, found: Observed) -> Iterator[Finding]:
    """Only an owner refreshes, changes and drops a view: one that is another's is out of the deployer's reach."""
    ours = {wanted.owner} if found.user == wanted.previewer else {wanted.owner, found.user}
    views = [each for view in wanted.views if view.origin is Origin.CREATE for each in view.with_dependents]
    of_views = ((KIND, f"{each.schema}.{each.name}", f"TABLE {sql.qualified(each)}") for each in views)
    of_schemas = ((SCHEMA, each.name, f"SCHEMA {sql.quoted(each.name)}") for each in wanted.schemas)
    for kind, name, altered in (*of_schemas, *of_views):
        owner, right = found.owners.get(name), wanted.owner or found.user
        if owner is not None and owner not in ours:
            step = f"have {owner} or an administrator run: ALTER {altered} OWNER TO {sql.quoted(right)}"
            yield Finding(kind=kind, name=name, path="owner", expected=right, found=owner, next_step=step)


def _about_view(view: StreamViewDefinition, found: Observed) -> Iterator[Finding]:
    yield from _defined_otherwise(view, found)
    there, name = found.views.get((view.schema, view.name)), f"{view.schema}.{view.name}"
    if there is None:
        return
    if view.origin is Origin.ADOPT and there.auto_refresh is not view.auto_refresh:
        said = ["manual", "auto"]
        yield Finding(
            kind=KIND,
            name=name,
            path="refresh",
            expected=said[view.auto_refresh],
            found=said[there.auto_refresh],
            next_step=OF_ITS_OWNER,
        )
    if there.state > BROKEN:
        step = "firnline redshift rebuild" if view.origin is Origin.CREATE else OF_ITS_OWNER
        yield Finding(kind=KIND, name=name, path="state", expected="0 or 1", found=str(there.state), next_step=step)


def _defined_otherwise(view: StreamViewDefinition, found: Observed) -> Iterator[Finding]:
    rebuild = REBUILD if view.origin is Origin.CREATE else OF_ITS_OWNER
    wanted = [
        (view.schema, view.name, sql.select(view), rebuild),
        *(
            (each.schema, each.name, sql.create_dependent(each), f"{sql.drop_view(each)}; {APPLY}")
            for each in view.dependents
        ),
    ]
    shown = {place: there.definition for place, there in found.views.items()}
    definitions = shown | dict(found.plain) | dict(found.hidden)
    for schema, name, expected, step in wanted:
        there = definitions.get((schema, name))
        if there is not None and normalized(there) != normalized(expected):
            yield Finding(
                kind=KIND, name=f"{schema}.{name}", path="definition", expected=expected, found=there, next_step=step
            )


def normalized(statement: str) -> str:
    """The SELECT of a statement, without what means nothing: case, blanks and quotes outside of texts."""
    select = re.split(r"\bAS\s+(?=SELECT\b)", statement, maxsplit=1, flags=re.IGNORECASE)[-1]
    select = re.sub(r"\s+WITH\s+NO\s+SCHEMA\s+BINDING\s*;?\s*$", "", select, flags=re.IGNORECASE)
    parts = re.split(r"('(?:[^']|'')*')", select.strip().rstrip(";"))
    plain = (
        re.sub(r"\s*([(),=<>])\s*", r"\1", re.sub(r"\s+", " ", each.replace('"', "").lower())) for each in parts[::2]
    )
    texts = [*parts[1::2], ""]
    return "".join(f"{each}{text}" for each, text in zip(plain, texts, strict=True)).strip()
