"""Options of EMR on EKS: what is made or adopted for the engine's job."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from firnline_infra.specification.origin import CreateOrAdopt, Origin
from firnline_infra.specification.runtimes.options import LOG_GROUP, PYTHONS, Architecture, lacks_python, spark_of
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

RELEASE = Form(
    r"emr-spark-\d+\.\d+\.\d+-(\d{8}|latest)", "a release of EMR on EKS with Spark 4", "emr-spark-8.1.0-20260812"
)
VIRTUAL_CLUSTER_ID = Form(r"[0-9a-z]{1,64}", "the id of a virtual cluster", "0123456789abcdefghijklmno")


class EmrEks(Section):
    """EMR on EKS: AWS's Spark in a namespace of an EKS cluster of yours; `runtime.namespace` and `runtime.cluster` say which."""

    origin: CreateOrAdopt = Origin.CREATE
    """`create` makes a virtual cluster over `runtime.namespace` of `runtime.cluster`, both of which are there already; `adopt`
    uses that of `virtual_cluster_id`."""
    virtual_cluster_id: Annotated[str, VIRTUAL_CLUSTER_ID] | None = None
    """Of the virtual cluster to adopt."""
    release: Annotated[str, RELEASE] = "emr-spark-8.1.0-20260812"
    """With its date: `latest` moves, and a restart would then run other code."""
    architecture: Architecture = Field(default=Architecture.ARM64, strict=False)
    """Of the nodes, and of the engine's archive."""
    attempts: int = Field(default=100, ge=1, le=10_000)
    """How often AWS starts the driver before it gives up."""
    node_selector: dict[str, str] = Field(default={})
    """Labels of the nodes that driver and executors run on."""
    log_group: Annotated[str, LOG_GROUP] | None = None
    """Gets the driver's and executors' logs, beside S3, and is made for it; CloudWatch then makes metrics of the engine's
    figures, and there are alarms on them."""

    @model_validator(mode="after")
    def _an_adopted_one_is_named(self) -> Self:
        if (self.origin is Origin.ADOPT) != (self.virtual_cluster_id is not None):
            raise ValueError("give virtual_cluster_id with origin: adopt, and only then")
        return self

    @property
    def spark(self) -> str:
        """The release's version of Spark."""
        return spark_of(self.release)

    def lacks_python(self, wanted: str) -> str:
        """Returns why the release does not run that Python; empty if it does."""
        return lacks_python(self.release, wanted, PYTHONS)
