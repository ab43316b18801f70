"""Tests of what a service would refuse is said before anything is stopped, with the field that mends it."""

import json
import re
from dataclasses import replace
from typing import Any

import pytest

from firnline_infra.runtimes.engine_job import engine_job
from firnline_infra.runtimes.errors import JobRefused, StartedByHand
from firnline_infra.runtimes.naming import labels, object_name, run_name, short_name
from firnline_infra.runtimes.registry import render, rendering_of
from firnline_infra.runtimes.spark_conf import START_VARIABLE
from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import kubernetes_prerequisites
from firnline_ingest.errors import ConfigError
from firnline_ingest.ledger.lease import START_VARIABLE as OF_THE_ENGINE
from tests.infra.runtimes.environments import RUNTIMES, job_of, spec_of
from tests.infra.specifications import changed


def refusals(runtime: str, **changes: Any) -> tuple[str, ...]:
    with pytest.raises(JobRefused) as refused:
        job_of(spec_of("dev", runtime, **changes))
    return refused.value.problems


def test_emr_on_eks_takes_a_shorter_script_than_emr_serverless() -> None:
    """256 characters against 4096 in botocore's models."""
    for runtime, longest in (("emr_eks", 256), ("emr_serverless", 4096)):
        job = job_of(spec_of("dev", runtime))
        fits = replace(job, artefact=replace(job.artefact, entry="s3://b/" + "x" * (longest - 7)))
        render(fits, token="1")
        over = replace(fits, artefact=replace(fits.artefact, entry=f"{fits.artefact.entry}x"))
        with pytest.raises(JobRefused, match=f"{longest} are taken"):
            render(over, token="1")


@pytest.mark.parametrize("runtime", ["emr_serverless", "emr_eks"])
def test_a_classification_has_a_hundred_short_properties(runtime: str) -> None:
    (problem,) = refusals(runtime, spark_conf={"spark.metrics.namespace": "x" * 1025})
    assert problem.startswith("aws.runtime.spark_conf.spark.metrics.namespace: name and value have 1024")
    (problem,) = refusals(runtime, spark_conf={f"spark.company.x{each}": "1" for each in range(100)})
    assert "100 are taken" in problem


def test_a_worker_of_emr_serverless_has_a_size_that_the_service_has() -> None:
    (problem,) = refusals("emr_serverless", size={"executor_cores": 3})
    assert problem == "aws.runtime.size.executor_cores: a worker of EMR Serverless has 1, 2, 4, 8, 16, 32 vCPUs, not 3."
    (problem,) = refusals("emr_serverless", size={"driver_cores": 2, "driver_memory_mib": 16_384})
    assert "a worker with 2 vCPUs has 16 GB at the most" in problem
    (problem,) = refusals("emr_serverless", size={"executor_cores": 32, "executor_memory_mib": 220_000})
    assert "a worker with 32 vCPUs has 244 GB at the most" in problem
    job_of(spec_of("dev", "emr_serverless", size={"executor_cores": 32, "driver_cores": 32}))
    job_of(spec_of("dev", "emr_eks", size={"executor_cores": 3}))


def test_the_kubeflow_operator_refuses_what_it_has_fields_for() -> None:
    denied = {
        "spark.kubernetes.container.image": "mine:1",
        "spark.kubernetes.driver.master": "k8s://else",
        "spark.kubernetes.authenticate.driver.serviceAccountName": "root",
        "spark.kubernetes.namespace": "elsewhere",
    }
    problems = refusals("kubeflow", spark_conf=denied)
    assert [problem.partition(":")[0].removeprefix("aws.runtime.spark_conf.") for problem in problems] == sorted(denied)


def test_an_operator_runs_what_is_in_its_image() -> None:
    job = job_of(spec_of("dev", "apache"))
    with pytest.raises(JobRefused, match="has to hold the engine"):
        render(replace(job, artefact=replace(job.artefact, entry="s3://b/entry.py")), token="1")


def test_an_engine_that_is_started_by_hand_has_no_job() -> None:
    spec = spec_of("dev", "emr_serverless")
    by_hand = changed(spec, "aws.runtime", type(spec.aws.runtime)())
    job = job_of(spec)
    with pytest.raises(StartedByHand, match="has none of emr_serverless"):
        engine_job(
            by_hand,
            artefact=job.artefact,
            configuration=job.configuration,
            configuration_hash=job.configuration_hash,
            role_arn=None,
            logs=None,
        )


@pytest.mark.parametrize(
    ("setting", "value", "said"),
    [
        ("spark.speculation", "true", "is the engine's own"),
        ("spark.dynamicAllocation.enabled", "true", "is the engine's own"),
        ("spark.yarn.maxAppAttempts", "9", "is the engine's own"),
        ("spark.executor.memory", "9g", "belongs into aws.runtime.size"),
        ("spark.hadoop.fs.s3a.secret.key", "abc/def", "looks like a secret"),
        ("spark.company.password", "hunter2", "looks like a secret"),
    ],
)
def test_a_setting_that_would_hurt_is_refused_by_the_specification(setting: str, value: str, said: str) -> None:
    with pytest.raises(ConfigError) as refused:
        spec_of("dev", "emr_serverless", spark_conf={setting: value})
    (problem,) = refused.value.problems
    assert problem.startswith(f"aws.runtime.spark_conf.{setting}: ")
    assert said in problem


