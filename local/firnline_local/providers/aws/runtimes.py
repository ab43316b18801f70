"""Types that the engine runs on: applications of EMR Serverless, clusters of EMR on EC2, virtual clusters of EMR on EKS, and
associations of EKS Pod Identity; each as far as Spark needs it.

Rules: terraform-provider-aws 6, internal/service/: `resourceApplication` (emrserverless/application.go), `resourceCluster`
(emr/cluster.go), `resourceVirtualCluster` (emrcontainers/virtual_cluster.go), `podIdentityAssociationResource`
(eks/pod_identity_association.go).
"""

import json
from collections.abc import Mapping
from typing import Any

from firnline_local.providers.aws.kind import AwsKind, Subject, WireField, made_by, on, sends, tags_by, tags_by_arn
from firnline_local.providers.aws.values import as_list, set_like, tags_of
from firnline_local.providers.kind import MOST, Properties, Rules

GONE = ("TERMINATED", "TERMINATED_WITH_ERRORS")
"""States of what can be asked for as long as the service remembers it, and is gone."""


def _network_like(found: Properties, known: Any) -> dict[str, Any]:
    return {name: set_like(found[name], (known or {}).get(name)) for name in found}


def _unless_gone(found: Properties) -> Properties | None:
    return None if found["state"] in GONE else found


APPLICATION_DEFAULTS = {
    "architecture": "X86_64",
    "autoStartConfiguration": {"enabled": True},
    "autoStopConfiguration": {"enabled": True, "idleTimeoutMinutes": 15},
    "maximumCapacity": None,
    "networkConfiguration": None,
    "schedulerConfiguration": None,
    "tags": {},
}
SENT = (
    "architecture autoStartConfiguration autoStopConfiguration maximumCapacity networkConfiguration releaseLabel "
    "schedulerConfiguration"
)
APPLICATION = AwsKind(  # a name is not unique: a second application may have it
    type="aws:emrserverless/application:Application",
    service="emr-serverless",
    rules=Rules.of(
        # Subnets and groups: ForceNew within the block, as 5.100.0 plans it and application.go has it.
        "name type region networkConfiguration",
        defaults=APPLICATION_DEFAULTS,
        values={"architecture": "ARM64 X86_64", "type": "spark hive"},
        lengths={"name": (1, 64)},
        ranges={"autoStopConfiguration.idleTimeoutMinutes": (1, 10080)},
    ),
    fields={
        "name": "name",
        "type": WireField("type", like=lambda found, _: found.lower()),
        **{name: WireField(name, absent=APPLICATION_DEFAULTS.get(name)) for name in SENT.split()},
        "networkConfiguration": WireField("networkConfiguration", like=_network_like),
    },
    outputs={"arn": "arn"},
    by="applicationId",
    make=made_by("create_application", "applicationId", tags=dict, under="tags"),
    look=lambda it: _unless_gone(it.ask("get_application")["application"]),
    # An update sends every field, so that the service takes it only while the application is CREATED or STOPPED
    # (hashicorp/terraform-provider-aws#49109).
    updates=(sends("update_application", SENT),),
    tags=tags_by_arn(),
    remove=lambda it: it.ask("delete_application"),  # the provider stops nothing before: a started one is refused
    looks_before=True,
    gone="ResourceNotFoundException",
)
VIRTUAL_CLUSTER = AwsKind(  # a name is not unique; a namespace is. Nothing but its tags is changed by an update
    type="aws:emrcontainers/virtualCluster:VirtualCluster",
    service="emr-containers",
    rules=Rules.of(
        "name containerProvider region",
        defaults={"tags": {}},
        values={"containerProvider.type": "EKS"},
        lengths={"name": (1, 64)},
    ),
    fields={"name": "name", "containerProvider": WireField("containerProvider", sent=dict)},
    outputs={"arn": "arn"},
    by="id",
    make=made_by("create_virtual_cluster", "id", tags=dict, under="tags"),
    look=lambda it: _unless_gone(it.ask("describe_virtual_cluster")["virtualCluster"]),
    tags=tags_by_arn(),
    remove=lambda it: it.ask("delete_virtual_cluster"),  # the provider waits up to 90 minutes for its jobs to end
    looks_before=True,
    gone="ResourceNotFoundException",
)


