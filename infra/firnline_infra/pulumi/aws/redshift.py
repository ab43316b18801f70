"""Components that read streams into views: a workgroup of Redshift Serverless, or a provisioned cluster."""

import pulumi

from firnline_infra.blueprint.redshift.definitions import RedshiftCluster as RedshiftProvisionedArgs
from firnline_infra.blueprint.redshift.definitions import RedshiftWorkgroup as RedshiftServerlessArgs
from firnline_infra.kinds.redshift import redshift_cluster, redshift_serverless
from firnline_infra.pulumi.rendering import DefinedComponent

__all__ = ["RedshiftProvisioned", "RedshiftProvisionedArgs", "RedshiftServerless", "RedshiftServerlessArgs"]


class RedshiftServerless(DefinedComponent[RedshiftServerlessArgs], describe=redshift_serverless):
    """Creates a namespace of Redshift Serverless, which may read streams as one role, and a workgroup over it.

    Views are made by `firnline redshift apply`: the provider's statement forgets what it ran after a day, and would run it again.

    >>> reads = "arn:aws:iam::111122223333:role/orders-redshift"
    >>> redshift = RedshiftServerless("redshift", RedshiftServerlessArgs(name="orders", database="dev", role_arn=reads))

    To adopt: `pulumi import aws:redshiftserverless/namespace:Namespace NAME-namespace NAMESPACE`,
    `aws:redshiftserverless/workgroup:Workgroup NAME-workgroup WORKGROUP`.
    """

    workgroup_name: pulumi.Output[str]


class RedshiftProvisioned(DefinedComponent[RedshiftProvisionedArgs], describe=redshift_cluster):
    """Creates a cluster that may read streams as one role: encrypted, in its VPC alone, with a password that AWS keeps.

    >>> reads = "arn:aws:iam::111122223333:role/orders-redshift"
    >>> cluster = RedshiftProvisioned(
    ...     "redshift",
    ...     RedshiftProvisionedArgs(
    ...         name="orders", database="dev", administrator="admin", role_arn=reads, node_type="ra3.large", nodes=1
    ...     ),
    ... )

    To adopt: `pulumi import aws:redshift/cluster:Cluster NAME-cluster IDENTIFIER`.
    """

    cluster_identifier: pulumi.Output[str]
