"""Where an engine runs on EMR on EC2."""

import pulumi
from pulumi_aws import emr

from firnline_infra.blueprint.runtime import Ec2Cluster as EmrClusterArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = ["EmrCluster", "EmrClusterArgs"]


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