def test_a_secret_may_be_named() -> None:
    spec_of("dev", "emr_serverless", spark_conf={"spark.company.password": "EMR.secret@team/metrics"})


def test_the_drivers_stack_stays_large_whatever_else_its_jvm_is_told() -> None:
    spec = spec_of("dev", "emr_serverless", spark_conf={"spark.driver.extraJavaOptions": "-XX:+UseZGC"})
    assert job_of(spec).spark_conf["spark.driver.extraJavaOptions"] == "-Xss16m -XX:+UseZGC"


def test_pods_with_keys_name_their_secret() -> None:
    for runtime, change in (("apache", {"keys_secret": None}), ("kubeflow", {"keys_secret": "aws"})):
        section = spec_of("dev", runtime).aws.runtime.kubernetes
        assert section is not None
        given = section.model_dump(mode="json", exclude_defaults=True) | change
        with pytest.raises(ConfigError, match=r"aws\.runtime\.kubernetes\.keys_secret"):
            spec_of("dev", runtime, kubernetes={name: value for name, value in given.items() if value is not None})


def test_names_are_cut_to_what_is_taken_and_stay_apart() -> None:
    assert object_name("firnline-dev") == "firnline-dev"
    changed = [object_name(name) for name in ("Firnline.Dev", "firnline.dev", "firnline_dev", "1st", "x" * 64, "-")]
    assert len(set(changed)) == len(changed)
    assert all(name[0].isalpha() and len(name) <= 50 and name[-1].isalnum() for name in changed)
    assert short_name("x" * 64, "ab" * 32, 64) == "x" * 51 + "-abababababab"
    assert labels({"firnline:hash": "ab" * 32, "cost center": "a b", "firnline:application": "x" * 63}) == {
        "firnline/hash": ("ab" * 32)[:63],
        "firnline/application": "x" * 63,
    }


def test_the_pods_of_two_applications_stay_apart() -> None:
    """By their label a roll-out tells whether anything of the old engine is left."""
    names = ("abc", "abc.", "-abc-", "_abc", "x" * 62 + ".y", "x" * 62 + ".z", "x" * 62, "_")
    values = [labels({"firnline:application": name})["firnline/application"] for name in names]
    assert values[0] == "abc"
    assert len(set(values)) == len(names)
    assert all(re.fullmatch(r"[A-Za-z0-9]([A-Za-z0-9._-]{0,61}[A-Za-z0-9])?", value) for value in values)


def test_a_drain_of_nodes_takes_one_pod_at_a_time() -> None:
    """Spark's pods have no controller with a scale: Kubernetes counts those by minAvailable alone, and evicts none by
    maxUnavailable (kubernetes.io, Specifying a Disruption Budget, arbitrary workloads)."""
    *_, budget = kubernetes_prerequisites(spec_of("dev", "kubeflow", size={"executors": 3}))
    assert budget["kind"] == "PodDisruptionBudget"
    assert budget["spec"]["minAvailable"] == 3  # of a driver and three executors
    assert "maxUnavailable" not in budget["spec"]


def test_pods_have_longer_to_end_than_a_proof_takes() -> None:
    from firnline_ingest.spark.job import CANCELLED_S, STOP_S

    for runtime in ("kubeflow", "apache"):
        section = spec_of("dev", runtime).aws.runtime.kubernetes
        assert section is not None
        assert section.termination_seconds > STOP_S + CANCELLED_S


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_the_driver_is_told_the_token_of_its_start_and_the_hash_is_none_of_it(runtime: str) -> None:
    """The engine tells it the ledger, by which `firnline deploy` knows whose the engine is."""
    job = job_of(spec_of("dev", runtime))
    tokens = ("00000001-ab", "00000002-cd")
    first, second = (json.dumps(render(job, token=token)) for token in tokens)
    named = [run_name(job.application, token) for token in tokens]  # of an object in Kubernetes
    assert START_VARIABLE == OF_THE_ENGINE
    assert f"driverEnv.{START_VARIABLE}" in first.replace("appMasterEnv", "driverEnv")
    assert first.replace(*tokens).replace(*named) == second
    assert job.hash == rendering_of(job).hash_of(job)


@pytest.mark.parametrize("runtime", list(RUNTIMES))
def test_a_setting_that_spark_would_ignore_is_refused_by_the_specification(runtime: str) -> None:
    for setting in ("hive.metastore.uris", "spark.a b", "spark.a=b", ""):
        with pytest.raises(ConfigError) as refused:
            spec_of("dev", runtime, spark_conf={setting: "1"})
        (problem,) = refused.value.problems
        assert problem.startswith(f"aws.runtime.spark_conf.{setting}: is not a setting of Spark; expected a name that")


@pytest.mark.parametrize("runtime", list(RUNTIMES))
def test_a_setting_has_a_value_where_its_service_wants_one(runtime: str) -> None:
    """botocore's models of both: `.*\\S.*`."""
    if runtime in ("emr_serverless", "emr_eks"):
        with pytest.raises(ConfigError, match="takes no value that is empty or blank; give one, or remove"):
            spec_of("dev", runtime, spark_conf={"spark.company.x": " "})
    else:
        job_of(spec_of("dev", runtime, spark_conf={"spark.company.x": " "}))
