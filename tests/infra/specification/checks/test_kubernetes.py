from typing import Any

import pytest

from tests.infra.runtimes.environments import PODS, PROVIDER
from tests.infra.specifications import problems, told

SECTION: dict[str, Any] = {"image": "registry.acme.com/firnline:1"}


def of_pods(runtime: dict[str, Any] | None = None, **section: Any) -> list[str]:
    given = {"trust": "irsa", "oidc_provider": PROVIDER, **PODS, "kubernetes": {**SECTION, **section}}
    return problems(aws={"runtime": given | (runtime or {})})


@pytest.mark.parametrize(
    ("section", "expected"),
    [
        ({"node_selector": {"a b": "c"}}, "node_selector.a b: has to be a label's key: …"),
        ({"node_selector": {"team": "data & ml"}}, "node_selector.team: has to be a label's value: …"),
        ({"node_selector": {"team": "a" * 64}}, "node_selector.team: has to be a label's value: …"),
        ({"node_selector": {"kubernetes.io/arch": "amd64"}}, "node_selector.kubernetes.io/arch: follows from …"),
        ({"tolerations": [{"key": "a b"}]}, "tolerations[0].key: has to be a label's key: …"),
        ({"tolerations": [{"key": "", "value": "x"}]}, "tolerations[0].key: has to be a label's key: …"),
        ({"tolerations": [{"key": "a", "value": "x y"}]}, "tolerations[0].value: has to be a label's value: …"),
        ({"annotations": {"a/b/c": "x"}}, "annotations.a/b/c: has to be a label's key: …"),
        ({"image_pull_secrets": ["A_B"]}, "image_pull_secrets[0]: has to be 1 to 253 lower-case letters…"),
        ({"volumes": [{"name": "a", "path": "/a", "secret": "S_x"}]}, "volumes[0].secret: has to be 1 to 253 …"),
        ({"volumes": [{"name": "a", "path": "/a", "claim": "-"}]}, "volumes[0].claim: has to be 1 to 253 …"),
    ],
)
def test_what_no_pod_can_have_is_refused(section: dict[str, Any], expected: str) -> None:
    assert of_pods(**section) == told(f"aws.runtime.kubernetes.{expected}")


def test_two_volumes_have_two_names_and_two_paths() -> None:
    twice = [{"name": "a", "path": "/a", "secret": "s"}, {"name": "a", "path": "/a", "config_map": "c"}]
    assert of_pods(volumes=twice) == [
        "aws.runtime.kubernetes.volumes[1].name: another volume has a, too; give it one of its own.",
        "aws.runtime.kubernetes.volumes[1].path: another volume has /a, too; give it one of its own.",
    ]


@pytest.mark.parametrize(
    ("runtime", "expected"),
    [
        ({"namespace": "-a"}, "namespace: has to be 1 to 63 lower-case letters, digits and hyphens, with no hyphen…"),
        ({"service_account": "a..b"}, "service_account: has to be 1 to 253 lower-case letters…"),
    ],
)
def test_a_namespace_and_an_account_have_names_that_there_can_be(runtime: dict[str, Any], expected: str) -> None:
    """Else the cluster says that it knows no such namespace, and nobody can make it."""
    assert of_pods(runtime) == told(f"aws.runtime.{expected}")


def test_what_a_pod_can_have_is_taken() -> None:
    assert (
        of_pods(
            {"namespace": "a" * 63, "service_account": "a.b-c"},
            node_selector={"Example-1.com/Zone".lower(): "eu_1.a", "pool": ""},
            tolerations=[{"key": ""}, {"key": "nvidia.com/gpu"}],
            annotations={"Sidecar.Istio.io/Inject": "any text at all: {}\n"},
            image_pull_secrets=["registry.acme.com"],
        )
        == []
    )


def test_labels_of_nodes_of_emr_on_eks_are_checked_too() -> None:
    runtime = {"trust": "emr-eks", "oidc_provider": "o/id", "cluster": "c", "namespace": "n"}
    bad = {"emr_eks": {"node_selector": {"team": "data & ml"}}}
    assert problems(aws={"runtime": runtime | bad}) == told("aws.runtime.emr_eks.node_selector.team: has to be …")
