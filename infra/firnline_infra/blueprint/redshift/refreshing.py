"""Refreshes on a schedule, and how CloudWatch sees them: EventBridge Scheduler runs REFRESH by the Data API, whose event about
each one that ended well is counted by a rule.

Redshift publishes no metric of a view; AWS/Events counts what a rule matches ("Monitoring Amazon EventBridge"), and the Data API
says how a statement ended where WithEvent asks for it ("Monitoring events for the Amazon Redshift Data API").
"""

import json

from firnline_infra.blueprint.redshift.definitions import StreamViewDefinition
from firnline_infra.blueprint.redshift.sql import refresh
from firnline_infra.specification.redshift import Redshift


def refresh_request(section: Redshift, application: str, view: StreamViewDefinition, name: str) -> str:
    """Returns the request to ExecuteStatement, as JSON; the statement gets the name. Only a view's owner may refresh it, so it
    logs in as who makes the views."""
    group = section.workgroup
    said = {
        "WorkgroupName": None if group is None else group.name or application,
        "ClusterIdentifier": section.cluster_name(application),
        "DbUser": section.db_user,
        "SecretArn": section.secret_arn,
        "Database": section.database,
        "Sql": refresh(view),
        "StatementName": name,
    }
    return json.dumps({**{key: value for key, value in said.items() if value is not None}, "WithEvent": True})


def rate(minutes: int) -> str:
    """A schedule's expression."""
    return f"rate({minutes} minute{'s' if minutes > 1 else ''})"


def ended_well(name: str) -> str:
    """Pattern of what the Data API sends about a statement of that name which ended well."""
    detail = {"state": ["FINISHED"], "statementName": [name]}
    kind = "Redshift Data Statement Status Change"
    return json.dumps({"source": ["aws.redshift-data"], "detail-type": [kind], "detail": detail})
