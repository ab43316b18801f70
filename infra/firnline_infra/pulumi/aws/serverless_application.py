"""Where an engine runs on EMR Serverless."""

import pulumi
from pulumi_aws import emrserverless as serverless

from firnline_infra.blueprint.runtime import ServerlessApplication as ServerlessApplicationArgs
from firnline_infra.pulumi.options import child_of
from firnline_infra.pulumi.references import as_input

__all__ = ["ServerlessApplication", "ServerlessApplicationArgs"]


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
