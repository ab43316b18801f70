"""The page's own classes are what the driver's schema takes and what a pod mounts; without them no engine begins."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from jsonschema import Draft202012Validator

from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.service import RunState
from firnline_infra.specification.runtimes.spark_operator import Operator
from tests.fakes.kubernetes.conftest import FIRST, Place, started
from tests.fakes.kubernetes.secrets_store import FOLDER, KIND, unmounted
from tests.kubernetes.definitions import schema_of

PAGE = Path(__file__).parents[3] / "docs" / "secrets.md"
SCHEMA = schema_of(KIND.lower())
pytestmark = pytest.mark.parametrize("place", [Operator.KUBEFLOW], ids=str, indirect=True)


def shown() -> dict[str, dict[str, Any]]:
    """The page's classes, by their providers."""
    blocks = [block.partition("```")[0] for block in PAGE.read_text().split("```yaml\n")[1:]]
    found = [each for block in blocks if f"kind: {KIND}" in block for each in yaml.safe_load_all(block)]
    return {each["spec"]["provider"]: each for each in found}


def broken_of(good: dict[str, Any]) -> Iterator[dict[str, Any]]:
    spec = good["spec"]
    yield {**good, "apiVersion": "secrets-store.csi.x-k8s.io/v1alpha1"}
    yield {**good, "spec": {**spec, "provider": 1}}
    yield {**good, "spec": {**spec, "parameters": {**spec["parameters"], "objects": [{"objectName": "ingest.pem"}]}}}
    yield {**good, "spec": {**spec, "objects": "text"}}
    yield {**good, "spec": {**spec, "secretObjects": [{"secretName": "key", "data": [{"name": "ingest.pem"}]}]}}


def folder(place: Place) -> str:
    return FOLDER.format(namespace=place.job.runtime.namespace)


def given(place: Place, document: dict[str, Any]) -> None:
    """In place of the one of the name."""
    removed(place, document["metadata"]["name"])
    place.admin.apply(f"{folder(place)}/{document['metadata']['name']}", document)


def removed(place: Place, name: str) -> None:
    place.admin.delete(f"{folder(place)}/{name}")
    place.until(lambda: place.admin.get(f"{folder(place)}/{name}") is None)


@pytest.mark.parametrize("provider", ["vault", "azure"])
def test_the_pages_classes_are_taken_and_the_engine_starts_with_them(place: Place, provider: str) -> None:
    good = shown()[provider]
    for broken in broken_of(good):
        assert list(Draft202012Validator(SCHEMA).iter_errors(broken))
        with pytest.raises(RuntimeRefused, match=r"refused: 4(00|22): "):
            place.admin.create(folder(place), {**broken, "metadata": {"name": "broken"}})
    given(place, {**good, "metadata": {"name": "firnline-vault"}})
    assert started(place).state is RunState.RUNNING


@pytest.mark.parametrize(
    ("provider", "change", "why"),
    [
        ("vault", {"roleName": ""}, "missing 'roleName'"),
        ("vault", {"objects": ""}, "no secrets configured"),
        ("vault", {"objects": "- {objectName: a}\n- {objectName: a}"}, "must be unique"),
        ("azure", {"keyvaultName": ""}, "keyvaultName is not set"),
        ("azure", {"tenantId": ""}, "tenantId is not set"),
        ("azure", {"objects": "array: []"}, "unmarshal objects"),
        ("gcp", {}, 'provider not found: provider "gcp"'),
        ("", {}, "not found"),
    ],
)
def test_with_another_class_or_none_no_engine_begins(
    place: Place, provider: str, change: dict[str, str], why: str
) -> None:
    """No engine begins as long as it is so: once the class is right, the kubelet's next try mounts it."""
    good = shown()["vault"]
    removed(place, "firnline-vault")
    if provider:
        known = shown().get(provider, good)["spec"]
        spec = {"provider": provider, "parameters": {**known["parameters"], **change}}
        given(place, {**good, "metadata": {"name": "firnline-vault"}, "spec": spec})
    run = place.runtime.start(place.job, FIRST)
    events = f"{place.pods_folder.removesuffix('pods')}events"
    place.until(lambda: place.admin.items(events))
    found = place.runtime.look(run)
    assert found.state is RunState.STARTING
    assert "FailedMount" in found.reason
    assert why in found.reason
    assert place.stage.attempts == []
    (problem,) = unmounted(place.admin, str(place.job.runtime.namespace), VOLUMES)
    assert why in problem
    given(place, {**good, "metadata": {"name": "firnline-vault"}})
    place.until_run(run, RunState.RUNNING)


VOLUMES: dict[str, list[dict[str, Any]]] = {
    "volumes": [
        {
            "name": "snowflake-key",
            "csi": {
                "driver": "secrets-store.csi.k8s.io",
                "readOnly": True,
                "volumeAttributes": {"secretProviderClass": "firnline-vault"},
            },
        }
    ]
}


def test_a_volume_that_is_not_read_only_or_names_no_class_is_refused(place: Place) -> None:
    (volume,) = VOLUMES["volumes"]
    for change, why in (({"readOnly": False}, "Readonly is not true"), ({"volumeAttributes": {}}, "is not set")):
        pod = {"volumes": [{**volume, "csi": {**volume["csi"], **change}}]}
        (problem,) = unmounted(place.admin, "firnline", pod)
        assert why in problem
