"""EMR: where the engine runs. A name may be several applications' or clusters'; a namespace takes one virtual cluster."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from firnline_infra.blueprint.bucket_layout import log_uri
from firnline_infra.blueprint.size import core_nodes_of, size_of_specification, workers_gb
from firnline_infra.blueprint.value import Reference, Value
from firnline_infra.environment import Environment
from firnline_infra.kinds.asking import DENIED, unless
from firnline_infra.kinds.comparison import Clients, Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope, own_name
from firnline_infra.kinds.resource import Component, FormattedText, Resource
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import RollOutOrder
from firnline_infra.specification.runtimes.emr_ec2 import MOST_ATTEMPTS, EmrEc2
from firnline_infra.specification.runtimes.emr_serverless import EmrServerless

SPARE = 2
"""Times the job: a new attempt need not wait until the last one's workers are given back."""
QUEUE_MINUTES = 15
"""The shortest that EMR Serverless takes."""
FOR_MANAGED_POLICIES = "for-use-with-amazon-emr-managed-policies"
"""The tag by which AmazonEMRServicePolicy_v2 knows what is EMR's (Management Guide, "Tagging resources to use managed
policies")."""
YARN = {"Classification": "yarn-site", "Properties": {"yarn.resourcemanager.am.max-attempts": str(MOST_ATTEMPTS)}}
"""The cap of every application's own `attempts`, which YARN has at 2: changing it would be another cluster."""


def applications(environment: Environment) -> Iterator[Component]:
    """An application of EMR Serverless for one engine: started with its job, stopped when idle. A run beyond those of a roll-out
    waits: the service's own guard against more engines than there should be."""
    section = environment.aws.runtime.emr_serverless
    if section is None or section.origin is Origin.ADOPT:
        return
    size = size_of_specification(environment)
    vcpus = section.maximum_vcpus or SPARE * size.cores
    memory_gb = section.maximum_memory_gb or SPARE * workers_gb(size)
    application = Resource(
        SERVERLESS.terraform_type,
        "engine-application-application",
        {
            "name": environment.names.application,
            "release_label": section.release,
            "type": "spark",
            "architecture": section.architecture.value.upper(),
            "auto_start_configuration": {"enabled": True},
            "auto_stop_configuration": {"enabled": True, "idle_timeout_minutes": section.idle_minutes},
            "maximum_capacity": {"cpu": f"{vcpus} vCPU", "memory": f"{memory_gb} GB"},
            "network_configuration": {
                "subnet_ids": list(section.subnets),
                "security_group_ids": list(_groups(section)),
            },
            "scheduler_configuration": {
                "max_concurrent_runs": _engines_at_once(environment),
                "queue_timeout_minutes": QUEUE_MINUTES,
            },
            "tags": environment.tags("runtime"),
        },
    )
    given = {Reference("runtime/application"): application["id"]}
    outputs = {"application_id": application["id"]}
    yield Component("ServerlessApplication", "engine-application", (application,), outputs, gives=given)


def virtual_clusters(environment: Environment) -> Iterator[Component]:
    """A namespace of an EKS cluster, for EMR on EKS."""
    runtime = environment.aws.runtime
    if runtime.emr_eks is None or runtime.cluster is None or runtime.namespace is None:
        return
    if runtime.emr_eks.origin is Origin.ADOPT:
        return
    where = {"id": runtime.cluster, "type": "EKS", "info": {"eks_info": {"namespace": runtime.namespace}}}
    arguments = {
        "name": environment.names.application,
        "container_provider": where,
        "tags": environment.tags("runtime"),
    }
    cluster = Resource(VIRTUAL_CLUSTER.terraform_type, "engine-virtual-cluster", arguments)
    given = {Reference("runtime/virtual-cluster"): cluster["id"]}
    yield Component("VirtualCluster", "engine", (cluster,), {"virtual_cluster_id": cluster["id"]}, gives=given)


