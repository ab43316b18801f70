"""EMR: where the engine runs. A name may be several applications' or clusters'; a namespace takes one virtual cluster."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from firnline_infra.kinds.asking import DENIED, unless
from firnline_infra.kinds.comparison import Clients, Comparison, Difference, Subject
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope, present


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
    arns=lambda blueprint, arns: [arns.serverless_application("*") for _ in present(blueprint.runtime.application)],
    known_by_tag=True,
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
    compared=lambda _, blueprint: present(blueprint.runtime.application),
)
VIRTUAL_CLUSTER = Kind(
    "aws:emrcontainers/virtualCluster:VirtualCluster",
    "virtual cluster",
    import_id=_virtual_clusters,
    service="emr-containers",
    made=lambda blueprint: present(blueprint.runtime.virtual_cluster),
    arn=lambda arns, _: arns.virtual_cluster("*"),
    label=lambda wanted: (
        f"virtual cluster of EMR over namespace {wanted.namespace} of EKS cluster {wanted.cluster}, in the way of {wanted.name}"
    ),
    exists=Lookup(
        "emr-containers",
        "list_virtual_clusters",
        request=lambda wanted: {"containerProviderId": wanted.cluster, "states": ["RUNNING"]},
        answer="virtualClusters",
        matches=lambda entry, wanted: (
            entry["containerProvider"]["info"] == {"eksInfo": {"namespace": wanted.namespace}}
        ),
    ),
    known_by_tag=True,
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
    arns=lambda blueprint, arns: [arns.emr_cluster("*") for _ in present(blueprint.runtime.cluster)],
    known_by_tag=True,
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
