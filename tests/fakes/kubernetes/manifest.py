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
    """What both operators' resources come to."""

    name: str
    namespace: str
    image: str
    service_account: str
    entry: str
    arguments: tuple[str, ...]
    conf: Mapping[str, str]
    grace_s: float
    labels: Mapping[str, str]

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
    )


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
    )