def clusters(environment: Environment) -> Iterator[Component]:
    """A cluster on EC2 for one engine: a primary node, and core nodes for driver and executors. The engine occupies one step for
    ever, one that stands by another; the last one sees that an engine is gone. EMR refuses a profile of another name than its
    role's."""
    runtime = environment.aws.runtime
    section, role = runtime.emr_ec2, environment.names.engine_role
    if section is None or section.subnet is None:
        return
    groups = _groups(section)
    beside = FormattedText(",".join(f"{{{at}}}" for at, _ in enumerate(groups)), groups) if groups else None
    machine = {"instance_type": section.instance_type}
    core_nodes = section.core_nodes or core_nodes_of(size_of_specification(environment))
    cluster = Resource(
        CLUSTER.terraform_type,
        "engine-cluster",
        {
            "name": environment.names.application,
            "release_label": section.release,
            "applications": ["Spark"],
            "service_role": section.service_role,
            "log_uri": log_uri(environment),
            "keep_job_flow_alive_when_no_steps": True,
            "termination_protection": section.termination_protection,
            "step_concurrency_level": _engines_at_once(environment) + 1,
            "configurations_json": json.dumps([YARN]),
            "master_instance_group": {**machine, "instance_count": 1},
            "core_instance_group": {**machine, "instance_count": core_nodes},
            "ec2_attributes": {
                "subnet_id": section.subnet,
                "instance_profile": role if runtime.role_arn else Reference("runtime/instance-profile", "name"),
                "additional_master_security_groups": beside,
                "additional_slave_security_groups": beside,
            },
            "tags": {**environment.tags("runtime"), FOR_MANAGED_POLICIES: "true"},
        },
    )
    given = {Reference("runtime/cluster"): cluster["id"]}
    yield Component("EmrCluster", "engine", (cluster,), {"cluster_id": cluster["id"]}, gives=given)


def rows(environment: Environment) -> Iterator[Component]:
    """Yields all components of the family."""
    for each in (applications, clusters, virtual_clusters):
        yield from each(environment)


def _groups(section: EmrServerless | EmrEc2) -> tuple[Value, ...]:
    if section.security_group is None:
        return ()
    return tuple(section.security_group.ids) or (Reference("runtime/security-group"),)


def _engines_at_once(environment: Environment) -> int:
    """A second one stands by while the first one is replaced, where the specification has it so."""
    return 2 if environment.aws.runtime.rollout is RollOutOrder.STANDBY else 1


def eks_namespace(row: Any) -> tuple[str, str]:
    """Returns the EKS cluster that a virtual cluster is in, and its namespace there."""
    where = row.arguments["container_provider"]
    return where["id"], where["info"]["eks_info"]["namespace"]


def _applications(clients: Clients, inputs: Properties) -> Sequence[str]:
    """A name may be several applications': which is ours, its tags say, and they allow the deployer to look at it."""
    emr = clients("emr-serverless")
    wanted = inputs.get("tags") or {}
    pages = emr.get_paginator("list_applications").paginate()
    named = [each for page in pages for each in page["applications"] if each["name"] == inputs["name"]]
    ids = [each["id"] for each in named if each["state"] != "TERMINATED"]
    return [id_ for id_ in ids if wanted and wanted.items() <= _application_tags(emr, id_).items()]


def _application_tags(emr: Any, id_: str) -> dict[str, str]:
    found = unless(DENIED, lambda: emr.get_application(applicationId=id_)["application"].get("tags"))
    return found or {}


def _spark_settings(subject: Subject) -> Iterator[Difference]:
    """Defaults of the application for the Spark of each job (`runtimeConfiguration`): the stack gives them to the job alone."""
    if (id_ := subject.outputs.get("engine_place")) is None:
        return
    found = subject.clients("emr-serverless").get_application(applicationId=id_)["application"]
    if settings := found.get("runtimeConfiguration"):
        step = f"aws emr-serverless update-application --application-id {id_} --runtime-configuration '[]', once it is stopped"
        yield Difference.unwanted("runtimeConfiguration", json.dumps(settings), step)


def _virtual_clusters(clients: Clients, inputs: Properties) -> Sequence[str]:
    """A namespace has one that is not terminated; ours has our name."""
    emr = clients("emr-containers")
    provider = inputs["containerProvider"]
    pages = emr.get_paginator("list_virtual_clusters").paginate(containerProviderId=provider["id"], states=["RUNNING"])
    found = [each for page in pages for each in page["virtualClusters"] if each["name"] == inputs["name"]]
    return [each["id"] for each in found if each["containerProvider"]["info"] == provider["info"]]


