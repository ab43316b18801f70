"""Objects in the database, as its system views have them; and whether Redshift may be the role that reads streams.

SVV_MV_INFO and SVV_EXTERNAL_SCHEMAS show superusers all rows, and "regular users can see only their own data" (Database Developer
Guide): what another user does not see is not gone. PG_VIEWS and PG_NAMESPACE are open to all ("System catalog tables"), and the
first has materialized views too, with the statement that made them (dbt-redshift reads them there).
"""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from firnline_infra.accounts.aws import aws_call
from firnline_infra.blueprint.redshift.sql import literal, quoted
from firnline_infra.redshift.database import RedshiftDatabase, Row

SETTING = "enable_case_sensitive_identifier"
WHO = "SELECT usename AS name, usesuper AS is_superuser FROM pg_user WHERE usename = current_user"
SCHEMAS = "SELECT schemaname, esoptions FROM svv_external_schemas"
OWNERS = "SELECT nspname AS schemaname, pg_get_userbyid(nspowner) AS owner FROM pg_namespace"
MATERIALIZED = "SELECT database_name, schema_name, name, user_name, state, autorefresh, is_stale FROM svv_mv_info"
CATALOG = "SELECT schemaname, viewname, viewowner, definition FROM pg_views WHERE schemaname IN ({schemas})"
IS_MATERIALIZED = re.compile(r"\s*CREATE\s+MATERIALIZED\s+VIEW\b", re.IGNORECASE)
READERS = (
    "SELECT namespace_name, relation_name, privilege_type, identity_name FROM svv_relation_privileges "
    "WHERE identity_type = 'role' AND namespace_name IN ({schemas})"
)
OPENED = (
    "SELECT namespace_name, privilege_type, identity_name FROM svv_schema_privileges "
    "WHERE identity_type = 'role' AND namespace_name IN ({schemas})"
)
TRUE = ("t", "1", "true", "True")
ARN = re.compile(r"arn:aws[\w-]*:iam::\d{12}:role/[\w+=,.@/-]+")
Relation = tuple[str, str]
"""Schema and name."""


@dataclass(frozen=True, kw_only=True)
class ObservedView:
    auto_refresh: bool
    state: int
    """Above 100 it can't be refreshed (SVV_MV_INFO)."""
    definition: str


@dataclass(frozen=True, kw_only=True)
class Observed:
    schemas: Mapping[str, str | None]
    """The ARN of each schema's role, by the schema's name; None where Redshift does not say."""
    views: Mapping[Relation, ObservedView]
    """Materialized ones, as far as the user sees them."""
    plain: Mapping[Relation, str]
    """Views that are not materialized, with their definitions."""
    hidden: Mapping[Relation, str]
    """Definitions of materialized views that the catalog has and the user sees nothing else of."""
    grants: frozenset[tuple[str, str, str]]
    """Privilege, schema or schema.relation, role."""
    user: str
    """The database user who looks."""
    sees_all: bool
    """True if what it does not see is not there: it is a superuser, or the one whose all this is."""
    owners: Mapping[str, str]
    """The owner of each schema, and of each schema.relation."""

    def has(self, view: Relation) -> bool:
        return view in self.views or view in self.hidden or view in self.plain


EMPTY = Observed(schemas={}, views={}, plain={}, hidden={}, grants=frozenset(), user="", sees_all=True, owners={})
"""What is observed of a database that does not exist yet."""


def observe(database: RedshiftDatabase) -> Observed:
    """Raises RedshiftStatementFailed, AwsRefused."""
    wanted = database.destination
    schemas = ", ".join(literal(each) for each in dict.fromkeys(view.schema for view in wanted.views))
    listed = [row for row in database.run(MATERIALIZED) if row["database_name"] == wanted.database]
    ours = {(view.schema, each.name) for view in wanted.views for each in view.with_dependents}
    found = {(row["schema_name"], row["name"]): row for row in listed}
    catalog = database.run(CATALOG.format(schemas=schemas))
    definitions = {(row["schemaname"], row["viewname"]): row["definition"] or "" for row in catalog}
    materialized = {place for place, text in definitions.items() if IS_MATERIALIZED.match(text)}
    (who,) = database.run(WHO)
    return Observed(
        schemas={row["schemaname"]: _role_in(row.get("esoptions")) for row in database.run(SCHEMAS)},
        views={place: _view(database, place, row) for place, row in found.items() if place in ours},
        plain={place: text for place, text in definitions.items() if place not in materialized},
        hidden={place: definitions[place] for place in materialized - found.keys()},
        grants=frozenset(
            (
                row["privilege_type"],
                ".".join(filter(None, (row["namespace_name"], row.get("relation_name")))),
                row["identity_name"],
            )
            for statement in (READERS, OPENED)
            for row in database.run(statement.format(schemas=schemas))
        ),
        user=who["name"],
        sees_all=str(who["is_superuser"]) in TRUE or wanted.owner in (None, who["name"]),
        owners={
            **{row["schemaname"]: row["owner"] for row in database.run(OWNERS)},
            **{f"{row['schemaname']}.{row['viewname']}": row["viewowner"] for row in catalog},
            **{f"{row['schema_name']}.{row['name']}": row["user_name"] for row in listed},
        },
    )


def is_case_sensitive(database: RedshiftDatabase) -> bool:
    return any(str(value) == "on" for row in database.run(f"SHOW {SETTING}") for value in row.values())


def attached_roles(database: RedshiftDatabase, aws: Callable[[str], Any]) -> tuple[frozenset[str], str | None]:
    """ARNs of the roles that Redshift may be, and its default one. Raises AwsRefused."""
    wanted = database.destination
    with aws_call("look which roles it may be", database.place):
        if wanted.cluster is not None:
            (cluster,) = aws("redshift").describe_clusters(ClusterIdentifier=wanted.cluster)["Clusters"]
            roles = frozenset(each["IamRoleArn"] for each in cluster.get("IamRoles") or ())
            return roles, cluster.get("DefaultIamRoleArn")
        serverless = aws("redshift-serverless")
        group = serverless.get_workgroup(workgroupName=wanted.workgroup_name)["workgroup"]
        namespace = serverless.get_namespace(namespaceName=group["namespaceName"])["namespace"]
        return _arns_in(namespace.get("iamRoles") or ()), namespace.get("defaultIamRoleArn")


def _arns_in(roles: Any) -> frozenset[str]:
    """The service writes IamRole(applyStatus=in-sync, iamRoleArn=…)."""
    return frozenset(match[0] for each in roles if (match := ARN.search(each)))


def _role_in(options: str | None) -> str | None:
    try:
        return str(json.loads(options or "{}").get("IAM_ROLE") or "") or None
    except ValueError:
        return None


def _view(database: RedshiftDatabase, place: Relation, row: Row) -> ObservedView:
    shown = database.run(f"SHOW VIEW {quoted(place[0])}.{quoted(place[1])}")
    return ObservedView(
        auto_refresh=str(row["autorefresh"]) in TRUE,
        state=int(row["state"]),
        definition="\n".join(str(value) for each in shown for value in each.values()),
    )
