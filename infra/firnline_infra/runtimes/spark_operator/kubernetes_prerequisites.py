"""Objects around a Spark application of ours in its namespace: who its pods are, who reaches them, and what a drain of
nodes may do; and what the deployer may do there.

`firnline deploy` applies it by server-side apply before each roll-out; with `origin: adopt` others do, from `firnline outputs
ENV --kubernetes`.
"""

from typing import Any

from firnline_infra.blueprint.size import size_of_specification
from firnline_infra.environment import Environment
from firnline_infra.runtimes.job import APPLICATION_TAG, ENVIRONMENT_TAG
from firnline_infra.runtimes.kubernetes_api import KubernetesApi
from firnline_infra.runtimes.naming import labels, object_name
from firnline_infra.specification.arns import Arns
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.names import Names
from firnline_infra.specification.origin import Origin
from firnline_infra.specification.runtime import Trust
from firnline_infra.specification.runtimes.spark_operator import Kubernetes, Operator
from firnline_ingest.errors import UsageError

VERBS = ["get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"]
DRIVERS_OWN = [
    {"apiGroups": [""], "resources": ["pods", "configmaps", "services", "persistentvolumeclaims"], "verbs": VERBS},
    {"apiGroups": ["apps"], "resources": ["statefulsets"], "verbs": VERBS},
]
"""What a driver does in its namespace; statefulsets are the apache operator's."""
RBAC = "rbac.authorization.k8s.io"
GROUPS = {Operator.KUBEFLOW: "sparkoperator.k8s.io", Operator.APACHE: "spark.apache.org"}
PLURALS = {
    "ServiceAccount": "serviceaccounts",
    "Role": "roles",
    "RoleBinding": "rolebindings",
    "NetworkPolicy": "networkpolicies",
    "PodDisruptionBudget": "poddisruptionbudgets",
}
OPTIONAL = {"NetworkPolicy": "networking.k8s.io/v1", "PodDisruptionBudget": "policy/v1"}
"""Kinds that an option leaves out, with their apiVersions."""
APPLY = ["get", "create", "patch", "delete"]


def kubernetes_prerequisites(spec: EnvironmentSpec) -> list[dict[str, Any]]:
    """Service account, its right to run executors, network policy and disruption budget, in the order in which they are applied.

    The budget is all pods but one: Spark's have no controller that Kubernetes could ask how many there should be, so that it
    takes no other form. Raises UsageError for an environment whose engine runs under no Spark operator.
    """
    section, runtime, names = _section(spec), spec.aws.runtime, Names.of(spec)
    metadata = _metadata(spec)
    account, marks = runtime.service_account, metadata["labels"]
    identity: dict[str, Any] = {**metadata, "name": account}
    if runtime.trust is Trust.IRSA:
        identity["annotations"] = {"eks.amazonaws.com/role-arn": runtime.role_arn or Arns(spec).role(names.engine_role)}
    subject = {"kind": "ServiceAccount", "name": account, "namespace": runtime.namespace}
    objects = [
        {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": identity},
        *_role(metadata, DRIVERS_OWN, subject),
    ]
    if section.network_policy:
        objects.append(_object("NetworkPolicy", metadata, _ingress(spec, marks)))
    if section.disruption_budget:
        executors = size_of_specification(Environment.of(spec)).executors
        budget = {"minAvailable": executors, "selector": {"matchLabels": marks}}
        objects.append(_object("PodDisruptionBudget", metadata, budget))
    return objects


def deployer_role(spec: EnvironmentSpec, *, group: str) -> list[dict[str, Any]]:
    """Returns what `firnline deploy` may do in the namespace, bound to a group of the cluster, for an administrator to
    apply once.

    Kubernetes lets nobody give a right that he does not have: with `origin: create` the driver's are among the deployer's.
    Raises as `kubernetes_prerequisites`.
    """
    section, metadata = _section(spec), _metadata(spec)
    applications = ["get", "list", "create", "delete", *(["patch"] if section.operator is Operator.KUBEFLOW else [])]
    rules: list[dict[str, Any]] = [
        {"apiGroups": [GROUPS[section.operator]], "resources": ["sparkapplications"], "verbs": applications},
        {"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list", "create", "delete"]},
        {"apiGroups": [""], "resources": ["pods/log"], "verbs": ["get"]},
        {"apiGroups": [""], "resources": ["events"], "verbs": ["list"]},
        {"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": ["get"]},
    ]
    if section.origin is Origin.CREATE:
        rules += [
            {"apiGroups": [""], "resources": ["serviceaccounts"], "verbs": APPLY},
            {"apiGroups": [RBAC], "resources": ["roles", "rolebindings"], "verbs": APPLY},
            {"apiGroups": ["networking.k8s.io"], "resources": ["networkpolicies"], "verbs": APPLY},
            {"apiGroups": ["policy"], "resources": ["poddisruptionbudgets"], "verbs": APPLY},
            *DRIVERS_OWN,
        ]
    named = {**metadata, "name": f"{metadata['name']}-deployer"}
    return _role(named, rules, {"apiGroup": RBAC, "kind": "Group", "name": group})


