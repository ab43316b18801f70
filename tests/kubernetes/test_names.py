"""Tests of the forms of names: the API server takes what they take, and refuses the rest."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.specification.kubernetes_names import LABEL_KEY, LABEL_VALUE, NAMESPACE, OBJECT_NAME
from firnline_ingest.config.form import Form
from tests.kubernetes.client import ClusterClient
from tests.kubernetes.control_plane import ControlPlane

WORDS = (
    *("a", "1", "A", "a-b", "-a", "a-", "a.b", "a..b", ".a", "a_b", "_a", "a b", "ü", "a/b", "a/b/c", "/a", "a/"),
    *("x.io/a", "X.io/a", "x..io/a", "x.io/A_b.c", "a" * 63, "a" * 64, f"{'a' * 63}.b", "a" * 253, "a" * 254),
    *(f"{'a' * 253}/b", f"{'a' * 254}/b", f"x/{'a' * 64}"),
)


def asked(admin: ClusterClient, path: str, document: Mapping[str, Any]) -> bool:
    try:
        admin.post(f"{path}?dryRun=All", {"apiVersion": "v1", **document})
    except RuntimeRefused as refused:
        if ": 422: " not in refused.what:
            raise
        return False
    return True


def differing(admin: ClusterClient, form: Form, path: str, name: str) -> Iterator[str]:
    for word in WORDS:
        documents: dict[str, dict[str, Any]] = {
            "name": {"metadata": {"name": word}},
            "key": {"metadata": {"name": "a", "labels": {word: "b"}}},
            "value": {"metadata": {"name": "a", "labels": {"b": word}}},
        }
        if asked(admin, path, documents[name]) != (re.fullmatch(form.pattern, word, re.ASCII) is not None):
            yield word


@pytest.mark.parametrize(
    ("form", "is_namespaced", "name"),
    [(NAMESPACE, False, "name"), (OBJECT_NAME, True, "name"), (LABEL_KEY, True, "key"), (LABEL_VALUE, True, "value")],
    ids=["namespace", "object", "label's key", "label's value"],
)
def test_a_form_is_the_api_servers(
    control_plane: ControlPlane, namespace: str, form: Form, is_namespaced: bool, name: str
) -> None:
    path = f"/api/v1/namespaces/{namespace}/configmaps" if is_namespaced else "/api/v1/namespaces"
    assert list(differing(control_plane.api("admin"), form, path, name)) == []
