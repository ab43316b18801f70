"""Common fields of the pods of driver and executors under both operators, as Kubernetes calls them."""

from collections.abc import Mapping
from typing import Any

from firnline_infra.runtimes.naming import CPU_OF
from firnline_infra.specification.runtimes.spark_operator import Kubernetes, Volume

KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
SECRETS_STORE = "secrets-store.csi.k8s.io"
CONTAINER_SECURITY = {"allowPrivilegeEscalation": False, "capabilities": {"drop": ["ALL"]}}


def pod_security(section: Kubernetes) -> dict[str, Any]:
    """The pod's part of what Pod Security "restricted" asks for; CONTAINER_SECURITY is the other. The group lets the user
    read projected tokens."""
    return {
        "runAsNonRoot": True,
        "runAsUser": section.run_as_user,
        "fsGroup": section.run_as_user,
        "seccompProfile": {"type": "RuntimeDefault"},
    }


def node_selector(section: Kubernetes) -> dict[str, str]:
    return {"kubernetes.io/arch": CPU_OF[section.architecture], **section.node_selector}


def tolerations(section: Kubernetes) -> list[dict[str, str]]:
    return [
        {"key": each.key, "operator": "Exists", "effect": each.effect}
        if each.value is None
        else {"key": each.key, "operator": "Equal", "value": each.value, "effect": each.effect}
        for each in section.tolerations
    ]


def variables(section: Kubernetes) -> list[dict[str, Any]]:
    """The user's, and the static keys by reference."""
    own = [{"name": name, "value": value} for name, value in sorted(section.environment.items())]
    if section.keys_secret is None:
        return own
    return [*own, *({"name": key, "valueFrom": {"secretKeyRef": _key(section.keys_secret, key)}} for key in KEYS)]


def _key(secret: str, key: str) -> dict[str, str]:
    return {"name": secret, "key": key}


CONTAINER = "spark-kubernetes-driver"
"""Spark's name for a driver's container."""
PROBE_S = 900
"""After which the cluster ends a probe whose deployer was killed."""


def probe(section: Kubernetes, *, name: str, service_account: str | None) -> dict[str, Any]:
    """A pod like the engine's, for a cluster's admission to judge, or to see whether it begins: it asks for no cores and no
    memory, and ends at once."""
    container = {
        "name": CONTAINER,
        "command": ["/bin/sh", "-c", "exit 0"],
        "image": section.image,
        "securityContext": CONTAINER_SECURITY,
        "env": variables(section),
        "volumeMounts": mounts(section),
    }
    spec = {
        "serviceAccountName": service_account,
        "securityContext": pod_security(section),
        "containers": [container],
        "nodeSelector": node_selector(section),
        "tolerations": tolerations(section),
        "volumes": volumes(section),
        "imagePullSecrets": [{"name": each} for each in section.image_pull_secrets],
        "restartPolicy": "Never",
        "activeDeadlineSeconds": PROBE_S,
        "terminationGracePeriodSeconds": 0,
    }
    metadata = {"name": name, "annotations": dict(section.annotations)}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def volumes(section: Kubernetes) -> list[dict[str, Any]]:
    return [{"name": each.name, **_source(each)} for each in section.volumes]


def mounts(section: Kubernetes) -> list[dict[str, Any]]:
    return [_mount(each) for each in section.volumes]


def _mount(volume: Volume) -> dict[str, Any]:
    is_read_only = volume.claim is None and volume.empty_dir is None
    return {"name": volume.name, "mountPath": volume.path, **({"readOnly": True} if is_read_only else {})}


def _source(volume: Volume) -> Mapping[str, Any]:
    if volume.config_map is not None:
        return {"configMap": {"name": volume.config_map}}
    if volume.secret is not None:
        return {"secret": {"secretName": volume.secret}}
    if volume.secret_provider_class is not None:
        attributes = {"secretProviderClass": volume.secret_provider_class}
        return {"csi": {"driver": SECRETS_STORE, "readOnly": True, "volumeAttributes": attributes}}
    if volume.claim is not None:
        return {"persistentVolumeClaim": {"claimName": volume.claim}}
    return {"emptyDir": {"sizeLimit": volume.empty_dir}}
