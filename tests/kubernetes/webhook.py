"""Refusals of kubeflow's webhook (internal/webhook/sparkconf_validator.go), as an admission policy."""

from collections.abc import Mapping
from typing import Any

from firnline_infra.runtimes.errors import RuntimeRefused, RuntimeUnavailable
from tests.kubernetes.client import ClusterClient, until

ADMISSION = "admissionregistration.k8s.io/v1"
GROUP, VERSION, PLURAL = "sparkoperator.k8s.io", "v1beta2", "sparkapplications"
NAME = f"{PLURAL}.{GROUP}"
DENIED = (
    r"spark\\.master|spark\\.kubernetes\\.(driver\\.master|((driver|executor)\\.)?container\\.image)"
    r"|spark\\.kubernetes\\.authenticate\\.((driver|executor)\\.serviceAccountName|((driver|executor)\\.)?oauthToken(File)?)"
)
CONF = "has(object.spec.sparkConf)"
NAMESPACE = "spark.kubernetes.namespace"
RULES = {
    "spec.sparkConf has a setting for which the resource has a field": (
        f"!{CONF} || object.spec.sparkConf.all(name, !name.matches('^({DENIED})$'))"
    ),
    f"spec.sparkConf.{NAMESPACE} is not the object's namespace": (
        f"!{CONF} || !('{NAMESPACE}' in object.spec.sparkConf)"
        f" || object.spec.sparkConf['{NAMESPACE}'] == object.metadata.namespace"
    ),
    "metadata.name is not a DNS-1035 label": "object.metadata.name.matches('^[a-z]([-a-z0-9]{0,61}[a-z0-9])?$')",
}


def policy() -> list[dict[str, Any]]:
    """The policy and its binding."""
    matched = {
        "apiGroups": [GROUP],
        "apiVersions": [VERSION],
        "operations": ["CREATE", "UPDATE"],
        "resources": [PLURAL],
    }
    validations = [{"expression": rule, "message": words} for words, rule in RULES.items()]
    spec = {"failurePolicy": "Fail", "matchConstraints": {"resourceRules": [matched]}, "validations": validations}
    bound = {"policyName": NAME, "validationActions": ["Deny"]}
    return [_object("ValidatingAdmissionPolicy", spec), _object("ValidatingAdmissionPolicyBinding", bound)]


def enforce(admin: ClusterClient, good: Mapping[str, Any]) -> None:
    """Returns once the policy refuses a variant of an application that is good without it."""
    for each in policy():
        kind = "validatingadmissionpolicies" if each["kind"].endswith("Policy") else "validatingadmissionpolicybindings"
        admin.apply(f"/apis/{ADMISSION}/{kind}/{NAME}", each)
    refused = {**good, "spec": {**good["spec"], "sparkConf": {"spark.master": "local"}}}
    until(lambda: _is_refused(admin, refused))


def _is_refused(admin: ClusterClient, document: Mapping[str, Any]) -> bool:
    try:
        admin.create(f"/apis/{GROUP}/{VERSION}/namespaces/default/{PLURAL}?dryRun=All", document)
    except RuntimeRefused:
        return True
    except RuntimeUnavailable:
        return False
    return False


def _object(kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    return {"apiVersion": ADMISSION, "kind": kind, "metadata": {"name": NAME}, "spec": spec}
