"""Clusters of EMR on EC2 with two instance groups, as far as one for steps of Spark needs them. Their machines are moto's.

Rules: `resourceCluster` of terraform-provider-aws 6 (internal/service/emr/cluster.go). What was added to it as steps is the
provider's to say, and no part of what is asked for.
"""

from collections.abc import Mapping
from typing import Any

from firnline_local.materialise.aws.inputs import (
    as_list,
    as_outputs,
    changed,
    require_carried,
    tag_difference,
    tags_of,
    value_of,
)
from firnline_local.materialise.aws.normalize import present, set_like
from firnline_local.materialise.clients import Clients
from firnline_local.materialise.resource import Made, Properties, Rules

TYPE = "aws:emr/cluster:Cluster"


def _other_machines(before: Any, now: Any) -> bool:
    """A core group's number can be changed, and nothing else of it."""
    return {**(before or {}), "instanceCount": 0} != {**(now or {}), "instanceCount": 0}


RULES = Rules(
    replaced_by=frozenset(
        {
            *("name", "releaseLabel", "applications", "serviceRole", "logUri", "ec2Attributes", "region"),
            *("masterInstanceGroup", "keepJobFlowAliveWhenNoSteps"),
        }
    ),
    replaced_where={"coreInstanceGroup": _other_machines},
    defaults={"logUri": None, "stepConcurrencyLevel": 1, "tags": {}, "visibleToAllUsers": True},
)
GROUPS = {"masterInstanceGroup": "MASTER", "coreInstanceGroup": "CORE"}
ADDITIONAL = {
    "additionalMasterSecurityGroups": "AdditionalMasterSecurityGroups",
    "additionalSlaveSecurityGroups": "AdditionalSlaveSecurityGroups",
}
INPUTS = frozenset(
    {
        *("name", "releaseLabel", "applications", "serviceRole", "logUri", "ec2Attributes", "stepConcurrencyLevel"),
        *("terminationProtection", "keepJobFlowAliveWhenNoSteps", "visibleToAllUsers", "tags", "tagsAll"),
        *GROUPS,
    }
)
OF_MACHINES = frozenset({"subnetId", "instanceProfile", *ADDITIONAL})
GONE = ("TERMINATED", "TERMINATED_WITH_ERRORS")


def create(inputs: Properties, clients: Clients) -> Made:
    """A name is nobody's alone: a second cluster may have it."""
    _require_carried(inputs, clients)
    where = inputs["ec2Attributes"]
    instances = {
        "Ec2SubnetId": where["subnetId"],
        "KeepJobFlowAliveWhenNoSteps": inputs.get("keepJobFlowAliveWhenNoSteps", True),
        "TerminationProtected": bool(inputs.get("terminationProtection")),
        "InstanceGroups": [_group(role, inputs[name]) for name, role in GROUPS.items() if inputs.get(name)],
        **{wire: _ids(where[name]) for name, wire in ADDITIONAL.items() if where.get(name)},
    }
    asked = {
        "Name": inputs["name"],
        "ReleaseLabel": inputs["releaseLabel"],
        "Applications": [{"Name": each} for each in inputs.get("applications") or ()],
        "ServiceRole": inputs["serviceRole"],
        "JobFlowRole": where["instanceProfile"],
        "LogUri": inputs.get("logUri"),
        "StepConcurrencyLevel": int(value_of("stepConcurrencyLevel", inputs, RULES)),
        "VisibleToAllUsers": value_of("visibleToAllUsers", inputs, RULES),
        "Tags": as_list(tags_of(inputs)),
        "Instances": instances,
    }
    id_: str = clients.aws("emr").run_job_flow(**present(asked))["JobFlowId"]
    return Made(id_, read(id_, inputs, clients) or {})


