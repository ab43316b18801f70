"""What the API server and the operators' webhooks say to an object before it is kept."""

import re
from collections.abc import Iterator, Mapping
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


def check(operator: str, document: Mapping[str, Any], namespace: str) -> None:
    """Raises Refusal, with every reason at once."""
    problems = list(violations(schema_of(operator), document)) or [
        *_of_metadata(document["metadata"], namespace),
        *(_of_kubeflow(document, namespace) if operator == "kubeflow" else _of_apache(document["spec"])),
    ]
    if problems:
        name = document.get("metadata", {}).get("name", "")
        raise Refusal(422, "Invalid", f"SparkApplication {name!r} is invalid: [{', '.join(problems)}]")


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