def _label(row: Any) -> str:
    cluster, namespace = eks_namespace(row)
    return f"virtual cluster of EMR over namespace {namespace} of EKS cluster {cluster}, in the way of {own_name(row)}"


def _clusters(clients: Clients, inputs: Properties) -> Sequence[str]:
    """A name may be several clusters': which is ours, its tags say, and they allow the deployer to look at it."""
    emr = clients("emr")
    wanted = inputs.get("tags") or {}
    pages = emr.get_paginator("list_clusters").paginate(
        ClusterStates=["STARTING", "BOOTSTRAPPING", "RUNNING", "WAITING"]
    )
    ids = [each["Id"] for page in pages for each in page["Clusters"] if each["Name"] == inputs["name"]]
    return [id_ for id_ in ids if wanted and wanted.items() <= _cluster_tags(emr, id_).items()]


def _cluster_tags(emr: Any, id_: str) -> dict[str, str]:
    found = unless(DENIED, lambda: emr.describe_cluster(ClusterId=id_)["Cluster"].get("Tags"))
    return {tag["Key"]: tag.get("Value", "") for tag in found or ()}


SERVERLESS = Kind(
    "aws:emrserverless/application:Application",
    "application of EMR Serverless",
    import_id=_applications,
    service="emr-serverless",
    rows=applications,
    arn=lambda arns, _: arns.serverless_application("*"),
    matched_by_tag=True,
    rights=(
        Right("Makes it. It costs nothing until a job runs.", create="CreateApplication", scope=Scope.NEW_TAG),
        Right(COMPARE, read="GetApplication"),
        Right(
            "AWS changes it only while it is stopped: whether a job runs in it, which is then left alone.",
            read="ListJobRuns",
        ),
        Right("Stops one that has no job, before it is changed or removed.", update="StopApplication"),
        Right("Its release, network and limits, while it is stopped.", update="UpdateApplication"),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right("Removes it, while it is stopped.", delete="DeleteApplication"),
    ),
    comparisons=(Comparison(what="Spark settings", actions="GetApplication", find=_spark_settings, rule="stack"),),
)
VIRTUAL_CLUSTER = Kind(
    "aws:emrcontainers/virtualCluster:VirtualCluster",
    "virtual cluster",
    import_id=_virtual_clusters,
    service="emr-containers",
    rows=virtual_clusters,
    arn=lambda arns, _: arns.virtual_cluster("*"),
    label=_label,
    exists=Lookup(
        "emr-containers",
        "list_virtual_clusters",
        request=lambda wanted: {"containerProviderId": eks_namespace(wanted)[0], "states": ["RUNNING"]},
        answer="virtualClusters",
        matches=lambda entry, wanted: (
            entry["containerProvider"]["info"] == {"eksInfo": {"namespace": eks_namespace(wanted)[1]}}
        ),
    ),
    matched_by_tag=True,
    rights=(
        Right(
            "Makes it. It costs nothing: a name for a namespace.", create="CreateVirtualCluster", scope=Scope.NEW_TAG
        ),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right(COMPARE, read="DescribeVirtualCluster"),
        Right("Whether a job is in one that is to go: it is left alone then.", read="ListJobRuns"),
        Right("Removes it.", delete="DeleteVirtualCluster"),
    ),
)
CLUSTER = Kind(
    "aws:emr/cluster:Cluster",
    "cluster of EMR",
    import_id=_clusters,
    service="elasticmapreduce",
    rows=clusters,
    arn=lambda arns, _: arns.emr_cluster("*"),
    matched_by_tag=True,
    rights=(
        Right("Makes it, with its machines.", create="RunJobFlow", scope=Scope.NEW_TAG),
        Right(COMPARE, read="DescribeCluster ListInstanceGroups ListInstanceFleets ListBootstrapActions"),
        Right(
            "The provider lists its steps; whether one is in a cluster that is to go: it is left alone then.",
            read="ListSteps",
        ),
        Right(COMPARE, read="GetAutoTerminationPolicy"),
        Right("How many core nodes, and how many steps at once.", update="ModifyCluster ModifyInstanceGroups"),
        Right("Whether it can be terminated.", update="SetTerminationProtection"),
        Right(TAGS, create="AddTags", update="RemoveTags"),
        Right("Removes it, with its machines.", delete="TerminateJobFlows"),
    ),
)
