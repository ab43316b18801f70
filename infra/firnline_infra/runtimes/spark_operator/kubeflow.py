"""The engine as a SparkApplication of kubeflow/spark-operator, sparkoperator.k8s.io/v1beta2.

Restarted on failure alone: an engine that was asked to stop ends with 0, and has to stay ended. A change of an object's spec
would end the driver and not wait for executors: each start is an object of its own, and one that is in the way is suspended.
"""

from collections.abc import Mapping
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.naming import labels, run_name
from firnline_infra.runtimes.render import Start
from firnline_infra.runtimes.service import RunState
from firnline_infra.runtimes.spark_conf import JAVA_OPTIONS, SIZES, all_conf
from firnline_infra.runtimes.spark_operator import pod
from firnline_infra.runtimes.spark_operator.flavour import ApplicationStatus, Flavour
from firnline_infra.specification.runtimes.spark_operator import Kubernetes

RETRIES = 1000
RETRY_SECONDS = 10
"""The operator waits so long times the attempts so far: longer each time."""
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


def spark_application(job: EngineJob, section: Kubernetes, start: Start) -> dict[str, Any]:
    settings, size, marks = all_conf(job), job.size, labels(start.tags)
    common = _pod(job, section, marks)
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
            **common,
            "cores": size.driver_cores,
            "memory": f"{size.driver_memory_mib}m",
            "memoryOverhead": f"{size.driver_overhead_mib}m",
            "javaOptions": settings[JAVA_OPTIONS],
        },
        "executor": {
            **common,
            "instances": size.executors,
            "cores": size.executor_cores,
            "memory": f"{size.executor_memory_mib}m",
            "memoryOverhead": f"{size.overhead_mib}m",
            "deleteOnTermination": True,
        },
    }
    if section.image_pull_secrets:
        spec["imagePullSecrets"] = list(section.image_pull_secrets)
    if section.volumes:
        spec["volumes"] = pod.volumes(section)
    return {
        "apiVersion": "sparkoperator.k8s.io/v1beta2",
        "kind": "SparkApplication",
        "metadata": {
            "name": run_name(job.application, start.token),
            "namespace": job.runtime.namespace,
            "labels": marks,
        },
        "spec": spec,
    }


def _pod(job: EngineJob, section: Kubernetes, marks: Mapping[str, str]) -> dict[str, Any]:
    """Executors read and write as the same service account: they are the engine too."""
    optional = {
        "annotations": dict(section.annotations),
        "tolerations": pod.tolerations(section),
        "env": pod.variables(section),
        "volumeMounts": pod.mounts(section),
    }
    return {
        "serviceAccount": job.runtime.service_account,
        "labels": dict(marks),
        "nodeSelector": pod.node_selector(section),
        "terminationGracePeriodSeconds": section.termination_seconds,
        "podSecurityContext": pod.pod_security(section),
        "securityContext": pod.CONTAINER_SECURITY,
        **{name: value for name, value in optional.items() if value},
    }


def status_of(found: Mapping[str, Any]) -> ApplicationStatus:
    status = found.get("status", {})
    state = status.get("applicationState", {})
    attempts = max(status.get("executionAttempts", 0), status.get("submissionAttempts", 0))
    return ApplicationStatus(STATES[state.get("state", "")], attempts, state.get("errorMessage", ""))


FLAVOUR = Flavour("kubeflow spark-operator", "sparkoperator.k8s.io/v1beta2", status_of, suspends=True)
