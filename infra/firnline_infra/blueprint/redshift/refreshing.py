"""Refreshes on a schedule, and how CloudWatch sees them: EventBridge Scheduler runs REFRESH by the Data API, whose event about
each one that ended well is counted by a rule.

Redshift publishes no metric of a view; AWS/Events counts what a rule matches ("Monitoring Amazon EventBridge"), and the Data API
says how a statement ended where WithEvent asks for it ("Monitoring events for the Amazon Redshift Data API").
"""

import json

from firnline_infra.blueprint.aws import IamRole
from firnline_infra.blueprint.iam.redshift import refresh_statements, schedule_trust
from firnline_infra.blueprint.redshift.definitions import RefreshSchedule, ScheduledRefreshes, StreamViewDefinition
from firnline_infra.blueprint.redshift.sql import refresh
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import tags
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names, refresh_of
from firnline_infra.specification.redshift import Redshift

REFRESH_ROLE = Reference("redshift-refresh-role")


def scheduled_refreshes(
    spec: EnvironmentSpec,
    names: Names,
    views: tuple[StreamViewDefinition, ...],
    *,
    group: str | None,
    key: Value | None,
) -> ScheduledRefreshes | None:
    """`group` is the workgroup's name, `key` that of a cluster that is made. None where no view is refreshed on a schedule."""
    section = spec.redshift
    assert section is not None
    pairs = zip(section.views, views, strict=True)
    schedules = tuple(
        RefreshSchedule(
            name=refresh_of(names.application, view),
            view=f"{made.schema}.{made.name}",
            every_minutes=view.refresh_every_minutes,
            input=json.dumps(_statement(section, names.application, group, made, refresh_of(names.application, view))),
            target=f"arn:{spec.aws.partition}:scheduler:::aws-sdk:redshiftdata:executeStatement",
            role_arn=REFRESH_ROLE,
            is_counted=spec.alarms.are_made,
            tags=tags(spec, component="redshift"),
        )
        for view, made in pairs
        if view.refresh_every_minutes is not None
    )
    return ScheduledRefreshes(role=_role(spec, names, section, key), schedules=schedules) if schedules else None


def _statement(
    section: Redshift, application: str, group: str | None, view: StreamViewDefinition, name: str
) -> dict[str, str | bool]:
    """Returns the request to ExecuteStatement. Only a view's owner may refresh it, so it logs in as who makes the views."""
    said = {
        "WorkgroupName": group,
        "ClusterIdentifier": section.cluster_name(application),
        "DbUser": section.db_user,
        "SecretArn": section.secret_arn,
        "Database": section.database,
        "Sql": refresh(view),
        "StatementName": name,
    }
    return {**{key: value for key, value in said.items() if value is not None}, "WithEvent": True}


def _role(spec: EnvironmentSpec, names: Names, section: Redshift, key: Value | None) -> IamRole:
    return IamRole(
        name=names.redshift_refresh_role,
        trust=schedule_trust(account=spec.aws.account, group=Arns(spec).schedule_group("default")),
        statements=refresh_statements(Arns(spec), section, application=names.application, key=key),
        description=f"EventBridge Scheduler refreshes views of Redshift, environment {spec.name}",
        permissions_boundary=spec.aws.permissions_boundary,
        tags=tags(spec, component="redshift"),
    )