def apply_prerequisites(spec: EnvironmentSpec, api: KubernetesApi) -> None:
    """Makes and updates the objects, and removes those of ours that an option leaves out now. Changes nothing that is so
    already. Each environment is a field manager of its own, so that none takes another one's service account. Raises
    RuntimeRefused and RuntimeUnavailable, with the cluster's words.
    """
    if _section(spec).origin is Origin.ADOPT:
        return
    objects, metadata = kubernetes_prerequisites(spec), _metadata(spec)
    for each in objects:
        api.apply(path_of(each), each, manager=metadata["name"])
    for kind in OPTIONAL.keys() - {each["kind"] for each in objects}:
        _remove(_object(kind, metadata, {}), api)


def remove_prerequisites(spec: EnvironmentSpec, api: KubernetesApi) -> None:
    """Removes the objects that are ours. Raises as `apply_prerequisites`."""
    if _section(spec).origin is Origin.CREATE:
        for each in reversed(kubernetes_prerequisites(spec)):
            _remove(each, api)


def _remove(document: dict[str, Any], api: KubernetesApi) -> None:
    """Removes the object if it bears our labels: another one of its name is somebody else's."""
    path, ours = path_of(document), document["metadata"]["labels"].items()
    found = api.get(path)
    if found and ours <= found["metadata"].get("labels", {}).items():
        api.delete(path)


def path_of(document: dict[str, Any]) -> str:
    """The object's path in the API."""
    version, metadata = document["apiVersion"], document["metadata"]
    root = "/api/v1" if version == "v1" else f"/apis/{version}"
    return f"{root}/namespaces/{metadata['namespace']}/{PLURALS[document['kind']]}/{metadata['name']}"


def _section(spec: EnvironmentSpec) -> Kubernetes:
    section = spec.aws.runtime.kubernetes
    if section is None:
        raise UsageError(
            f"The engine of {spec.name} runs under no Spark operator.",
            next_step="say aws.runtime.kubernetes in the specification (docs/runtimes/kubernetes.md).",
        )
    return section


def _metadata(spec: EnvironmentSpec) -> dict[str, Any]:
    application = Names.of(spec).application
    marks = labels({APPLICATION_TAG: application, ENVIRONMENT_TAG: spec.name})
    return {"name": object_name(application), "namespace": spec.aws.runtime.namespace, "labels": marks}


def _object(kind: str, metadata: dict[str, Any], spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": OPTIONAL[kind], "kind": kind, "metadata": metadata, "spec": spec}


def _role(metadata: dict[str, Any], rules: list[dict[str, Any]], subject: dict[str, Any]) -> list[dict[str, Any]]:
    version, role = f"{RBAC}/v1", {"apiGroup": RBAC, "kind": "Role", "name": metadata["name"]}
    return [
        {"apiVersion": version, "kind": "Role", "metadata": metadata, "rules": rules},
        {"apiVersion": version, "kind": "RoleBinding", "metadata": metadata, "roleRef": role, "subjects": [subject]},
    ]


def _ingress(spec: EnvironmentSpec, marks: dict[str, str]) -> dict[str, Any]:
    """Driver and executors reach each other on ports that Spark chooses. What they may reach is not limited: AWS and Snowflake
    are names, and a policy takes addresses."""
    rules: list[dict[str, Any]] = [{"from": [{"podSelector": {"matchLabels": marks}}]}]
    if (prometheus := spec.metrics.prometheus) is not None:
        rules.append({"ports": [{"port": prometheus.port, "protocol": "TCP"}]})
    return {"podSelector": {"matchLabels": marks}, "policyTypes": ["Ingress"], "ingress": rules}
