"""From an empty namespace to a running engine, with the rights of `deployer_role` alone: what is missing fails, by name."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.runtimes.errors import EngineRuns, RuntimeRefused
from firnline_infra.runtimes.service import RunState
from firnline_infra.runtimes.spark_operator import pod
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import (
    DRIVERS_OWN,
    apply_prerequisites,
    deployer_role,
    kubernetes_prerequisites,
    path_of,
)
from firnline_infra.runtimes.spark_operator.service import release_on
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.runtimes.spark_operator import Operator
from tests.fakes.kubernetes.conftest import FIRST, Place, cleared, started
from tests.infra.runtimes.environments import RUNTIMES, spec_of
from tests.kubernetes.client import rights_in

ONE = pytest.mark.parametrize("place", [Operator.KUBEFLOW], ids=str, indirect=True)
APACHE_IS_SLOW = pytest.mark.parametrize(
    "place", [Operator.KUBEFLOW, pytest.param(Operator.APACHE, marks=pytest.mark.slow)], ids=str, indirect=True
)


def gone(place: Place, *documents: dict[str, Any]) -> None:
    """They are deleted."""
    for each in documents:
        place.admin.delete(path_of(each))
    place.until_gone(*documents)


def with_options(place: Place, **changes: Any) -> EnvironmentSpec:
    kubernetes = RUNTIMES[place.operator.value]["kubernetes"] | changes
    return spec_of("dev", place.operator.value, namespace=place.job.runtime.namespace, kubernetes=kubernetes)


class Killed(Exception):
    """The deployer's process, at a call."""


class KilledAt:
    """The cluster's client, whose process is killed before or after one of its calls."""

    def __init__(self, place: Place, at: int) -> None:
        self.place, self.at, self.calls = place, at, 0

    def __getattr__(self, name: str) -> Any:
        called = getattr(self.place.api, name)

        def call(*arguments: Any, **named: Any) -> Any:
            self.calls += 1
            if self.calls == self.at:
                raise Killed
            return called(*arguments, **named)

        return call


def deployed(place: Place, api: Any) -> None:
    runtime = replace(place.runtime, api=api)
    apply_prerequisites(place.spec, api)
    assert list(runtime.check(place.job)) == []
    runtime.start(place.job, FIRST)


@pytest.mark.contract
@APACHE_IS_SLOW
def test_killed_at_any_call_the_next_deploy_ends_in_one_running_engine(place: Place) -> None:
    at = 0
    while True:
        at += 1
        clear(place)
        try:
            deployed(place, KilledAt(place, at))
        except Killed:
            deployed(place, place.api)
        else:
            break
        (run,) = place.runtime.runs("firnline-dev")
        assert place.until_run(run, RunState.RUNNING).start == FIRST
    assert at > 10


def clear(place: Place) -> None:
    """The namespace is as an administrator has made it."""
    for run in place.runtime.runs("firnline-dev"):
        place.runtime.cancel(run, grace_s=0)
        place.stage.attempts[-1].end()
        place.until(lambda: not place.pods("driver") and place.has_ended())
    if place.admin.get(place.path):
        place.admin.delete(place.path)
        place.until(lambda: place.admin.get(place.path) is None)
    gone(place, *kubernetes_prerequisites(place.spec))


def without(role: Mapping[str, Any], right: tuple[str, str, str]) -> dict[str, Any]:
    kept = [each for each in rights_in(role) if each != right]
    return {**role, "rules": [{"apiGroups": [g], "resources": [r], "verbs": [v]} for g, r, v in kept]}


def everything(place: Place) -> None:
    """Asks the cluster what deploys, stops, status and logs ask."""
    apply_prerequisites(with_options(place, network_policy=True, disruption_budget=True), place.api)
    for problem in place.runtime.check(place.job):
        raise RuntimeRefused("check", place.path, problem.what, next_step=problem.next_step)
    before = len(place.stage.attempts)
    for number in range(1, 3):
        run = place.runtime.start(place.job, f"0000000{number}-ab")
        place.until_run(run, RunState.RUNNING)
        list(place.runtime.log_lines(run))
        place.stage.attempt(before + number).end()
        place.until_run(run, RunState.SUCCEEDED)
    run = place.runtime.start(place.job, "00000003-ab")
    place.until_run(run, RunState.RUNNING)
    place.runtime.cancel(run, grace_s=0)
    place.stage.attempt(before + 3).end()
    place.until_run(run, RunState.STOPPED if place.operator is Operator.KUBEFLOW else RunState.UNKNOWN)
    apply_prerequisites(with_options(place, network_policy=False, disruption_budget=False), place.api)
    *_, policy, budget = kubernetes_prerequisites(place.spec)
    gone(place, policy, budget)
    apply_prerequisites(place.spec, place.api)
    release_on(place.api, place.spec)


def why_not(place: Place) -> RuntimeRefused | None:
    try:
        everything(place)
    except RuntimeRefused as refused:
        return refused
    return None


@pytest.mark.contract
@APACHE_IS_SLOW
def test_the_deployer_has_every_right_that_it_needs_and_none_beside(place: Place) -> None:
    everything(place)
    role, _ = deployer_role(place.spec, group="deployers")
    of_the_driver = set(rights_in({"rules": DRIVERS_OWN}))
    not_of_a_driver = [right for right in dict.fromkeys(rights_in(role)) if right not in of_the_driver]
    unused, namespace = [], str(place.job.runtime.namespace)
    for right in not_of_a_driver:
        clear_all(place)
        place.admin.apply(path_of(role), without(role, right))
        place.api.until_lacks(namespace, right)
        place.api.until_has(namespace, [each for each in rights_in(role) if each != right])
        refused = why_not(place)
        if refused is None:
            unused.append(right)
        else:
            assert f"cannot {right[2]} resource" in refused.what
            assert "--kubernetes-deployer" in refused.next_step
    assert unused == [READS_EVENTS]


