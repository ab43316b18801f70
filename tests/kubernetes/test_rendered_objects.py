"""Tests of what the product renders, applied by who applies it: the API server judges objects, rights and pods."""

from collections.abc import Callable, Mapping
from copy import deepcopy
from typing import Any

import pytest

from firnline_infra.runtimes.errors import RuntimeRefused
from firnline_infra.runtimes.registry import render
from firnline_infra.runtimes.spark_operator import pod
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import (
    apply_prerequisites,
    deployer_role,
    kubernetes_prerequisites,
    path_of,
)
from firnline_infra.runtimes.spark_operator.service import service_on
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.runtimes.spark_operator import Operator
from tests.infra.runtimes.environments import SHIPPED, job_of, spec_of
from tests.kubernetes.client import rights_in
from tests.kubernetes.control_plane import ControlPlane

BOTH = pytest.mark.parametrize("operator", list(Operator), ids=str)


def admitted(control_plane: ControlPlane, spec: EnvironmentSpec) -> None:
    """The deployer has its role, from the administrator."""
    for each in deployer_role(spec, group="deployers"):
        control_plane.api("admin").apply(path_of(each), each)
    role, _ = deployer_role(spec, group="deployers")
    control_plane.api("ci").until_has(spec.aws.runtime.namespace or "", rights_in(role))


def holds(kept: Any, wanted: Any) -> bool:
    """Returns whether nothing of what was asked for is dropped or changed; the schema's defaults are added."""
    if isinstance(wanted, Mapping):
        return all(name in kept and holds(kept[name], value) for name, value in wanted.items())
    return bool(kept == wanted)


def folder(document: Mapping[str, Any]) -> str:
    return f"/apis/{document['apiVersion']}/namespaces/{document['metadata']['namespace']}/sparkapplications"


@BOTH
@pytest.mark.parametrize("environment", SHIPPED)
def test_the_deployers_role_is_enough_for_what_is_around_the_engine_and_the_engine(
    control_plane: ControlPlane, namespace: str, operator: Operator, environment: str
) -> None:
    spec, ci = spec_of(environment, operator.value, namespace=namespace), control_plane.api("ci")
    admitted(control_plane, spec)
    apply_prerequisites(spec, ci)
    for each in kubernetes_prerequisites(spec):
        assert control_plane.api("admin").get(path_of(each)) is not None
    service, job = service_on(ci, spec), job_of(spec)
    assert list(service.check(job)) == []
    run = service.start(job, "00000001-ab")
    assert [each.id for each in service.runs(service.application)] == [run.id]
    wanted = render(job, token="00000001-ab", tags={"firnline:generation": "00000001-ab"})
    kept = ci.get(f"{folder(wanted)}/{wanted['metadata']['name']}")
    assert kept is not None
    assert holds(kept["spec"], wanted["spec"])
    service.cancel(run, grace_s=0)


@BOTH
def test_applied_again_nothing_changes(control_plane: ControlPlane, namespace: str, operator: Operator) -> None:
    spec, ci, admin = (
        spec_of("dev", operator.value, namespace=namespace),
        control_plane.api("ci"),
        control_plane.api("admin"),
    )
    admitted(control_plane, spec)
    apply_prerequisites(spec, ci)
    before = [admin.get(path_of(each)) for each in kubernetes_prerequisites(spec)]
    apply_prerequisites(spec, ci)
    assert [admin.get(path_of(each)) for each in kubernetes_prerequisites(spec)] == before


def misspelt(spec: dict[str, Any]) -> None:
    spec["sparkConfig"] = {}


def misspelt_within(spec: dict[str, Any]) -> None:
    part = spec.get("restartPolicy") or spec["applicationTolerations"]["restartConfig"]
    part["typ"] = "OnFailure"


def of_another_type(spec: dict[str, Any]) -> None:
    spec["sparkConf"] = "a=1"


def incomplete(spec: dict[str, Any]) -> None:
    del spec["sparkVersion" if "sparkVersion" in spec else "runtimeVersions"]


@BOTH
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (misspelt, 'unknown field "spec.sparkConfig"'),
        (misspelt_within, "unknown field"),
        (of_another_type, "must be of type object"),
        (incomplete, "Required value"),
    ],
)
def test_an_application_that_the_operator_could_not_read_as_it_is_written_is_refused(
    control_plane: ControlPlane,
    namespace: str,
    operator: Operator,
    change: Callable[[dict[str, Any]], None],
    words: str,
) -> None:
    document = deepcopy(render(job_of(spec_of("dev", operator.value, namespace=namespace)), token="00000001-ab"))
    change(document["spec"])
    with pytest.raises(RuntimeRefused, match=words) as refused:
        control_plane.api("admin").create(folder(document), document)
    assert "report this message" in refused.value.next_step


