"""What reads streams into views: a workgroup of Redshift Serverless."""

import pulumi

from firnline_infra.blueprint.redshift.definitions import RedshiftWorkgroup as RedshiftServerlessArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_redshift import redshift_serverless

__all__ = ["RedshiftServerless", "RedshiftServerlessArgs"]


class RedshiftServerless(RenderedComponent):
    """Creates a namespace of Redshift Serverless, which may read streams as one role, and a workgroup over it.

    Views are made by `firnline redshift apply`: the provider's statement forgets what it ran after a day, and would run it again.

    >>> reads = "arn:aws:iam::111122223333:role/orders-redshift"
    >>> redshift = RedshiftServerless("redshift", RedshiftServerlessArgs(name="orders", database="dev", role_arn=reads))

    To adopt: `pulumi import aws:redshiftserverless/namespace:Namespace NAME-namespace NAMESPACE`,
    `aws:redshiftserverless/workgroup:Workgroup NAME-workgroup WORKGROUP`.
    """

    workgroup_name: pulumi.Output[str]

    def __init__(self, name: str, args: RedshiftServerlessArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(redshift_serverless(name, args), opts)
        self.workgroup_name = self.made["workgroup_name"]
