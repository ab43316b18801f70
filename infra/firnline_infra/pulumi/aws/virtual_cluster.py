"""Where an engine runs on EMR on EKS."""

import pulumi
from pulumi_aws import emrcontainers

from firnline_infra.blueprint.runtime import VirtualCluster as VirtualClusterArgs
from firnline_infra.pulumi.options import child_of

__all__ = ["VirtualCluster", "VirtualClusterArgs"]


class VirtualCluster(pulumi.ComponentResource):
    """Creates a virtual cluster of EMR on EKS over a namespace that exists; EMR has to be let into it before.

    >>> cluster = VirtualCluster("cluster", VirtualClusterArgs(name="orders", cluster="platform", namespace="ingest"))

    To adopt: `pulumi import aws:emrcontainers/virtualCluster:VirtualCluster NAME-virtual-cluster ID`.
    """

    virtual_cluster_id: pulumi.Output[str]

    def __init__(self, name: str, args: VirtualClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__("firnline:index:VirtualCluster", name, None, opts)
        place = emrcontainers.VirtualClusterContainerProviderInfoEksInfoArgs(namespace=args.namespace)
        cluster = emrcontainers.VirtualCluster(
            f"{name}-virtual-cluster",
            name=args.name,
            container_provider=emrcontainers.VirtualClusterContainerProviderArgs(
                id=args.cluster,
                type="EKS",
                info=emrcontainers.VirtualClusterContainerProviderInfoArgs(eks_info=place),
            ),
            tags=args.tags,
            opts=child_of(self),
        )
        self.virtual_cluster_id = cluster.id
        self.register_outputs({"virtualClusterId": self.virtual_cluster_id})
