"""What has to be in a namespace before a Spark application of ours: whom its pods are, and what a drain of nodes may do."""

from typing import Any

from firnline_infra.runtimes.job import APPLICATION_TAG, ENVIRONMENT_TAG, EngineJob
from firnline_infra.runtimes.naming import labels, object_name
from firnline_infra.runtimes.spark_operator.options import Kubernetes
from firnline_infra.specification.runtime import Trust

VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]
DRIVERS_OWN = [
    {"apiGroups": [""], "resources": ["pods", "configmaps", "services", "persistentvolumeclaims"], "verbs": VERBS},
    {"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": VERBS},
]
"""What a driver does in its namespace; statefulsets are the apache operator's."""


def kubernetes_prerequisites(job: EngineJob, section: Kubernetes) -> list[dict[str, Any]]:
    """Service account, its right to run executors, and the disruption budget, in the order in which they are applied.

    The budget is all pods but one: Spark's have no controller that Kubernetes could ask how many there should be, so that it
    takes no other form.
    """
    marks = labels({APPLICATION_TAG: job.application, ENVIRONMENT_TAG: job.environment})
    name, account = object_name(job.application), job.runtime.service_account
    metadata = {"name": name, "namespace": job.runtime.namespace, "labels": marks}
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": name}
    whom = [{"kind": "ServiceAccount", "name": account, "namespace": job.runtime.namespace}]
    identity: dict[str, Any] = {**metadata, "name": account}
    if job.runtime.trust is Trust.IRSA:
        identity["annotations"] = {"eks.amazonaws.com/role-arn": job.role_arn}
    rbac = "rbac.authorization.k8s.io/v1"
    objects: list[dict[str, Any]] = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": identity},
        {"apiVersion": rbac, "kind": "Role", "metadata": metadata, "rules": DRIVERS_OWN},
        {"apiVersion": rbac, "kind": "RoleBinding", "metadata": metadata, "roleRef": role, "subjects": whom},
    ]
    if section.disruption_budget:
        spec = {"minAvailable": job.size.executors, "selector": {"matchLabels": marks}}
        objects.append({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": metadata, "spec": spec})
    return objects
