"""The engine's runtime: who gets its role's rights, how large it is, and where its job runs.

With none of the sections `emr_serverless`, `emr_eks`, `emr_ec2`, `kubernetes` the engine is started by hand.
"""

from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from firnline_infra.specification.kubernetes_names import NAMESPACE, OBJECT_NAME
from firnline_infra.specification.origin import CreateOrAdopt, Origin
from firnline_infra.specification.runtimes.emr_ec2 import EmrEc2
from firnline_infra.specification.runtimes.emr_eks import EmrEks
from firnline_infra.specification.runtimes.emr_serverless import EmrServerless
from firnline_infra.specification.runtimes.options import ROLE_NAME
from firnline_infra.specification.runtimes.spark_operator import Kubernetes
from firnline_infra.specification.statements import ExtraStatement
from firnline_ingest.config.access import AwsOptions
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

OIDC_PROVIDER = Form(
    r"[a-z0-9.-]+(/[A-Za-z0-9._/-]+)?",
    "the address of an OpenID Connect provider without https://",
    "oidc.eks.eu-west-1.amazonaws.com/id/1A2B3C",
)
ROLE_ARN = Form(
    r"arn:[a-z-]+:iam::\d{12}:role/[\w+=,.@/-]+", "the ARN of an IAM role", "arn:aws:iam::123456789012:role/ingest"
)
EKS_CLUSTER = Form(
    r"[0-9A-Za-z][A-Za-z0-9_-]{0,99}", "1 to 100 letters, digits, _ and -, the first no sign", "platform"
)


class Trust(StrEnum):
    """Says who may be the engine on AWS."""

    EMR_SERVERLESS = "emr-serverless"
    """Jobs of EMR Serverless in this account."""
    EMR_EKS = "emr-eks"
    """The service accounts that EMR on EKS makes for its jobs, through the cluster's OpenID Connect provider."""
    EMR_EC2 = "emr-ec2"
    """The machines of an EMR cluster in this account, through an instance profile."""
    IRSA = "irsa"
    """One Kubernetes service account, through the cluster's OpenID Connect provider."""
    POD_IDENTITY = "pod-identity"
    """One Kubernetes service account, through EKS Pod Identity."""
    STATIC_KEYS = "static-keys"
    """A user with access keys, for what runs outside AWS. `firnline keys create --aws` makes them."""
    NOBODY = "nobody"
    """The engine runs with whatever credentials its machine has."""


ROLELESS = (Trust.NOBODY, Trust.STATIC_KEYS)
"""Engines that are no role in AWS."""


class RollOutOrder(StrEnum):
    """The order in which one engine takes another one's place."""

    STANDBY = "standby"
    """The new one is started beside the old one, and comes up before that is asked to stop; where there is no room for both, as
    `stop_first`, which `firnline deploy` then says."""
    STOP_FIRST = "stop_first"
    """The new one is started when the old one is gone: nothing is read while Spark starts."""


class Sizing(Section):
    """The size of the engine. What is absent follows from the number of shards (docs/runtimes/sizing.md)."""

    shards: int | None = Field(default=None, ge=1, le=100_000)
    """The shards to be ready for. Where absent: those that the streams are made with; 4 for a stream that is on demand or
    adopted, whose number only AWS knows."""
    driver_cores: int | None = Field(default=None, ge=1, le=96)
    """Cores of the driver, which plans and commits; it moves no record."""
    driver_memory_mib: int | None = Field(default=None, ge=1024, le=786_432)
    """MiB of the driver's JVM."""
    executors: int | None = Field(default=None, ge=1, le=5000)
    """How many executors. Their number does not change while the engine runs: a new one would reopen channels."""
    executor_cores: int | None = Field(default=None, ge=1, le=96)
    """Cores, and so tasks at once, of each executor; a task reads up to `epoch.shards_per_task` shards."""
    executor_memory_mib: int | None = Field(default=None, ge=1024, le=786_432)
    """MiB of each executor's JVM, which moves no record either."""
    overhead_mib: int | None = Field(default=None, ge=384, le=786_432)
    """MiB beside the JVM of each executor, where the Python workers are that read and write; 1 GiB a core by default.
    Watch for containers that are killed for their memory."""


SECTIONS: dict[str, tuple[Trust, ...]] = {
    "emr_serverless": (Trust.EMR_SERVERLESS,),
    "emr_eks": (Trust.EMR_EKS, Trust.POD_IDENTITY),
    "emr_ec2": (Trust.EMR_EC2,),
    "kubernetes": (Trust.IRSA, Trust.POD_IDENTITY, Trust.STATIC_KEYS),
}
"""The sections that say where the engine's job runs, and who may be the engine there."""


