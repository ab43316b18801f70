"""EKS: which pods are the engine's role."""

from collections.abc import Sequence

from firnline_infra.kinds.comparison import Clients
from firnline_infra.kinds.kind import COMPARE, TAGS, Kind, Lookup, Properties, Right, Scope


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
    made=lambda blueprint: blueprint.runtime.associations,
    arn=lambda arns, wanted: arns.pod_association(wanted.cluster, "*"),
    name=lambda wanted: str(wanted.service_account),
    label=lambda wanted: (
        f"association of EKS cluster {wanted.cluster}, in namespace {wanted.namespace}, for service account "
        f"{wanted.service_account}"
    ),
    exists=Lookup(
        "eks",
        "list_pod_identity_associations",
        request=lambda wanted: {
            "clusterName": wanted.cluster,
            "namespace": wanted.namespace,
            "serviceAccount": wanted.service_account,
        },
        answer="associations",
    ),
    known_by_tag=True,
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
