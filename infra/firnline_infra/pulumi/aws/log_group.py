"""Where a job's logs are read."""

import pulumi
import pulumi_aws as aws

from firnline_infra.blueprint.runtime import LogGroup as LogGroupArgs
from firnline_infra.pulumi.options import child_of

__all__ = ["LogGroup", "LogGroupArgs"]


class LogGroup(pulumi.ComponentResource):
    """Creates a log group of CloudWatch. Its logs go with it.

    >>> group = LogGroup("logs", LogGroupArgs(name="/firnline/orders"))

    To adopt: `pulumi import aws:cloudwatch/logGroup:LogGroup NAME-group GROUP`.
    """

    name: pulumi.Output[str]

    def __init__(self, name: str, args: LogGroupArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:LogGroup", name, None, opts)
        group = aws.cloudwatch.LogGroup(
            f"{name}-group",
            name=args.name,
            retention_in_days=args.retention_days,
            tags=args.tags,
            opts=child_of(self),
        )
        self.name = group.name
        self.register_outputs({"name": self.name})
