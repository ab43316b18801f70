"""What an operator looks at."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.aws import Dashboard as OperationsDashboardArgs
from firnline_infra.pulumi.options import child_of

__all__ = ["OperationsDashboard", "OperationsDashboardArgs"]


class OperationsDashboard(pulumi.ComponentResource):
    """Creates a CloudWatch dashboard.

    >>> board = OperationsDashboard("dashboard", OperationsDashboardArgs(name="orders", body='{"widgets": []}'))

    To adopt: `pulumi import aws:cloudwatch/dashboard:Dashboard NAME DASHBOARD`.
    """

    def __init__(self, name: str, args: OperationsDashboardArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:OperationsDashboard", name, None, opts)
        aws.cloudwatch.Dashboard(name, dashboard_name=args.name, dashboard_body=args.body, opts=child_of(self))
        self.register_outputs({})