def _association(it: Subject) -> dict[str, str]:
    """The association's id is known within its cluster alone: it is imported as `cluster,id`. Raises ValueError for an id
    alone."""
    cluster, _, id_ = it.id.rpartition(",")
    cluster = cluster or it.inputs.get("clusterName", "")
    if not cluster:
        raise ValueError(f"wrong format of import ID ({id_}), use: 'cluster-name,association-id'")
    return {"clusterName": cluster, "associationId": id_}


POD_IDENTITY_ASSOCIATION = AwsKind(
    type="aws:eks/podIdentityAssociation:PodIdentityAssociation",
    service="eks",
    rules=Rules.of(
        "clusterName namespace serviceAccount region",
        defaults={"disableSessionTags": False, "tags": {}},
        arns="roleArn targetRoleArn",
    ),
    fields={
        **{name: name for name in ("clusterName", "namespace", "serviceAccount", "roleArn")},
        "disableSessionTags": WireField("disableSessionTags", absent=False),
    },
    outputs={"id": "associationId", "associationId": "associationId", "associationArn": "associationArn"},
    by=_association,
    make=made_by(
        "create_pod_identity_association",
        "association.associationId",
        tags=lambda tags: tags or None,  # the service refuses none
        under="tags",
    ),
    look=lambda it: it.ask("describe_pod_identity_association")["association"],
    updates=(sends("update_pod_identity_association", "roleArn disableSessionTags"),),
    tags=tags_by_arn(lambda it: it.output("associationArn")),
    remove=lambda it: it.ask("delete_pod_identity_association"),
    gone="ResourceNotFoundException",
)

GROUPS = {"masterInstanceGroup": "MASTER", "coreInstanceGroup": "CORE"}
OF_A_GROUP = frozenset({"instanceType", "instanceCount"})
ADDITIONAL = {
    "additionalMasterSecurityGroups": "AdditionalMasterSecurityGroups",
    "additionalSlaveSecurityGroups": "AdditionalSlaveSecurityGroups",
}
OF_MACHINES = frozenset({"subnetId", "instanceProfile", *ADDITIONAL})


def _is_other_machines(before: Any, now: Any) -> bool:
    """A core group's number can be changed, and nothing else of it."""
    return {**(before or {}), "instanceCount": 0} != {**(now or {}), "instanceCount": 0}


def _make_cluster(it: Subject) -> str:
    """A name is not unique: a second cluster may have it."""
    where = it.inputs["ec2Attributes"]
    instances = {
        "Ec2SubnetId": where["subnetId"],
        "KeepJobFlowAliveWhenNoSteps": it.inputs.get("keepJobFlowAliveWhenNoSteps", True),
        "TerminationProtected": bool(it.inputs.get("terminationProtection")),
        "InstanceGroups": [_group(role, it.inputs[name]) for name, role in GROUPS.items() if it.inputs.get(name)],
        **{
            wire: [each.strip() for each in where[name].split(",")]
            for name, wire in ADDITIONAL.items()
            if where.get(name)
        },
    }
    tags = as_list(tags_of(it.inputs))
    asked = {**it.request(), "JobFlowRole": where["instanceProfile"], "Tags": tags, "Instances": instances}
    return str(it.client.run_job_flow(**asked)["JobFlowId"])


