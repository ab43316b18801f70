"""A cluster: what was asked for, its groups of instances, its state (API reference, 2009-03-31: Cluster, InstanceGroup)."""

import secrets
import string
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from firnline_local.runtimes.emr_ec2.errors import invalid_request
from firnline_local.runtimes.emr_ec2.machines import Instances
from firnline_local.runtimes.emr_ec2.yarn import NodeSize
from firnline_local.runtimes.rest_json import invalid

WAITING, RUNNING, TERMINATED = "WAITING", "RUNNING", "TERMINATED"
USER_REQUEST = {"Code": "USER_REQUEST", "Message": "Terminated by user request"}
NOT_CARRIED = (
    *("AdditionalInfo", "AmiVersion", "AutoScalingRole", "AutoTerminationPolicy", "BootstrapActions", "CustomAmiId"),
    *("KerberosAttributes", "ManagedScalingPolicy", "NewSupportedProducts", "PlacementGroupConfigs"),
    *("SecurityConfiguration", "SupportedProducts"),
)
NOT_CARRIED_OF_INSTANCES = (
    "InstanceFleets",
    "Ec2SubnetIds",
    "HadoopVersion",
    "MasterInstanceType",
    "SlaveInstanceType",
)
ID = string.digits + string.ascii_uppercase
ID_LENGTH = 13
OF_MEMORY = {"c": 2, "m": 4, "r": 8}
"""GiB of a vCPU, by the family's first letter (EC2, "Instance types")."""
TO_YARN = 0.75
"""Of a node's memory (Release Guide, "Task configuration": 12,288 MiB of m5.xlarge's 16 GiB)."""
LARGE, SMALLEST = "large", 2


def new_id(prefix: str) -> str:
    return f"{prefix}-" + "".join(secrets.choice(ID) for _ in range(ID_LENGTH))


@dataclass
class Group:
    id: str
    request: Mapping[str, Any]
    count: int

    def described(self, created_at: datetime) -> dict[str, Any]:
        role = self.request["InstanceRole"]
        return {
            "Id": self.id,
            "Name": self.request.get("Name", role.lower()),
            "Market": self.request.get("Market", "ON_DEMAND"),
            "InstanceGroupType": role,
            "InstanceType": self.request["InstanceType"],
            "RequestedInstanceCount": self.count,
            "RunningInstanceCount": self.count,
            "Status": {
                "State": "RUNNING",
                "StateChangeReason": {},
                "Timeline": {"CreationDateTime": created_at, "ReadyDateTime": created_at},
            },
            "Configurations": [],
        }


@dataclass
class Cluster:
    id: str
    arn: str
    request: Mapping[str, Any]
    """As RunJobFlow had it."""
    role_arn: str
    """Of its instances."""
    created_at: datetime
    step_concurrency_level: int
    is_protected: bool
    is_visible: bool
    groups: list[Group] = field(default_factory=list)
    tags: dict[str, str] = field(default_factory=dict)
    ended_at: datetime | None = None

    @property
    def is_over(self) -> bool:
        return self.ended_at is not None

    @property
    def instances(self) -> Mapping[str, Any]:
        found: Mapping[str, Any] = self.request["Instances"]
        return found

    @property
    def machines(self) -> Instances:
        """Machines that its steps run on."""
        found = {each["Classification"]: each.get("Properties") or {} for each in self.configurations}
        return Instances(
            name=self.id,
            role_arn=self.role_arn,
            size=node_size(self.groups),
            log_uri=self.request.get("LogUri"),
            configurations=found,
        )

    @property
    def configurations(self) -> Sequence[Mapping[str, Any]]:
        return self.request.get("Configurations") or ()

    def described(self, is_busy: bool) -> dict[str, Any]:
        where = self.instances
        kept = {
            name: self.request[name] for name in ("LogUri", "ReleaseLabel", "ServiceRole") if self.request.get(name)
        }
        attributes = {
            "Ec2SubnetId": where.get("Ec2SubnetId"),
            "IamInstanceProfile": self.request["JobFlowRole"],
            **{name: where[name] for name in GROUPS_OF_MACHINES if where.get(name)},
        }
        return {
            **self.summary(is_busy),
            **kept,
            "Applications": [dict(each) for each in self.request.get("Applications") or ()],
            "AutoTerminate": not where.get("KeepJobFlowAliveWhenNoSteps", False),
            "Configurations": [dict(each) for each in self.configurations],
            "Ec2InstanceAttributes": {name: each for name, each in attributes.items() if each is not None},
            "InstanceCollectionType": "INSTANCE_GROUP",
            "MasterPublicDnsName": "localhost",
            "ScaleDownBehavior": self.request.get("ScaleDownBehavior", "TERMINATE_AT_TASK_COMPLETION"),
            "StepConcurrencyLevel": self.step_concurrency_level,
            "Tags": [{"Key": name, "Value": each} for name, each in self.tags.items()],
            "TerminationProtected": self.is_protected,
            "VisibleToAllUsers": self.is_visible,
        }

    def summary(self, is_busy: bool) -> dict[str, Any]:
        """The cluster in ListClusters' answer."""
        timeline = {"CreationDateTime": self.created_at, "ReadyDateTime": self.created_at, "EndDateTime": self.ended_at}
        return {
            "Id": self.id,
            "Name": self.request["Name"],
            "ClusterArn": self.arn,
            "NormalizedInstanceHours": 0,
            "Status": {
                "State": self.state(is_busy),
                "StateChangeReason": USER_REQUEST if self.is_over else {},
                "Timeline": {name: each for name, each in timeline.items() if each is not None},
            },
        }

    def state(self, is_busy: bool) -> str:
        if self.is_over:
            return TERMINATED
        return RUNNING if is_busy else WAITING


