"""Definitions in the cluster before anybody deploys: the operators' CustomResourceDefinitions, and namespaces.

The definitions are made from the schemas beside the operators (schemas).
Those say what a schema of the CRD's file says, in the terms of JSON Schema. A structural schema has no `const` (the API server
holds apiVersion and kind itself), no list of types and no `additionalProperties: false` (what is unknown is pruned, or refused
where the caller asks for that), and says of an unchecked object that its fields are kept.
"""

import json
import os
from collections.abc import Mapping
from functools import cache, partial
from itertools import count
from pathlib import Path
from typing import Any

from firnline_infra.runtimes.errors import RuntimeUnavailable
from tests.kubernetes.client import ClusterClient, until
from tests.kubernetes.webhook import enforce

SCHEMAS = Path(__file__).parent / "schemas"
CRD = "apiextensions.k8s.io/v1"
FOLDER = f"/apis/{CRD}/customresourcedefinitions"
APPROVED = {"api-approved.kubernetes.io": "unapproved, as in the tests"}
"""A definition of a group below k8s.io says by whom it was approved, or that it was not (Kubernetes, "Annotations")."""
NUMBERS = count(1)
UNCHECKED = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
DEFINED = ("kubeflow", "apache", "secretproviderclass")
PLURALS = {"SparkApplication": "sparkapplications", "SecretProviderClass": "secretproviderclasses"}

SMALLEST = {
    "apiVersion": "sparkoperator.k8s.io/v1beta2",
    "kind": "SparkApplication",
    "metadata": {"name": "smallest"},
    "spec": {
        "type": "Python",
        "sparkVersion": "4.1.1",
        "mainApplicationFile": "local:///entry.py",
        "driver": {},
        "executor": {},
    },
}


def define(admin: ClusterClient) -> None:
    """Returns once the API server serves each resource."""
    for name in DEFINED:
        document = definition(name)
        admin.apply(f"{FOLDER}/{document['metadata']['name']}", document)
    for name in DEFINED:
        until(partial(_is_served, admin, definition(name)))
    enforce(admin, SMALLEST)


def _is_served(admin: ClusterClient, document: Mapping[str, Any]) -> bool:
    found, spec = admin.get(f"{FOLDER}/{document['metadata']['name']}") or {}, document["spec"]
    conditions = {each["type"]: each["status"] for each in found.get("status", {}).get("conditions", ())}
    served = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
    try:
        return conditions.get("Established") == "True" and admin.get(served) is not None
    except RuntimeUnavailable:  # 429: storage is (re)initializing
        return False


def name_of_own(what: str) -> str:
    """One that no other test has, of this process or of another one."""
    return f"{what}-{os.environ.get('PYTEST_XDIST_WORKER', 'alone')}-{next(NUMBERS)}"


def make_namespace(admin: ClusterClient, name: str, level: str) -> None:
    """Enforces a level of Pod Security."""
    metadata = {"name": name, "labels": {"pod-security.kubernetes.io/enforce": level}}
    admin.create("/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": metadata})


@cache
def schema_of(name: str) -> dict[str, Any]:
    """Returns the schema of `kubeflow`, `apache` or `secretproviderclass`."""
    found: dict[str, Any] = json.loads((SCHEMAS / f"{name}.json").read_text("utf-8"))
    return found


def definition(name: str) -> dict[str, Any]:
    """Returns the definition of `kubeflow`, `apache` or `secretproviderclass`, in every namespace; the status is a
    subresource where there is one.
    """
    schema = schema_of(name)
    group, _, version = schema["properties"]["apiVersion"]["const"].partition("/")
    kind, parts = schema["properties"]["kind"]["const"], schema["properties"]
    plural = PLURALS[kind]
    properties = {
        part: structural(each) for part, each in parts.items() if part not in ("apiVersion", "kind", "metadata")
    }
    required = [each for each in schema["required"] if each in properties]
    served = {
        "name": version,
        "served": True,
        "storage": True,
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties, "required": required}},
        **({"subresources": {"status": {}}} if "status" in parts else {}),
    }
    names = {"kind": kind, "listKind": f"{kind}List", "plural": plural, "singular": kind.lower()}
    return {
        "apiVersion": CRD,
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}", "annotations": APPROVED if group.endswith(".k8s.io") else {}},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [served]},
    }


def structural(schema: Mapping[str, Any]) -> dict[str, Any]:
    if schema.get("x-kubernetes-int-or-string"):
        return {name: value for name, value in schema.items() if name != "type"}
    found = {
        name: value for name, value in schema.items() if name not in ("properties", "additionalProperties", "items")
    }
    if "properties" in schema:
        return found | {"properties": {name: structural(each) for name, each in schema["properties"].items()}}
    if isinstance(more := schema.get("additionalProperties"), Mapping):
        return found | {"additionalProperties": structural(more)}
    if schema.get("type") == "array":
        return found | {"items": structural(schema.get("items", UNCHECKED))}
    return found | UNCHECKED if schema.get("type") == "object" else found
