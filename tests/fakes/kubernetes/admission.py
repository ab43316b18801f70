"""What the API server and the operators' webhooks say to an object before it is kept."""

import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from tests.fakes.kubernetes.objects import Refusal
from tests.fakes.kubernetes.schema import schema_of, violations

DNS_1035 = re.compile(r"[a-z]([-a-z0-9]{0,61}[a-z0-9])?")
LABEL = re.compile(r"(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?")
DENIED = re.compile(
    r"spark\.master|spark\.kubernetes\.(driver\.master|((driver|executor)\.)?container\.image)"
    r"|spark\.kubernetes\.authenticate\.((driver|executor)\.serviceAccountName|((driver|executor)\.)?oauthToken(File)?)"
)
"""Settings that the kubeflow operator's webhook refuses (internal/webhook/sparkconf_validator.go)."""


VOLUMES = {
    "configMap",
    "csi",
    "downwardAPI",
    "emptyDir",
    "ephemeral",
    "persistentVolumeClaim",
    "projected",
    "secret",
}
FIELDS = {
    "ServiceAccount": {"apiVersion", "kind", "metadata", "secrets", "imagePullSecrets", "automountServiceAccountToken"},
    "Role": {"apiVersion", "kind", "metadata", "rules"},
    "RoleBinding": {"apiVersion", "kind", "metadata", "roleRef", "subjects"},
    "NetworkPolicy": {"apiVersion", "kind", "metadata", "spec"},
    "PodDisruptionBudget": {"apiVersion", "kind", "metadata", "spec"},
    "SecretProviderClass": {"apiVersion", "kind", "metadata", "spec"},
}


def check(operator: str, document: Mapping[str, Any], namespace: str) -> None:
    """Raises Refusal, with every reason at once."""
    problems = list(violations(schema_of(operator), document)) or [
        *_of_metadata(document["metadata"], namespace),
        *(_of_kubeflow(document, namespace) if operator == "kubeflow" else _of_apache(document["spec"])),
    ]
    if problems:
        name = document.get("metadata", {}).get("name", "")
        raise Refusal(422, "Invalid", f"SparkApplication {name!r} is invalid: [{', '.join(problems)}]")


def check_kind(document: Mapping[str, Any], version: str, kinds: Collection[str], namespace: str) -> None:
    """Of an object that is no operator's. Raises Refusal."""
    problems = [f"{name}: unknown field" for name in document.keys() - FIELDS.get(document.get("kind", ""), set())]
    if document.get("apiVersion") != version or document.get("kind") not in kinds:
        problems.append(f"the object is a {document.get('kind')} of {document.get('apiVersion')}")
    if document.get("kind") == "SecretProviderClass":
        problems += violations(schema_of("secretproviderclass"), document)
    problems += _of_metadata(document["metadata"], namespace)
    if problems:
        raise Refusal(422, "Invalid", f"{document['metadata'].get('name')!r} is invalid: [{', '.join(problems)}]")


def check_pod(name: str, spec: Mapping[str, Any], level: str) -> None:
    """Raises Refusal where the namespace enforces Pod Security "restricted", and the pod is not."""
    problems = sorted(set(_unrestricted(spec))) if level == "restricted" else []
    if problems:
        raise Refusal(
            403,
            "Forbidden",
            f'pods "{name}" is forbidden: violates PodSecurity "restricted:latest": {", ".join(problems)}',
        )


def _unrestricted(spec: Mapping[str, Any]) -> Iterator[str]:
    """Kubernetes, "Pod Security Standards", Restricted; with what Baseline refuses of it."""
    pod = spec.get("securityContext", {})
    for field in ("hostNetwork", "hostPID", "hostIPC"):
        if spec.get(field):
            yield f"host namespaces ({field}=true)"
    for volume in spec.get("volumes", ()):
        if not (volume.keys() - {"name"}) <= VOLUMES:
            yield f"restricted volume types (volume {volume['name']!r})"
    for container in [*spec.get("containers", ()), *spec.get("initContainers", ())]:
        own, name = container.get("securityContext", {}), container["name"]
        both = {**pod, **own}
        dropped, added = own.get("capabilities", {}).get("drop", []), own.get("capabilities", {}).get("add", [])
        if own.get("allowPrivilegeEscalation") is not False:
            yield f"allowPrivilegeEscalation != false (container {name!r} must set it)"
        if "ALL" not in dropped or set(added) - {"NET_BIND_SERVICE"}:
            yield f'unrestricted capabilities (container {name!r} must set securityContext.capabilities.drop=["ALL"])'
        if both.get("runAsNonRoot") is not True:
            yield f"runAsNonRoot != true (pod or container {name!r} must set it)"
        if both.get("runAsUser") == 0:
            yield f"runAsUser=0 (container {name!r})"
        if both.get("seccompProfile", {}).get("type") not in ("RuntimeDefault", "Localhost"):
            yield f"seccompProfile (pod or container {name!r} must set it to RuntimeDefault or Localhost)"
        if own.get("privileged"):
            yield f"privileged (container {name!r})"


def _of_metadata(metadata: Mapping[str, Any], namespace: str) -> Iterator[str]:
    if metadata.get("namespace", namespace) != namespace:
        yield f"metadata.namespace: Invalid value: {metadata['namespace']!r}: the path says {namespace!r}"
    for name, value in metadata.get("labels", {}).items():
        if not isinstance(value, str) or not LABEL.fullmatch(value):
            yield f"metadata.labels.{name}: Invalid value: {value!r}"


def _of_kubeflow(document: Mapping[str, Any], namespace: str) -> Iterator[str]:
    name, conf = document["metadata"].get("name", ""), document["spec"].get("sparkConf", {})
    if not DNS_1035.fullmatch(name):
        yield f"metadata.name: Invalid value: {name!r}: must be a DNS-1035 label"
    for setting in conf:
        if DENIED.fullmatch(setting):
            yield f"spec.sparkConf.{setting}: Forbidden: use the field of the resource"
    if conf.get("spark.kubernetes.namespace", namespace) != namespace:
        yield "spec.sparkConf.spark.kubernetes.namespace: Invalid value: must be the object's namespace"


def _of_apache(spec: Mapping[str, Any]) -> Iterator[str]:
    """The schema knows it, and every application with it fails."""
    if spec.get("deploymentMode") == "ClientMode":
        yield "spec.deploymentMode: ClientMode always fails"
