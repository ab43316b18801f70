"""The engine as a SparkApplication of kubeflow/spark-operator, sparkoperator.k8s.io/v1beta2.

Restarted on failure alone: an engine that was asked to stop ends with 0, and has to stay ended. The object's name is the
application's, so that there is one; a change of its spec would end the driver and not wait for executors: whoever rolls
suspends it first, and waits until no pod is left.
"""

from collections.abc import Mapping
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.naming import CPU_OF, labels, object_name
from firnline_infra.runtimes.service import RunState
from firnline_infra.runtimes.spark_conf import JAVA_OPTIONS, SIZES, all_conf
from firnline_infra.runtimes.spark_operator.flavour import ApplicationStatus, Flavour
from firnline_infra.runtimes.spark_operator.options import Kubernetes

RETRIES = 1000
RETRY_SECONDS = 10
"""Times the attempts so far: the operator waits longer each time."""
KEYS = ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY")
STATES = {
    "": RunState.STARTING,
    "SUBMITTED": RunState.STARTING,
    "RUNNING": RunState.RUNNING,
    "COMPLETED": RunState.SUCCEEDED,
    "FAILED": RunState.FAILED,
    "SUBMISSION_FAILED": RunState.STARTING,
    "PENDING_RERUN": RunState.STARTING,
    "INVALIDATING": RunState.STOPPING,
    "SUCCEEDING": RunState.STOPPING,
    "FAILING": RunState.STARTING,
    "SUSPENDING": RunState.STOPPING,
    "SUSPENDED": RunState.STOPPED,
    "RESUMING": RunState.STARTING,
    "UNKNOWN": RunState.RUNNING,
}
"""kubeflow/spark-operator, api/v1beta2/sparkapplication_types.go. What failed is tried again while its policy says so, and
is FAILED after that; UNKNOWN is a driver on a node that is out of reach, and may run."""


def spark_application(job: EngineJob, section: Kubernetes, *, tags: Mapping[str, str]) -> dict[str, Any]:
    settings, size, marks = all_conf(job), job.size, labels(tags)
    pod = _pod(job, section, marks)
    spec: dict[str, Any] = {
        "type": "Python",
        "mode": "cluster",
        "sparkVersion": section.spark,
        "image": section.image,
        "imagePullPolicy": "IfNotPresent",
        "mainApplicationFile": f"local://{job.artefact.entry}",
        "arguments": [job.configuration],
        "sparkConf": {name: value for name, value in settings.items() if name not in (*SIZES, JAVA_OPTIONS)},
        "restartPolicy": {
            "type": "OnFailure",
            "onFailureRetries": RETRIES,
            "onFailureRetryInterval": RETRY_SECONDS,
            "onSubmissionFailureRetries": RETRIES,
            "onSubmissionFailureRetryInterval": RETRY_SECONDS,
        },
        "driver": {
            **pod,
            "cores": size.driver_cores,
            "memory": f"{size.driver_memory_mib}m",
            "memoryOverhead": f"{size.driver_overhead_mib}m",
            "javaOptions": settings[JAVA_OPTIONS],
        },
        "executor": {
            **pod,
            "instances": size.executors,
            "cores": size.executor_cores,
            "memory": f"{size.executor_memory_mib}m",
            "memoryOverhead": f"{size.overhead_mib}m",
            "deleteOnTermination": True,
        },
    }
    if section.image_pull_secrets:
        spec["imagePullSecrets"] = list(section.image_pull_secrets)
    return {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "SparkApplication",
        "metadata": {"name": object_name(job.application), "namespace": job.runtime.namespace, "labels": marks},
        "spec": spec,
    }


def _pod(job: EngineJob, section: Kubernetes, marks: Mapping[str, str]) -> dict[str, Any]:
    """Executors read and write as the same service account: they are the engine too."""
    pod: dict[str, Any] = {
        "serviceAccount": job.runtime.service_account,
        "labels": dict(marks),
        "nodeSelector": {"kubernetes.io/arch": CPU_OF[section.architecture], **section.node_selector},
        "terminationGracePeriodSeconds": section.termination_seconds,
    }
    if section.tolerations:
        pod["tolerations"] = tolerations(section)
    if section.keys_secret is not None:
        pod["envSecretKeyRefs"] = {key: {"name": section.keys_secret, "key": key} for key in KEYS}
    return pod


def tolerations(section: Kubernetes) -> list[dict[str, str]]:
    return [
        {"key": each.key, "operator": "Exists", "effect": each.effect}
        if each.value is None
        else {"key": each.key, "operator": "Equal", "value": each.value, "effect": each.effect}
        for each in section.tolerations
    ]


def status_of(found: Mapping[str, Any]) -> ApplicationStatus:
    status = found.get("status", {})
    state = status.get("applicationState", {})
    attempts = max(status.get("executionAttempts", 0), status.get("submissionAttempts", 0))
    return ApplicationStatus(STATES[state.get("state", "")], attempts, state.get("errorMessage", ""))


FLAVOUR = Flavour("kubeflow spark-operator", "sparkoperator.k8s.io/v1beta2", status_of, suspends=True)
