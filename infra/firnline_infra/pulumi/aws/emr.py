"""Where an engine runs on EMR: an application, a virtual cluster, a cluster of machines."""

import pulumi
from pulumi_aws import emr, emrcontainers
from pulumi_aws import emrserverless as serverless

from firnline_infra.blueprint.runtime import Ec2Cluster as EmrClusterArgs
from firnline_infra.blueprint.runtime import ServerlessApplicationDefinition as ServerlessApplicationArgs
from firnline_infra.blueprint.runtime import VirtualClusterDefinition as VirtualClusterArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = [
    "EmrCluster",
    "EmrClusterArgs",
    "ServerlessApplication",
    "ServerlessApplicationArgs",
    "VirtualCluster",
    "VirtualClusterArgs",
]


class ServerlessApplication(pulumi.ComponentResource):
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
        super().__init__("firnline:index:ServerlessApplication", name, None, opts)
        application = serverless.Application(
            f"{name}-application",
            name=args.name,
            release_label=args.release,
            type="spark",
            architecture=args.architecture,
            auto_start_configuration=serverless.ApplicationAutoStartConfigurationArgs(enabled=True),
            auto_stop_configuration=serverless.ApplicationAutoStopConfigurationArgs(
                enabled=True, idle_timeout_minutes=args.idle_minutes
            ),
            maximum_capacity=serverless.ApplicationMaximumCapacityArgs(
                cpu=f"{args.maximum_vcpus} vCPU", memory=f"{args.maximum_memory_gb} GB"
            ),
            network_configuration=serverless.ApplicationNetworkConfigurationArgs(
                subnet_ids=list(args.subnets), security_group_ids=[as_input(group) for group in args.security_groups]
            ),
            scheduler_configuration=serverless.ApplicationSchedulerConfigurationArgs(
                max_concurrent_runs=args.concurrent_runs, queue_timeout_minutes=args.queue_minutes
            ),
            tags=args.tags,
            opts=child_of(self),
        )
        self.application_id = application.id
        self.register_outputs({"applicationId": self.application_id})


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


class EmrCluster(pulumi.ComponentResource):
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
        super().__init__("firnline:index:EmrCluster", name, None, opts)
        groups = [as_input(group) for group in args.security_groups]
        beside = pulumi.Output.all(*groups).apply(",".join) if groups else None
        cluster = emr.Cluster(
            f"{name}-cluster",
            name=args.name,
            release_label=args.release,
            applications=["Spark"],
            service_role=args.service_role,
            log_uri=as_input(args.log_uri),
            keep_job_flow_alive_when_no_steps=True,
            termination_protection=args.is_protected,
            step_concurrency_level=args.concurrent_steps,
            master_instance_group=emr.ClusterMasterInstanceGroupArgs(
                instance_type=args.instance_type, instance_count=1
            ),
            core_instance_group=emr.ClusterCoreInstanceGroupArgs(
                instance_type=args.instance_type, instance_count=args.core_nodes
            ),
            ec2_attributes=emr.ClusterEc2AttributesArgs(
                subnet_id=args.subnet,
                instance_profile=as_input(args.instance_profile),
                additional_master_security_groups=beside,
                additional_slave_security_groups=beside,
            ),
            tags=args.tags,
            opts=child_of(self),
        )
        self.cluster_id = cluster.id
        self.register_outputs({"clusterId": self.cluster_id})