GROUPS_OF_MACHINES = (
    *("AdditionalMasterSecurityGroups", "AdditionalSlaveSecurityGroups", "Ec2KeyName"),
    *("EmrManagedMasterSecurityGroup", "EmrManagedSlaveSecurityGroup", "ServiceAccessSecurityGroup"),
)


def check_carried(given: Mapping[str, Any]) -> None:
    """Raises ServiceError for what would be left out without a word."""
    instances = given["Instances"]
    ignored = [name for name in NOT_CARRIED if given.get(name)]
    ignored += [f"Instances.{name}" for name in NOT_CARRIED_OF_INSTANCES if instances.get(name)]
    if ignored:
        raise invalid(f"The embedded EMR does not carry {', '.join(ignored)}.")
    roles = [each["InstanceRole"] for each in instances.get("InstanceGroups") or ()]
    if roles.count("MASTER") != 1:
        raise invalid("One instance group must have the role MASTER.")


def groups_of(given: Mapping[str, Any]) -> list[Group]:
    return [Group(new_id("ig"), each, int(each["InstanceCount"])) for each in given["Instances"]["InstanceGroups"]]


def resize(cluster: Cluster, changes: Sequence[Mapping[str, Any]]) -> None:
    """Raises ServiceError."""
    by_id = {group.id: group for group in cluster.groups}
    for each in changes:
        group = by_id.get(each["InstanceGroupId"])
        if group is None:
            raise invalid_request(f"Instance group id '{each['InstanceGroupId']}' is not valid.")
        if group.request["InstanceRole"] == "MASTER":
            raise invalid("The primary instance group can't be resized.")
        group.count = int(each.get("InstanceCount", group.count))


def node_size(groups: Sequence[Group]) -> NodeSize:
    """Returns what the core nodes give YARN; the primary node alone if there are none."""
    workers = [group for group in groups if group.request["InstanceRole"] != "MASTER"] or list(groups)
    cores = sum(vcpus(group.request["InstanceType"]) * group.count for group in workers)
    memory = sum(memory_gib(group.request["InstanceType"]) * group.count for group in workers)
    return NodeSize(memory_mib=int(memory * 1024 * TO_YARN), cores=cores)


def vcpus(instance_type: str) -> int:
    size = instance_type.rpartition(".")[2]
    factor = size.removesuffix(f"x{LARGE}")
    if factor == size:
        return SMALLEST
    return 4 * int(factor) if factor.isdecimal() else 4


def memory_gib(instance_type: str) -> int:
    return vcpus(instance_type) * OF_MEMORY.get(instance_type[:1], OF_MEMORY["m"])
