"""The engine's pods on Kubernetes, and the operator that runs them."""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_infra.specification.kubernetes_names import OBJECT_NAME
from firnline_infra.specification.origin import CreateOrAdopt, Origin
from firnline_infra.specification.runtimes.options import Architecture
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
    """The taint's value; any by default."""
    effect: Literal["NoSchedule", "PreferNoSchedule", "NoExecute"] = "NoSchedule"
    """What the taint does to others."""


class Volume(Section):
    """A volume of driver and executors, of a kind that Pod Security "restricted" admits."""

    name: str = Field(pattern=r"^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$")
    """A DNS label."""
    path: str = Field(pattern=r"^/[^:]+$")
    """Where it is mounted."""
    config_map: Annotated[str, OBJECT_NAME] | None = None
    """The ConfigMap of the namespace that it shows, read-only."""
    secret: Annotated[str, OBJECT_NAME] | None = None
    """The Secret of the namespace that it shows, read-only."""
    secret_provider_class: Annotated[str, OBJECT_NAME] | None = None
    """The SecretProviderClass of the namespace whose secrets the Secrets Store CSI driver shows, read-only: of HashiCorp Vault,
    Azure Key Vault, and others."""
    claim: Annotated[str, OBJECT_NAME] | None = None
    """The PersistentVolumeClaim that it is; driver and executors on several nodes need one that many may mount."""
    empty_dir: str | None = Field(default=None, pattern=r"^[0-9]+(Mi|Gi)$")
    """An empty folder of at most this size, such as 20Gi, which goes with its pod; Spark's own files are in one that is named
    spark-local-dir-1."""

    @model_validator(mode="after")
    def _is_one_thing(self) -> Self:
        kinds = [name for name in Volume.model_fields if name not in ("name", "path")]
        if sum(getattr(self, kind) is not None for kind in kinds) != 1:
            raise ValueError(f"give one of {', '.join(kinds)}")
        return self


class Operator(StrEnum):
    """The operator that runs Spark applications in the cluster."""

    KUBEFLOW = "kubeflow"
    """kubeflow/spark-operator, sparkoperator.k8s.io/v1beta2."""
    APACHE = "apache"
    """apache/spark-kubernetes-operator, spark.apache.org/v1."""


class Kubernetes(Section):
    """A Spark operator on Kubernetes; `runtime.namespace` and `runtime.service_account` say where and as whom."""

    operator: Operator = Field(default=Operator.KUBEFLOW, strict=False)
    """Which one the cluster has; it has to be there already."""
    origin: CreateOrAdopt = Origin.CREATE
    """`create`: `firnline deploy` makes and updates service account, rights, network policy and disruption budget; `adopt`: they
    are made elsewhere, for example from `firnline outputs ENV --kubernetes`."""
    context: str | None = Field(default=None, min_length=1)
    """Of the kubeconfig that `firnline deploy` uses; the current one by default. Give it: the current one is anybody's."""
    image: Annotated[str, IMAGE] | None = None
    """The engine's, in a registry of yours; `firnline build --image` makes it, and a digest keeps what was reviewed. Absent:
    a repository is made in ECR, into which `firnline deploy` builds and pushes the image where it is not there yet."""
    image_pull_secrets: list[Annotated[str, OBJECT_NAME]] = Field(default=[])
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
    run_as_user: int = Field(default=185, ge=1, le=65_535)
    """The number of the image's user: 185 in images of the Spark project. Root is none of them."""
    annotations: dict[str, str] = Field(default={})
    """Of the pods of driver and executors, for example for a mesh or a collector of logs."""
    environment: dict[str, str] = Field(default={})
    """Variables of driver and executors, for example a proxy. Nothing secret: the object shows them."""
    volumes: list[Volume] = Field(default=[])
    """Volumes of driver and executors."""
    network_policy: bool = True
    """Lets nothing into the pods but the application's own, and a scrape of `metrics.prometheus`."""
    disruption_budget: bool = True
    """Keeps drains of nodes from evicting driver and executors together."""
    keys_secret: Annotated[str, OBJECT_NAME] | None = None
    """With trust: static-keys, the secret of the namespace that has AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY."""

    def lacks_python(self, _: str) -> str:
        """Returns nothing: which Python an image has is not known here."""
        return ""