@pytest.mark.parametrize(
    ("kind", "change"),
    [
        ("ServiceAccount", {"metadata": {"labels": {"a": 1}}}),
        ("ServiceAccount", {"automountToken": True}),
        ("Role", {"rules": {"a": 1}}),
        ("PodDisruptionBudget", {"spec": {"maxUnavailable": {"a": 1}}}),
    ],
    ids=[
        "another type of a label",
        "a field that is not there",
        "another type of rules",
        "neither number nor percentage",
    ],
)
def test_an_object_that_is_applied_with_a_field_of_another_type_is_malformed_and_not_unavailable(
    control_plane: ControlPlane, namespace: str, kind: str, change: dict[str, Any]
) -> None:
    """The API server says 500 to it, as to what it can't do for now."""
    spec = spec_of("prod", Operator.KUBEFLOW.value, namespace=namespace)
    document = deepcopy(dict(next(each for each in kubernetes_prerequisites(spec) if each["kind"] == kind)))
    for name, value in change.items():
        document[name] = {**document[name], **value} if name == "metadata" else value
    with pytest.raises(RuntimeRefused, match="500: failed to") as refused:
        control_plane.api("admin").apply(path_of(document), document)
    assert "report this message" in refused.value.next_step


@BOTH
def test_a_deployer_without_a_role_is_told_what_he_may_not_and_who_gives_it(
    control_plane: ControlPlane, namespace: str, operator: Operator
) -> None:
    spec, ci = spec_of("dev", operator.value, namespace=namespace), control_plane.api("ci")
    with pytest.raises(RuntimeRefused, match=r"403: .*cannot patch resource \"serviceaccounts\"") as refused:
        apply_prerequisites(spec, ci)
    assert "--kubernetes-deployer" in refused.value.next_step
    document = render(job_of(spec), token="00000001-ab")
    with pytest.raises(RuntimeRefused, match=r"403: .*cannot create resource \"sparkapplications\""):
        ci.create(folder(document), document)


def test_what_a_namespace_does_not_admit_is_no_right_that_is_missing(
    control_plane: ControlPlane, namespace: str
) -> None:
    """The API server says 403 to both."""
    spec, admin = spec_of("dev", "kubeflow", namespace=namespace), control_plane.api("admin")
    apply_prerequisites(spec, admin)
    section = spec.aws.runtime.kubernetes
    assert section is not None
    pods = f"/api/v1/namespaces/{namespace}/pods"
    absent = pod.probe(section, name="probe", service_account="absent")
    with pytest.raises(RuntimeRefused, match=r"403: .*error looking up service account") as refused:
        admin.create(pods, absent)
    assert "no right is missing" in refused.value.next_step
    admin.delete(f"/api/v1/namespaces/{namespace}")
    with pytest.raises(RuntimeRefused, match=r"403: .*being terminated") as refused:
        admin.create(pods, pod.probe(section, name="probe", service_account=spec.aws.runtime.service_account))
    assert refused.value.next_step.startswith("wait until the namespace is gone")


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("spark.master", "local"),
        ("spark.kubernetes.driver.container.image", "other"),
        ("spark.kubernetes.authenticate.driver.serviceAccountName", "other"),
        ("spark.kubernetes.namespace", "other"),
    ],
)
def test_a_setting_that_kubeflows_webhook_refuses_is_refused(
    control_plane: ControlPlane, namespace: str, name: str, value: str
) -> None:
    document = deepcopy(render(job_of(spec_of("dev", "kubeflow", namespace=namespace)), token="00000001-ab"))
    document["spec"]["sparkConf"][name] = value
    with pytest.raises(RuntimeRefused, match=r"spec.sparkConf"):
        control_plane.api("admin").create(folder(document), document)


def test_nobody_gives_a_right_that_he_does_not_have(control_plane: ControlPlane, namespace: str) -> None:
    spec, ci = spec_of("dev", "kubeflow", namespace=namespace), control_plane.api("ci")
    admitted(control_plane, spec)
    role = {
        "apiVersion": "rbac.authorization.k8s.io/v1",
        "kind": "Role",
        "metadata": {"name": "wider", "namespace": namespace},
        "rules": [{"apiGroups": [""], "resources": ["secrets"], "verbs": ["get"]}],
    }
    with pytest.raises(RuntimeRefused, match="attempting to grant RBAC permissions not currently held"):
        ci.apply(path_of(role), role)


@BOTH
def test_pods_that_the_namespace_does_not_take_are_found_before_a_start(
    control_plane: ControlPlane, namespace: str, operator: Operator, monkeypatch: pytest.MonkeyPatch
) -> None:
    spec, ci = spec_of("dev", operator.value, namespace=namespace), control_plane.api("ci")
    admitted(control_plane, spec)
    apply_prerequisites(spec, ci)
    monkeypatch.setattr(pod, "CONTAINER_SECURITY", {"allowPrivilegeEscalation": False})
    (problem,) = service_on(ci, spec).check(job_of(spec))
    assert 'violates PodSecurity "restricted:latest": unrestricted capabilities' in problem.what