READS_EVENTS = ("", "events", "list")
"""Nothing is refused without it, but a pod that waits is not explained then (test_secrets_store.py has what it tells)."""


def clear_all(place: Place) -> None:
    cleared(place)
    gone(place, *kubernetes_prerequisites(place.spec))


@ONE
@pytest.mark.parametrize(
    ("kind", "words"),
    [
        ("RoleBinding", "cannot get resource"),
        ("Role", "cannot get resource"),
        ("ServiceAccount", 'serviceaccount "engine" not found'),
    ],
)
def test_a_driver_without_what_deploy_makes_ends_with_the_clusters_words(place: Place, kind: str, words: str) -> None:
    (missing,) = (each for each in kubernetes_prerequisites(place.spec) if each["kind"] == kind)
    gone(place, missing)
    place.cluster.hurry = 1.0
    place.runtime.start(place.job, FIRST)
    place.until(lambda: words in str(place.admin.get(place.path)))


def test_pods_that_the_namespace_would_not_take_are_found_before_anything_is_stopped(
    place: Place, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pod, "CONTAINER_SECURITY", {"allowPrivilegeEscalation": False})
    (problem,) = place.runtime.check(place.job)
    assert "violates PodSecurity" in problem.what
    assert "capabilities" in problem.what
    assert place.api.get(place.path) is None


def test_applied_twice_it_changes_nothing(place: Place) -> None:
    before = [place.admin.get(path_of(each)) for each in kubernetes_prerequisites(place.spec)]
    apply_prerequisites(place.spec, place.api)
    assert [place.admin.get(path_of(each)) for each in kubernetes_prerequisites(place.spec)] == before


@ONE
def test_a_field_that_another_one_applies_is_refused_and_says_who(place: Place) -> None:
    account, *_ = kubernetes_prerequisites(place.spec)
    account["metadata"]["annotations"] = {"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/other"}
    gone(place, account)
    place.admin.apply(path_of(account), account, manager="argocd")
    with pytest.raises(RuntimeRefused, match="argocd") as refused:
        apply_prerequisites(place.spec, place.api)
    assert "origin: adopt" in refused.value.next_step


@ONE
def test_another_environment_takes_no_service_account_away(place: Place) -> None:
    account, *_ = kubernetes_prerequisites(place.spec)
    before = place.admin.get(path_of(account))
    other = place.spec.model_copy(update={"name": "other", "application": None})
    assert kubernetes_prerequisites(other)[0]["metadata"]["name"] == account["metadata"]["name"]
    with pytest.raises(RuntimeRefused, match=r'conflicts? with "firnline-dev"'):
        apply_prerequisites(other, place.api)
    assert place.admin.get(path_of(account)) == before


@ONE
def test_what_an_option_leaves_out_is_removed_where_it_is_ours(place: Place) -> None:
    *_, policy, budget = kubernetes_prerequisites(place.spec)
    gone(place, budget)
    budget["metadata"] = {**budget["metadata"], "labels": {"team": "platform"}}
    place.admin.apply(path_of(budget), budget)
    apply_prerequisites(with_options(place, network_policy=False, disruption_budget=False), place.api)
    place.until(lambda: place.admin.get(path_of(policy)) is None)
    assert place.admin.get(path_of(budget)) is not None


@ONE
def test_what_is_adopted_is_neither_made_nor_changed(place: Place) -> None:
    clear_all(place)
    apply_prerequisites(with_options(place, origin="adopt"), place.api)
    assert [place.admin.get(path_of(each)) for each in kubernetes_prerequisites(place.spec)] == [None] * 5
    account, *_ = place.runtime.check(place.job)
    assert "no service account engine" in account.what


@ONE
def test_a_namespace_that_is_not_there_is_said(place: Place) -> None:
    """To whom the API server lets know: a deployer of another namespace is refused before that."""
    spec = spec_of("dev", place.operator.value, namespace="not-there")
    with pytest.raises(RuntimeRefused, match=r"namespaces .* not found") as refused:
        apply_prerequisites(spec, place.admin)
    assert "kubectl create namespace" in refused.value.next_step
    with pytest.raises(RuntimeRefused, match="403: "):
        apply_prerequisites(spec, place.api)


@ONE
def test_an_engine_stands_by_beside_the_one_that_runs(place: Place) -> None:
    old, new = started(place), started(place, "00000002-cd")
    assert [run.id for run in place.runtime.runs("firnline-dev")] == [old.id, new.id]
    assert len(place.pods("driver")) == 2


def test_what_is_destroyed_leaves_an_empty_namespace_unless_an_engine_runs(place: Place) -> None:
    run = started(place)
    with pytest.raises(EngineRuns, match=run.id) as refused:
        release_on(place.api, place.spec)
    assert "firnline stop dev" in refused.value.next_step
    place.stage.attempt().end()
    place.until_run(run, RunState.SUCCEEDED)
    place.until(lambda: not place.pods("executor"))
    release_on(place.api, place.spec)
    place.until(lambda: not place.applications())
    place.until_gone(*kubernetes_prerequisites(place.spec))


@ONE
def test_an_account_of_others_is_not_removed(place: Place) -> None:
    account, *_ = kubernetes_prerequisites(place.spec)
    gone(place, account)
    account["metadata"] = {**account["metadata"], "labels": {"team": "platform"}}
    place.admin.apply(path_of(account), account)
    release_on(place.api, place.spec)
    assert place.admin.get(path_of(account)) is not None