class Runtime(AwsOptions):
    """Identity, size and place of the engine. At most one of `emr_serverless`, `emr_eks`, `emr_ec2`, `kubernetes`; with none, the
    engine is started by hand."""

    trust: Trust = Field(default=Trust.EMR_SERVERLESS, strict=False)
    """Who gets the role's rights. EMR Serverless by default: no machine to keep, no key to rotate."""
    oidc_provider: Annotated[str, OIDC_PROVIDER] | None = None
    """The cluster's, without https://: oidc.eks.eu-west-1.amazonaws.com/id/…; with `irsa` and `emr-eks`."""
    cluster: Annotated[str, EKS_CLUSTER] | None = None
    """The name of the EKS cluster: with `pod-identity` the one where the role is associated, with `emr_eks` the one that is
    asked whether pods of an ended job are left."""
    association: CreateOrAdopt = Origin.CREATE
    """With `pod-identity`, who associates the role with the service account, or with the three that EMR on EKS makes for a job:
    `create` does, and `adopt` says that it is associated already."""
    namespace: Annotated[str, NAMESPACE] | None = None
    """The Kubernetes namespace that the engine runs in; with `irsa`, `pod-identity`, `emr-eks` and `kubernetes`."""
    service_account: Annotated[str, OBJECT_NAME] | None = None
    """The Kubernetes service account of the engine's pods; with `irsa`, `pod-identity` and `kubernetes`."""
    role: Annotated[str, ROLE_NAME] | None = None
    """The name of the engine's IAM role; <application>-engine by default."""
    role_arn: Annotated[str, ROLE_ARN] | None = None
    """An IAM role that exists, for the engine to run as: it is adopted, and its owner gives it the policy and the trust that
    the stack's outputs engine_policy and engine_trust hold."""
    statements: list[ExtraStatement] = Field(default=[])
    """Rights of the engine beside those that Firnline knows it needs, for a transform of yours or a rule of your company. An
    administrator applies `firnline bootstrap` again for them: they work within the permissions boundary."""
    modules: list[str] = Field(default=[])
    """Python files and folders of packages that go into the engine's archive, by their paths beside the specification: for
    transforms of type `callable` (docs/transforms.md). What else they import has to be in the archive already. Other content is
    another archive, and rolls the engine."""
    native_wheel: str | None = None
    """A wheel of firnline-native for the engine's machines, by its path beside the specification: it makes rows several times
    faster, and they are the same (docs/build.md). Rows are made in Python by default. Another wheel is another archive, and rolls
    the engine."""
    python: Literal["3.11", "3.12", "3.13"] = "3.13"
    """Of the engine's archive. EMR 8.1 has 3.11 and 3.13; 3.11 is slow with Spark 4.0 and 4.1 (SPARK-54744)."""
    size: Sizing = Sizing.default()
    """How large the engine is."""
    rollout: RollOutOrder = Field(default=RollOutOrder.STANDBY, strict=False)
    """How `firnline deploy` replaces an engine. With `standby` two are up for some minutes, and are paid for; nothing is read for
    seconds, where it is a start of Spark with `stop_first`. Watch for the capacity that both need (docs/rollout.md)."""
    spark_conf: dict[str, str] = Field(default={})
    """Settings of Spark beside ours, for example of a company's metrics. What keeps rows from being written twice can't be
    changed here."""
    emr_serverless: EmrServerless | None = None
    """The engine is a streaming job of EMR Serverless."""
    emr_eks: EmrEks | None = None
    """The engine is a job of EMR on EKS."""
    emr_ec2: EmrEc2 | None = None
    """The engine is a step of an EMR cluster."""
    kubernetes: Kubernetes | None = None
    """The engine is an application of a Spark operator."""

    @property
    def kind(self) -> str | None:
        """The name of the section that says where the job runs; None if the engine is started by hand."""
        return next((name for name in SECTIONS if getattr(self, name) is not None), None)

    @property
    def job(self) -> EmrServerless | EmrEks | EmrEc2 | Kubernetes | None:
        """The section of the runtime that runs the job; None if it is started by hand."""
        return self.emr_serverless or self.emr_eks or self.emr_ec2 or self.kubernetes

    @property
    def has_repository(self) -> bool:
        """True if the stack makes one for images: the engine runs on Kubernetes, and its image is not given."""
        return self.kubernetes is not None and self.kubernetes.image is None

    @model_validator(mode="after")
    def _an_adopted_role_has_its_name(self) -> Self:
        if self.role is not None and self.role_arn is not None:
            raise ValueError("role_arn names a role that exists, and role one that is made; give one of them")
        return self

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        given = [name for name in SECTIONS if getattr(self, name) is not None]
        if len(given) > 1:
            raise ValueError(f"give one of {', '.join(given)}: one engine runs in one place")
        for name in given:
            if self.trust not in SECTIONS[name]:
                expected = " or ".join(each.value for each in SECTIONS[name])
                raise ValueError(f"{name} needs trust: {expected}, not {self.trust.value}")
        return self

    @model_validator(mode="after")
    def _pods_are_named(self) -> Self:
        needed, allowed = self._about_pods()
        if lacking := [name for name in needed if getattr(self, name) is None]:
            raise ValueError(f"{self._asks()} needs {' and '.join(lacking)}")
        given = [name for name in ABOUT_PODS if getattr(self, name) is not None and name not in allowed]
        if given:
            raise ValueError(f"{', '.join(given)}: {self._asks()} has no use for it; remove it")
        if self.association is Origin.ADOPT and self.trust is not Trust.POD_IDENTITY:
            raise ValueError(f"association: {self._asks()} has no use for it; remove it")
        return self

    def _asks(self) -> str:
        return f"trust: {self.trust.value}" + (f" with {self.kind}" if self.kind else "")

    def _about_pods(self) -> tuple[set[str], set[str]]:
        """The fields about pods that have to be given, and those that may be."""
        whose = set[str]() if self.emr_eks else {"service_account"}  # EMR makes its own
        needed = {
            Trust.EMR_EKS: {"oidc_provider", "namespace"},
            Trust.IRSA: {"oidc_provider", "namespace"} | whose,
            Trust.POD_IDENTITY: {"cluster", "namespace"} | whose,
            Trust.STATIC_KEYS: {"namespace"} | whose if self.kubernetes else set[str](),
        }.get(self.trust, set[str]())
        if self.emr_eks is not None and self.emr_eks.origin is Origin.CREATE:
            needed = needed | {"cluster"}
        return needed, needed | ({"cluster"} if needed else set())


ABOUT_PODS = ("oidc_provider", "cluster", "namespace", "service_account")
