"""As whom a service account's pods run in AWS."""

import pulumi
from pulumi_aws import eks

from firnline_infra.blueprint.runtime import PodIdentityAssociationDefinition as PodIdentityAssociationArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = ["PodIdentityAssociation", "PodIdentityAssociationArgs"]


class PodIdentityAssociation(pulumi.ComponentResource):
    """Creates an association of EKS Pod Identity: the pods of one service account of one cluster are the role.

    The service account need not be there yet, and neither need be a pod; the cluster has to have the Pod Identity agent.

    >>> association = PodIdentityAssociation("engine", PodIdentityAssociationArgs(
    ...     cluster="platform", namespace="ingest", service_account="engine",
    ...     role_arn="arn:aws:iam::111122223333:role/orders-engine",
    ... ))

    To adopt: `pulumi import aws:eks/podIdentityAssociation:PodIdentityAssociation NAME-association CLUSTER,ID`.
    """

    association_id: pulumi.Output[str]

    def __init__(self, name: str, args: PodIdentityAssociationArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:PodIdentityAssociation", name, None, opts)
        association = eks.PodIdentityAssociation(
            f"{name}-association",
            cluster_name=args.cluster,
            namespace=args.namespace,
            service_account=args.service_account,
            role_arn=as_input(args.role_arn),
            tags=args.tags,
            opts=child_of(self),
        )
        self.association_id = association.association_id
        self.register_outputs({"associationId": self.association_id})
