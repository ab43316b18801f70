"""The engine as a SparkApplication of apache/spark-kubernetes-operator, spark.apache.org/v1.

Its defaults are for short jobs: it counts restarts for ever, kills what starts slowly, and deletes the driver of an application
without grace whose last change of state is older than five minutes, which a stream's always is.
"""

from collections.abc import Mapping
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.naming import labels, run_name
from firnline_infra.runtimes.render import Start
from firnline_infra.runtimes.service import RunState
from firnline_infra.runtimes.spark_conf import all_conf
from firnline_infra.runtimes.spark_operator import pod
from firnline_infra.runtimes.spark_operator.flavour import ApplicationStatus, Flavour
from firnline_infra.runtimes.spark_operator.kubeflow import RETRIES
from firnline_infra.specification.runtimes.spark_operator import Kubernetes

MINUTE_MS = 60_000
NEVER_MS = 10 * 365 * 24 * 60 * MINUTE_MS
"""Ten years: a deletion then keeps the grace of the pod itself, however long the stream ran."""
START_MS = 15 * MINUTE_MS
"""For a node that has to be made, and an image that has to be pulled; five minutes is the operator's own."""
RESTARTS = {
    "restartPolicy": "OnFailure",
    "maxRestartAttempts": RETRIES,
    "restartBackoffMillis": 30_000,
    "restartCounterResetMillis": 60 * MINUTE_MS,
}
TIMEOUTS = {
    "driverStartTimeoutMillis": START_MS,
    "driverReadyTimeoutMillis": START_MS,
    "executorStartTimeoutMillis": START_MS,
    "forceTerminationGracePeriodMillis": NEVER_MS,
}
STATES = {
    "Submitted": RunState.STARTING,
    "ScheduledToRestart": RunState.STARTING,
    "DriverRequested": RunState.STARTING,
    "DriverStarted": RunState.STARTING,
    "DriverReady": RunState.RUNNING,
    "InitializedBelowThresholdExecutors": RunState.RUNNING,
    "RunningHealthy": RunState.RUNNING,
    "RunningWithBelowThresholdExecutors": RunState.RUNNING,
    "RunningWithPartialCapacity": RunState.RUNNING,
    "DriverStartTimedOut": RunState.STARTING,
    "DriverReadyTimedOut": RunState.STARTING,
    "ExecutorsStartTimedOut": RunState.STARTING,
    "DriverEvicted": RunState.STARTING,
    "SchedulingFailure": RunState.STARTING,
    "Succeeded": RunState.STOPPING,
    "Failed": RunState.STARTING,
    "ResourceReleased": RunState.STOPPED,
    "TerminatedWithoutReleaseResources": RunState.STOPPED,
}
"""apache/spark-kubernetes-operator, v1. Between an attempt's end and the next, or the release of what it had, anything may
follow; what is released stays so, and the state before says how it ended."""
ENDED_AS = {"Succeeded": RunState.SUCCEEDED}


def spark_application(job: EngineJob, section: Kubernetes, start: Start) -> dict[str, Any]:
    """Everything that is not a field of the resource is a setting of Spark's."""
    marks = labels(start.tags)
    return {
        "apiVersion": "spark.apache.org/v1",
        "kind": "SparkApplication",
        "metadata": {
            "name": run_name(job.application, start.token),
            "namespace": job.runtime.namespace,
            "labels": marks,
        },
        "spec": {
            "mainClass": "org.apache.spark.deploy.PythonRunner",
            "pyFiles": f"local://{job.artefact.entry}",
            "driverArgs": [job.configuration],
            "deploymentMode": "ClusterMode",
            "runtimeVersions": {"sparkVersion": section.spark},
            "sparkConf": dict(sorted((all_conf(job) | _conf(job, section)).items())),
            "driverSpec": _template(section, "driver", marks),
            "executorSpec": _template(section, "executor", marks),
            "applicationTolerations": {
                "restartConfig": RESTARTS,
                "applicationTimeoutConfig": TIMEOUTS,
                "resourceRetainPolicy": "Never",
            },
        },
    }


def _template(section: Kubernetes, who: str, marks: Mapping[str, str]) -> dict[str, Any]:
    """Spark takes the first container for its own, and puts image, arguments and resources into it (Spark, "Running on
    Kubernetes", pod template)."""
    metadata = {"labels": marks, "annotations": dict(section.annotations)}
    container = {
        "name": f"spark-kubernetes-{who}",
        "securityContext": pod.CONTAINER_SECURITY,
        "env": pod.variables(section),
        "volumeMounts": pod.mounts(section),
    }
    spec = {
        "terminationGracePeriodSeconds": section.termination_seconds,
        "securityContext": pod.pod_security(section),
        "containers": [_given(container)],
        "tolerations": pod.tolerations(section),
        "volumes": pod.volumes(section),
    }
    return {"podTemplateSpec": {"metadata": _given(metadata), "spec": _given(spec)}}


def _given(document: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in document.items() if value}


def _conf(job: EngineJob, section: Kubernetes) -> dict[str, str]:
    account, nodes = job.runtime.service_account or "", pod.node_selector(section)
    conf = {
        "spark.kubernetes.namespace": job.runtime.namespace or "",
        "spark.kubernetes.container.image": section.image or "",
        "spark.kubernetes.container.image.pullPolicy": "IfNotPresent",
        "spark.kubernetes.authenticate.driver.serviceAccountName": account,
        "spark.kubernetes.authenticate.executor.serviceAccountName": account,
        **{f"spark.kubernetes.node.selector.{label}": value for label, value in nodes.items()},
    }
    if section.image_pull_secrets:
        conf["spark.kubernetes.container.image.pullSecrets"] = ",".join(section.image_pull_secrets)
    return conf


def status_of(found: Mapping[str, Any]) -> ApplicationStatus:
    status = found.get("status", {})
    now = status.get("currentState", {})
    summary = now.get("currentStateSummary", "Submitted")
    state = STATES[summary]
    if state is RunState.STOPPED:
        state = _how_it_ended(status)
    info = status.get("currentAttemptSummary", {}).get("attemptInfo", {})
    return ApplicationStatus(state, info.get("id", 0) + 1, now.get("message", "") if not state.is_active else "")


def _how_it_ended(status: Mapping[str, Any]) -> RunState:
    """The state before the release of what it had says how a run ended; states are numbered."""
    history = status.get("stateTransitionHistory", {})
    states = [history[number].get("currentStateSummary", "") for number in sorted(history, key=int)]
    before = next((each for each in reversed(states) if STATES.get(each) is not RunState.STOPPED), "")
    return ENDED_AS.get(before, RunState.FAILED)


FLAVOUR = Flavour("Apache Spark operator", "spark.apache.org/v1", status_of, suspends=False)
