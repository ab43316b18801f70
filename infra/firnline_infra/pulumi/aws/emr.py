"""Where an engine runs on EMR: an application, a virtual cluster, a cluster of machines."""

import pulumi

from firnline_infra.blueprint.runtime import Ec2Cluster as EmrClusterArgs
from firnline_infra.blueprint.runtime import ServerlessApplicationDefinition as ServerlessApplicationArgs
from firnline_infra.blueprint.runtime import VirtualClusterDefinition as VirtualClusterArgs
from firnline_infra.pulumi.rendering import RenderedComponent
from firnline_infra.resources.aws_runtime import emr_cluster, serverless_application, virtual_cluster

__all__ = [
    "EmrCluster",
    "EmrClusterArgs",
    "ServerlessApplication",
    "ServerlessApplicationArgs",
    "VirtualCluster",
    "VirtualClusterArgs",
]


class ServerlessApplication(RenderedComponent):
    """Creates an application of EMR Serverless: a release, a network and a limit, in which jobs are started.

    AWS changes it only while it is stopped; jobs start it.

    >>> application = ServerlessApplication("application", ServerlessApplicationArgs(
    ...     name="orders", release="emr-spark-8.1.0", architecture="ARM64", subnets=("subnet-0a1b2c3d",),
    ...     security_groups=("sg-0a1b2c3d",), maximum_vcpus=16, maximum_memory_gb=64,
    ... ))

    To adopt: `pulumi import aws:emrserverless/application:Application NAME-application ID`.
    """

    application_id: pulumi.Output[str]

    def __init__(self, name: str, args: ServerlessApplicationArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(serverless_application(name, args), opts)
        self.application_id = self.made["application_id"]


class VirtualCluster(RenderedComponent):
    """Creates a virtual cluster of EMR on EKS over a namespace that exists; EMR has to be let into it before.

    >>> cluster = VirtualCluster("cluster", VirtualClusterArgs(name="orders", cluster="platform", namespace="ingest"))

    To adopt: `pulumi import aws:emrcontainers/virtualCluster:VirtualCluster NAME-virtual-cluster ID`.
    """

    virtual_cluster_id: pulumi.Output[str]

    def __init__(self, name: str, args: VirtualClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(virtual_cluster(name, args), opts)
        self.virtual_cluster_id = self.made["virtual_cluster_id"]


class EmrCluster(RenderedComponent):
    """Creates a cluster of EMR with Spark: a primary node, and core nodes that its steps run on. It stays when it has no step.

    The number of core nodes changes in place; a changed release, network or machine is another cluster.

    >>> cluster = EmrCluster("cluster", EmrClusterArgs(
    ...     name="orders", release="emr-spark-8.1.0", instance_type="m7g.xlarge", core_nodes=2, subnet="subnet-0a1b2c3d",
    ...     security_groups=(), instance_profile="orders-engine", service_role="EMR_DefaultRole", log_uri=None,
    ... ))

    To adopt: `pulumi import aws:emr/cluster:Cluster NAME-cluster j-…`.
    """

    cluster_id: pulumi.Output[str]

    def __init__(self, name: str, args: EmrClusterArgs, opts: pulumi.ResourceOptions | None = None) -> None:
        super().__init__(emr_cluster(name, args), opts)
        self.cluster_id = self.made["cluster_id"]
