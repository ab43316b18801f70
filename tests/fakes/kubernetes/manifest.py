"""From a SparkApplication to what is run: program, arguments, settings, image, service account, grace, and the pods' labels."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

IN_IMAGE = "/opt/firnline"
DEFAULT_GRACE_S = 30
"""Of a pod that says nothing (Kubernetes, "Pod Lifecycle")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Manifest that both operators' resources come to."""

    name: str
    namespace: str
    image: str
    service_account: str
    entry: str
    arguments: tuple[str, ...]
    conf: Mapping[str, str]
    grace_s: float
    labels: Mapping[str, str]
    pods: Mapping[str, Mapping[str, Any]]
    """The specs of the pods that are made of it, by driver and executor."""

    def from_image(self, text: str, folder: Path) -> str:
        """A path in the image, as the folder that holds what the image holds has it."""
        return text.replace(IN_IMAGE, str(folder))


def of_kubeflow(document: Mapping[str, Any]) -> Manifest:
    spec, metadata = document["spec"], document["metadata"]
    driver, executor = spec["driver"], spec["executor"]
    own = {
        "spark.driver.cores": driver.get("cores"),
        "spark.driver.memory": driver.get("memory"),
        "spark.driver.memoryOverhead": driver.get("memoryOverhead"),
        "spark.driver.extraJavaOptions": driver.get("javaOptions"),
        "spark.executor.instances": executor.get("instances"),
        "spark.executor.cores": executor.get("cores"),
        "spark.executor.memory": executor.get("memory"),
        "spark.executor.memoryOverhead": executor.get("memoryOverhead"),
    }
    return Manifest(
        name=metadata["name"],
        namespace=metadata["namespace"],
        image=spec.get("image", ""),
        service_account=driver.get("serviceAccount", "default"),
        entry=spec.get("mainApplicationFile", "").removeprefix("local://"),
        arguments=tuple(spec.get("arguments", ())),
        conf={**spec.get("sparkConf", {}), **{name: str(value) for name, value in own.items() if value is not None}},
        grace_s=driver.get("terminationGracePeriodSeconds", DEFAULT_GRACE_S),
        labels=driver.get("labels", {}),
        pods={"driver": _webhooked("driver", driver, spec), "executor": _webhooked("executor", executor, spec)},
    )


def _webhooked(role: str, pod: Mapping[str, Any], spec: Mapping[str, Any]) -> dict[str, Any]:
    """Returns a pod as Spark makes it and the operator's mutating webhook leaves it (internal/webhook/sparkpod_defaulter.go)."""
    mounts = list(pod.get("volumeMounts", ()))
    names = {mount["name"] for mount in mounts}
    container = {
        "name": f"spark-kubernetes-{role}",
        "securityContext": pod.get("securityContext", {}),
        "volumeMounts": mounts,
        "env": list(pod.get("env", ())),
    }
    found = {
        "securityContext": pod.get("podSecurityContext", {}),
        "volumes": [each for each in spec.get("volumes", ()) if each["name"] in names],
        "hostNetwork": pod.get("hostNetwork", False),
        "nodeSelector": pod.get("nodeSelector", {}),
        "tolerations": list(pod.get("tolerations", ())),
        "terminationGracePeriodSeconds": pod.get("terminationGracePeriodSeconds", DEFAULT_GRACE_S),
    }
    return {**found, **_sparks(container, spec.get("image", ""), pod.get("serviceAccount", "default"))}


def _sparks(container: Mapping[str, Any], image: str, account: str) -> dict[str, Any]:
    """Returns what Spark says of each pod itself."""
    return {
        "containers": [{**container, "image": image}],
        "serviceAccountName": account,
        "restartPolicy": "Never",
    }


def of_apache(document: Mapping[str, Any]) -> Manifest:
    spec, metadata = document["spec"], document["metadata"]
    template, conf = spec.get("driverSpec", {}).get("podTemplateSpec", {}), spec.get("sparkConf", {})
    return Manifest(
        name=metadata["name"],
        namespace=metadata["namespace"],
        image=conf.get("spark.kubernetes.container.image", ""),
        service_account=conf.get("spark.kubernetes.authenticate.driver.serviceAccountName", "default"),
        entry=spec.get("pyFiles", "").split(",")[0].removeprefix("local://"),
        arguments=tuple(spec.get("driverArgs", ())),
        conf=conf,
        grace_s=template.get("spec", {}).get("terminationGracePeriodSeconds", DEFAULT_GRACE_S),
        labels=template.get("metadata", {}).get("labels", {}),
        pods={role: _templated(role, spec.get(f"{role}Spec", {}), conf) for role in ("driver", "executor")},
    )


def _templated(role: str, spec: Mapping[str, Any], conf: Mapping[str, str]) -> dict[str, Any]:
    """Spark takes the template's first container for its own."""
    pod = dict(spec.get("podTemplateSpec", {}).get("spec", {}))
    first, *others = pod.get("containers") or [{"name": f"spark-kubernetes-{role}"}]
    account = conf.get(f"spark.kubernetes.authenticate.{role}.serviceAccountName", "default")
    own = _sparks(first, conf.get("spark.kubernetes.container.image", ""), account)
    return {**pod, **own, "containers": [*own["containers"], *others]}
