"""The engine's pods on Kubernetes, and the operator that runs them."""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from firnline_infra.runtimes.options import Architecture
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

IMAGE = Form(
    r"[a-z0-9.:/_-]+(:[A-Za-z0-9_][A-Za-z0-9._-]{0,127}|@sha256:[0-9a-f]{64})",
    "an image with a tag or, better, a digest",
    "123456789012.dkr.ecr.eu-central-1.amazonaws.com/firnline@sha256:…",
)
SPARK_VERSION = Form(r"4\.\d+\.\d+", "a version of Spark 4", "4.1.1")


class Toleration(Section):
    """A taint of nodes that the pods put up with."""

    key: str
    """The taint's key."""
    value: str | None = None
    """The taint's value; any where absent."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"
    """What the taint does to others."""


class Operator(StrEnum):
    """Who runs Spark applications in the cluster."""

    KUBEFLOW = "kubeflow"
    """kubeflow/spark-operator, sparkoperator.k8s.io/v1beta2."""
    APACHE = "apache"
    """apache/spark-kubernetes-operator, spark.apache.org/v1."""


class Kubernetes(Section):
    """A Spark operator on Kubernetes; `runtime.namespace` and `runtime.service_account` say where and as whom."""

    operator: Operator = Field(default=Operator.KUBEFLOW, strict=False)
    """Which one the cluster has; it has to be there already."""
    context: str | None = Field(default=None, min_length=1)
    """Of the kubeconfig that `firnline deploy` uses; the current one where absent. Give it: the current one is anybody's."""
    image: Annotated[str, IMAGE]
    """The engine's: `firnline build` writes the Containerfile. A digest keeps what was reviewed."""
    image_pull_secrets: list[str] = Field(default=[])
    """Names of secrets of the namespace, where the registry asks."""
    spark: Annotated[str, SPARK_VERSION] = "4.1.1"
    """The image's version of Spark."""
    architecture: Architecture = Field(default=Architecture.ARM64, strict=False)
    """Of the nodes and the image; pods are kept off others."""
    node_selector: dict[str, str] = Field(default={})
    """Labels of the nodes that driver and executors run on."""
    tolerations: list[Toleration] = Field(default=[])
    """Taints of nodes that driver and executors put up with."""
    termination_seconds: int = Field(default=300, ge=240, le=3600)
    """How long a pod may take to end: longer than the engine needs for the proof of its last rows (180 s and a task's
    cancelling), so that a drain of a node loses no time to reconciliation."""
    disruption_budget: bool = True
    """Keeps drains of nodes from evicting driver and executors together."""
    keys_secret: str | None = Field(default=None, min_length=1)
    """With trust: static-keys, the secret of the namespace that has AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."""

    def lacks_python(self, _: str) -> str:
        """Nobody knows which Python an image has."""
        return ""