def read(id_: str, properties: Properties, clients: Clients) -> dict[str, Any] | None:
    """A terminated one can be asked for as long as the service remembers it, and is gone."""
    emr = clients.aws("emr")
    try:
        found = emr.describe_cluster(ClusterId=id_)["Cluster"]
    except emr.exceptions.InvalidRequestException:
        return None
    if found["Status"]["State"] in GONE:
        return None
    groups = {each["InstanceGroupType"]: each for each in emr.list_instance_groups(ClusterId=id_)["InstanceGroups"]}
    return present(
        {
            "id": id_,
            "arn": found["ClusterArn"],
            "name": found["Name"],
            "clusterState": found["Status"]["State"],
            "releaseLabel": found["ReleaseLabel"],
            "applications": set_like([each["Name"] for each in found["Applications"]], properties.get("applications")),
            "serviceRole": found["ServiceRole"],
            "logUri": found.get("LogUri") or None,
            "ec2Attributes": _machines(found["Ec2InstanceAttributes"]),
            "stepConcurrencyLevel": found["StepConcurrencyLevel"],
            "terminationProtection": found["TerminationProtected"],
            "keepJobFlowAliveWhenNoSteps": not found["AutoTerminate"],
            "visibleToAllUsers": found["VisibleToAllUsers"],
            "masterPublicDns": found.get("MasterPublicDnsName"),
            "region": clients.region,
            **{name: _told(groups[role]) for name, role in GROUPS.items() if role in groups},
            **as_outputs(found.get("Tags", []), properties),
        }
    )


def update(id_: str, old: Properties, new: Properties, clients: Clients) -> dict[str, Any]:
    _require_carried(new, clients)
    emr, differing = clients.aws("emr"), changed(old, new, RULES)
    if "visibleToAllUsers" in differing:
        is_visible = value_of("visibleToAllUsers", new, RULES)
        emr.set_visible_to_all_users(JobFlowIds=[id_], VisibleToAllUsers=is_visible)
    if "terminationProtection" in differing:
        emr.set_termination_protection(JobFlowIds=[id_], TerminationProtected=bool(new.get("terminationProtection")))
    if "coreInstanceGroup" in differing:
        groups = emr.list_instance_groups(ClusterId=id_)["InstanceGroups"]
        core = next(each["Id"] for each in groups if each["InstanceGroupType"] == "CORE")
        wanted = {"InstanceGroupId": core, "InstanceCount": int(new["coreInstanceGroup"].get("instanceCount", 1))}
        emr.modify_instance_groups(ClusterId=id_, InstanceGroups=[wanted])
    if "stepConcurrencyLevel" in differing:
        level = int(value_of("stepConcurrencyLevel", new, RULES))
        emr.modify_cluster(ClusterId=id_, StepConcurrencyLevel=level)
    to_set, to_remove = tag_difference(old, new)
    if to_remove:
        emr.remove_tags(ResourceId=id_, TagKeys=to_remove)
    if to_set:
        emr.add_tags(ResourceId=id_, Tags=as_list(to_set))
    return read(id_, new, clients) or {}


def delete(id_: str, properties: Properties, clients: Clients) -> None:
    """The provider takes no protection off before: the service refuses one that is protected."""
    if read(id_, properties, clients) is not None:
        clients.aws("emr").terminate_job_flows(JobFlowIds=[id_])


def _require_carried(inputs: Properties, clients: Clients) -> None:
    require_carried(TYPE, inputs, INPUTS, region=clients.region)
    require_carried(f"{TYPE} ec2Attributes", inputs["ec2Attributes"], OF_MACHINES, region=clients.region)
    for name in GROUPS:
        group = frozenset({"instanceType", "instanceCount"})
        require_carried(f"{TYPE} {name}", inputs.get(name) or {}, group, region=clients.region)


def _group(role: str, asked: Mapping[str, Any]) -> dict[str, Any]:
    count = int(asked.get("instanceCount", 1))
    return {"InstanceRole": role, "InstanceType": asked["instanceType"], "InstanceCount": count}


def _told(group: Mapping[str, Any]) -> dict[str, Any]:
    return {"instanceType": group["InstanceType"], "instanceCount": group["RequestedInstanceCount"]}


def _machines(found: Mapping[str, Any]) -> dict[str, Any]:
    groups = {name: ",".join(found[wire]) for name, wire in ADDITIONAL.items() if found.get(wire)}
    return {"subnetId": found["Ec2SubnetId"], "instanceProfile": found["IamInstanceProfile"], **groups}


def _ids(text: str) -> list[str]:
    return [each.strip() for each in text.split(",")]
