"""What has to be in a namespace before a Spark application of ours: who its pods are, and what a drain of nodes may do.

`firnline outputs ENV --kubernetes` prints it for teams that apply YAML themselves.
"""

from typing import Any

from firnline_infra.blueprint.size import size_of_specification
from firnline_infra.runtimes.job import APPLICATION_TAG, ENVIRONMENT_TAG
from firnline_infra.runtimes.naming import labels, object_name
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.runtime import Trust
from firnline_ingest.errors import UsageError

VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]
DRIVERS_OWN = [
    {"apiGroups": [""], "resources": ["pods", "configmaps", "services", "persistentvolumeclaims"], "verbs": VERBS},
    {"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": VERBS},
]
"""What a driver does in its namespace; statefulsets are the apache operator's."""


def kubernetes_prerequisites(spec: EnvironmentSpec) -> list[dict[str, Any]]:
    """Service account, its right to run executors, and the disruption budget, in the order in which they are applied.

    The budget is all pods but one: Spark's have no controller that Kubernetes could ask how many there should be, so that it
    takes no other form. Raises UsageError for an environment whose engine runs under no Spark operator.
    """
    runtime, names = spec.aws.runtime, Names.of(spec)
    section = runtime.kubernetes
    if section is None:
        raise UsageError(
            f"The engine of {spec.name} runs under no Spark operator.",
            next_step="say aws.runtime.kubernetes in the specification (docs/runtimes/kubernetes.md).",
        )
    marks = labels({APPLICATION_TAG: names.application, ENVIRONMENT_TAG: spec.name})
    name, account = object_name(names.application), runtime.service_account
    metadata = {"name": name, "namespace": runtime.namespace, "labels": marks}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    subjects = [{"kind": "ServiceAccount", "name": account, "namespace": runtime.namespace}]
    identity: dict[str, Any] = {**metadata, "name": account}
    if runtime.trust is Trust.IRSA:
        identity["annotations"] = {"eks.amazonaws.com/role-arn": Arns(spec).role(names.engine_role)}
    rbac = "rbac.authorization.k8s.io/v1"
    objects: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": identity},
        {"apiVersion": rbac, "kind": "Role", "metadata": metadata, "rules": DRIVERS_OWN},
        {"apiVersion": rbac, "kind": "RoleBinding", "metadata": metadata, "roleRef": role, "subjects": subjects},
    ]
    if section.disruption_budget:
        executors = size_of_specification(spec).executors
        budget = {"minAvailable": executors, "selector": {"matchLabels": marks}}
        objects.append({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": budget})
    return objects