def _group(role: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    count = int(asked.get("instanceCount", 1))
    return {"InstanceRole": role, "InstanceType": asked["instanceType"], "InstanceCount": count}


def _look_at_cluster(it: Subject) -> Properties | None:
    found = it.ask("describe_cluster")["Cluster"]
    if found["Status"]["State"] in GONE:
        return None
    where = found["Ec2InstanceAttributes"]
    groups = {
        each["InstanceGroupType"]: {
            "instanceType": each["InstanceType"],
            "instanceCount": each["RequestedInstanceCount"],
        }
        for each in it.ask("list_instance_groups")["InstanceGroups"]
    }
    additional = {name: ",".join(where[wire]) for name, wire in ADDITIONAL.items() if where.get(wire)}
    return {
        **found,
        "Groups": groups,
        "Machines": {"subnetId": where["Ec2SubnetId"], "instanceProfile": where["IamInstanceProfile"], **additional},
        "KeepsAlive": not found["AutoTerminate"],
    }


def _set_core_group(it: Subject) -> None:
    groups = it.ask("list_instance_groups")["InstanceGroups"]
    core = next(each["Id"] for each in groups if each["InstanceGroupType"] == "CORE")
    wanted = {"InstanceGroupId": core, "InstanceCount": int(it.inputs["coreInstanceGroup"].get("instanceCount", 1))}
    it.ask("modify_instance_groups", InstanceGroups=[wanted])


CLUSTER = AwsKind(  # its machines are moto's; what was added to it as steps is not part of what is asked for
    type="aws:emr/cluster:Cluster",
    service="emr",
    rules=Rules.of(
        "name releaseLabel applications serviceRole logUri ec2Attributes region masterInstanceGroup keepJobFlowAliveWhenNoSteps "
        "configurationsJson",
        replaced_where={"coreInstanceGroup": _is_other_machines},
        defaults={"logUri": None, "stepConcurrencyLevel": 1, "tags": {}, "visibleToAllUsers": True},
        values={
            "masterInstanceGroup.instanceCount": "1 3",
            "scaleDownBehavior": "TERMINATE_AT_INSTANCE_HOUR TERMINATE_AT_TASK_COMPLETION",
        },
        conflicts="configurations configurationsJson",
        ranges={
            "stepConcurrencyLevel": (1, 256),
            "coreInstanceGroup.instanceCount": (1, MOST),
            "autoTerminationPolicy.idleTimeout": (60, 604800),
        },
        json="configurationsJson additionalInfo",
    ),
    fields={
        "name": "Name",
        "releaseLabel": "ReleaseLabel",
        "applications": WireField(
            "Applications",
            sent=lambda names: [{"Name": each} for each in names],
            like=lambda found, known: set_like([each["Name"] for each in found], known),
        ),
        "serviceRole": "ServiceRole",
        "logUri": "LogUri",
        "stepConcurrencyLevel": WireField("StepConcurrencyLevel", sent=int),
        "configurationsJson": WireField(
            "Configurations", sent=json.loads, like=lambda found, known: json.dumps(found) if known else known
        ),
        "visibleToAllUsers": "VisibleToAllUsers",
        "ec2Attributes": WireField(found="Machines"),
        "terminationProtection": WireField(found="TerminationProtected"),
        "keepJobFlowAliveWhenNoSteps": WireField(found="KeepsAlive"),
        **{name: WireField(found=f"Groups.{role}") for name, role in GROUPS.items()},
    },
    outputs={"arn": "ClusterArn", "clusterState": "Status.State", "masterPublicDns": "MasterPublicDnsName"},
    by="ClusterId",
    nested={"ec2Attributes": OF_MACHINES, **dict.fromkeys(GROUPS, OF_A_GROUP)},
    make=_make_cluster,
    look=_look_at_cluster,
    updates=(
        on(
            "visibleToAllUsers",
            lambda it: it.client.set_visible_to_all_users(JobFlowIds=[it.id], **it.request("visibleToAllUsers")),
        ),
        on(
            "terminationProtection",
            lambda it: it.client.set_termination_protection(
                JobFlowIds=[it.id], TerminationProtected=bool(it.inputs.get("terminationProtection"))
            ),
        ),
        on("coreInstanceGroup", _set_core_group),
        sends("modify_cluster", "stepConcurrencyLevel"),
    ),
    tags=tags_by("add_tags", "remove_tags", where=lambda it: {"ResourceId": it.id}),
    # The provider takes no protection off before: the service refuses one that is protected.
    remove=lambda it: it.client.terminate_job_flows(JobFlowIds=[it.id]),
    looks_before=True,
    gone="InvalidRequestException",
)

KINDS = (APPLICATION, CLUSTER, POD_IDENTITY_ASSOCIATION, VIRTUAL_CLUSTER)
