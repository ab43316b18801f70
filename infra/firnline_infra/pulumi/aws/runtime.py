"""Components of the engine in AWS, and of where it runs: roles, applications and clusters, networks."""

import pulumi

from firnline_infra.blueprint.aws import IamRole as RuntimeRoleArgs
from firnline_infra.blueprint.aws import IamUser as RuntimeUserArgs
from firnline_infra.blueprint.runtime import Ec2Cluster as EmrClusterArgs
from firnline_infra.blueprint.runtime import ServerlessApplicationDefinition as ServerlessApplicationArgs
from firnline_infra.blueprint.runtime import VirtualClusterDefinition as VirtualClusterArgs
from firnline_infra.pulumi.rendering import DefinedComponent
from firnline_infra.resources.aws_runtime import (
    emr_cluster,
    runtime_role,
    runtime_user,
    serverless_application,
    virtual_cluster,
)

__all__ = [
    "EmrCluster",
    "EmrClusterArgs",
    "RuntimeRole",
    "RuntimeRoleArgs",
    "RuntimeUser",
    "RuntimeUserArgs",
    "ServerlessApplication",
    "ServerlessApplicationArgs",
    "VirtualCluster",
    "VirtualClusterArgs",
]


class RuntimeRole(DefinedComponent[RuntimeRoleArgs], describe=runtime_role):
    """Creates an IAM role and its one inline policy, exactly as the statements say.

    >>> from firnline_infra.blueprint.iam import PolicyStatement
    >>> service = {"Service": "emr-serverless.amazonaws.com"}
    >>> trust = PolicyStatement(sid="Emr", actions=("sts:AssumeRole",), principals=service)
    >>> stream = "arn:aws:kinesis:eu-west-1:111122223333:stream/orders"
    >>> read = PolicyStatement(sid="Read", actions=("kinesis:GetRecords",), resources=(stream,))
    >>> role = RuntimeRole("engine", RuntimeRoleArgs(name="orders-engine", trust=(trust,), statements=(read,)))

    To adopt: `pulumi import aws:iam/role:Role NAME-role ROLE`, `aws:iam/rolePolicy:RolePolicy NAME-policy ROLE:firnline`.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]


class RuntimeUser(DefinedComponent[RuntimeUserArgs], describe=runtime_user):
    """Creates an IAM user with one managed policy of its own. Its access keys are made where no state sees them.

    >>> from firnline_infra.blueprint.iam import PolicyStatement
    >>> stream = "arn:aws:kinesis:eu-west-1:111122223333:stream/orders"
    >>> read = PolicyStatement(sid="Read", actions=("kinesis:GetRecords",), resources=(stream,))
    >>> user = RuntimeUser("engine", RuntimeUserArgs(name="orders-engine", statements=(read,)))

    To adopt: `pulumi import aws:iam/user:User NAME-user USER`, `aws:iam/policy:Policy NAME-policy POLICY_ARN`. What a user
    has is attached again, which changes nothing.
    """

    name: pulumi.Output[str]
    arn: pulumi.Output[str]


class ServerlessApplication(DefinedComponent[ServerlessApplicationArgs], describe=serverless_application):
    """Creates an application of EMR Serverless: a release, a network and a limit, in which jobs are started.

    AWS changes it only while it is stopped; jobs start it.

    >>> application = ServerlessApplication("application", ServerlessApplicationArgs(
    ...     name="orders", release="emr-spark-8.1.0", architecture="ARM64", subnets=("subnet-0a1b2c3d",),
    ...     security_groups=("sg-0a1b2c3d",), maximum_vcpus=16, maximum_memory_gb=64,
    ... ))

    To adopt: `pulumi import aws:emrserverless/application:Application NAME-application ID`.
    """

    application_id: pulumi.Output[str]


class VirtualCluster(DefinedComponent[VirtualClusterArgs], describe=virtual_cluster):
    """Creates a virtual cluster of EMR on EKS over a namespace that exists; EMR has to be let into it before.

    >>> cluster = VirtualCluster("cluster", VirtualClusterArgs(name="orders", cluster="platform", namespace="ingest"))

    To adopt: `pulumi import aws:emrcontainers/virtualCluster:VirtualCluster NAME-virtual-cluster ID`.
    """

    virtual_cluster_id: pulumi.Output[str]


class EmrCluster(DefinedComponent[EmrClusterArgs], describe=emr_cluster):
    """Creates a cluster of EMR with Spark: a primary node, and core nodes that its steps run on. It stays when it has no step.

    The number of core nodes changes in place; a changed release, network or machine is another cluster.

    >>> cluster = EmrCluster("cluster", EmrClusterArgs(
    ...     name="orders", release="emr-spark-8.1.0", instance_type="m7g.xlarge", core_nodes=2, subnet="subnet-0a1b2c3d",
    ...     security_groups=(), instance_profile="orders-engine", service_role="EMR_DefaultRole", log_uri=None,
    ... ))

    To adopt: `pulumi import aws:emr/cluster:Cluster NAME-cluster j-…`.
    """

    cluster_id: pulumi.Output[str]
