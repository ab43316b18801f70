"""Dashboards of CloudWatch.

Rules: `resourceDashboard` of terraform-provider-aws 6 (internal/service/cloudwatch/dashboard.go). It is put the same way when it
is made and when it is changed, and its body is compared as JSON.
"""

import json
from typing import Any

from firnline_local.materialise.aws.inputs import require_carried
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:cloudwatch/dashboard:Dashboard"
RULES = Rules(replaced_by=frozenset({"dashboardName", "region"}))
INPUTS = frozenset({"dashboardName", "dashboardBody"})


def create(inputs: Properties, clients: Clients) -> Made:
    """The service has no other operation to make one than the one that replaces it."""
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    _put(inputs, clients)
    return Made(inputs["dashboardName"], read(inputs["dashboardName"], inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    cloudwatch = clients.aws("cloudwatch")
    try:
        found = cloudwatch.get_dashboard(DashboardName=id_)
    except cloudwatch.exceptions.ResourceNotFound:
        return None
    body, given = found["DashboardBody"], properties.get("dashboardBody")
    return {
        "id": id_,
        "dashboardArn": found["DashboardArn"],
        "dashboardName": found["DashboardName"],
        "dashboardBody": given if isinstance(given, str) and json.loads(given) == json.loads(body) else body,
        "region": clients.region,
    }


def update(id_: str, _: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    require_carried(TYPE, new, INPUTS, region=clients.region)
    _put(new, clients)
    return read(id_, new, clients) or {}


def delete(id_: str, _: Properties, clients: Clients) -> None:
    cloudwatch = clients.aws("cloudwatch")
    try:
        cloudwatch.delete_dashboards(DashboardNames=[id_])
    except cloudwatch.exceptions.ResourceNotFound:
        return


def _put(inputs: Properties, clients: Clients) -> None:
    clients.aws("cloudwatch").put_dashboard(
        DashboardName=inputs["dashboardName"], DashboardBody=inputs["dashboardBody"]
    )
