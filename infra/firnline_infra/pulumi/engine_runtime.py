"""Where the engine's jobs run: what its runtime needs to be there, in the order in which it can be made."""

import pulumi

from firnline_infra.blueprint.runtime import RuntimeParts
from firnline_infra.blueprint.value import Reference
from firnline_infra.pulumi import aws
from firnline_infra.pulumi.references import Lookup, Made, either, resolved


def place_of_jobs(parts: RuntimeParts, known: Lookup, opts: pulumi.ResourceOptions) -> Made:
    """What others refer to: the id of the application or cluster."""
    made: Made = {}
    if parts.security_group is not None:
        group = aws.EngineSecurityGroup("engine-network", resolved(parts.security_group, known), opts)
        made[Reference("runtime/security-group")] = group.group_id
    if parts.log_group is not None:
        aws.LogGroup("engine-logs", resolved(parts.log_group, known), opts)
    if parts.instance_profile is not None:
        profile = aws.InstanceProfile("engine-profile", resolved(parts.instance_profile, known), opts)
        made[Reference("runtime/instance-profile", "name")] = profile.name
    if parts.application is not None:
        args = resolved(parts.application, either(made, known))
        application = aws.ServerlessApplication("engine-application", args, opts)
        made[Reference("runtime/application")] = application.application_id
    if parts.cluster is not None:
        machines = aws.EmrCluster("engine", resolved(parts.cluster, either(made, known)), opts)
        made[Reference("runtime/cluster")] = machines.cluster_id
    for association in parts.associations:
        whose = f"engine-{association.service_account}"
        aws.PodIdentityAssociation(whose, resolved(association, either(made, known)), opts)
    if parts.virtual_cluster is not None:
        cluster = aws.VirtualCluster("engine", parts.virtual_cluster, opts)
        made[Reference("runtime/virtual-cluster")] = cluster.virtual_cluster_id
    return made
