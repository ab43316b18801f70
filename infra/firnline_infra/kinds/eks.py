"""EKS: which pods are the engine's role."""

from collections.abc import Iterator, Sequence

from firnline_infra.blueprint.iam.trust import base36
from firnline_infra.blueprint.value import Reference
from firnline_infra.environment import Environment
from firnline_infra.kinds.comparison import Clients
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope
from firnline_infra.kinds.resource import Component, Resource
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import Trust

OF_EMR = ("client", "driver", "executor")
"""The service accounts that EMR on EKS makes for a job (`aws emr-containers create-role-associations`)."""


def associations(environment: Environment) -> Iterator[Component]:
    runtime = environment.aws.runtime
    is_made = runtime.trust is Trust.POD_IDENTITY and runtime.association is Origin.CREATE
    if not is_made or runtime.cluster is None or runtime.namespace is None:
        return
    for account in _service_accounts(environment):
        arguments = {
            "cluster_name": runtime.cluster,
            "namespace": runtime.namespace,
            "service_account": account,
            "role_arn": runtime.role_arn or Reference("role"),
            "tags": environment.tags("runtime"),
        }
        row = Resource(ASSOCIATION.terraform_type, f"engine-{account}-association", arguments)
        outputs = {"association_id": row["association_id"]}
        yield Component("PodIdentityAssociation", f"engine-{account}", (row,), outputs)


def _service_accounts(environment: Environment) -> list[str]:
    aws = environment.aws
    if aws.runtime.emr_eks is None:
        return [aws.runtime.service_account] if aws.runtime.service_account else []
    suffix = f"{aws.account}-{base36(environment.names.engine_role)}"
    return [f"emr-containers-sa-spark-{each}-{suffix}" for each in OF_EMR]


def _associations(clients: Clients, inputs: Properties) -> Sequence[str]:
    """A service account has one. Its id is known within its cluster alone."""
    eks = clients("eks")
    whose = {name: inputs[name] for name in ("clusterName", "namespace", "serviceAccount")}
    pages = eks.get_paginator("list_pod_identity_associations").paginate(**whose)
    found = [each["associationId"] for page in pages for each in page["associations"]]
    return [f"{inputs['clusterName']},{id_}" for id_ in found]


ASSOCIATION = Kind(
    "aws:eks/podIdentityAssociation:PodIdentityAssociation",
    "pod identity association",
    import_id=_associations,
    service="eks",
    rows=associations,
    arn=lambda arns, row: arns.pod_association(row.arguments["cluster_name"], "*"),
    name=lambda row: str(row.arguments["service_account"]),
    label=lambda row: (
        "association of EKS cluster {cluster_name}, in namespace {namespace}, for service account "
        "{service_account}".format_map(row.arguments)
    ),
    exists=Lookup(
        "eks",
        "list_pod_identity_associations",
        request=lambda row: {
            "clusterName": row.arguments["cluster_name"],
            "namespace": row.arguments["namespace"],
            "serviceAccount": row.arguments["service_account"],
        },
        answer="associations",
    ),
    matched_by_tag=True,
    rights=(
        Right(
            "Lets the pods of a service account be the engine's role.",
            create="CreatePodIdentityAssociation",
            scope=Scope.PARENT,
        ),
        Right(COMPARE, read="DescribePodIdentityAssociation"),
        Right(
            "Gives it another role: of those that it may hand over, the engine's.",
            update="UpdatePodIdentityAssociation",
        ),
        Right(TAGS, create="TagResource", update="UntagResource"),
        Right("Removes it.", delete="DeletePodIdentityAssociation"),
    ),
)
