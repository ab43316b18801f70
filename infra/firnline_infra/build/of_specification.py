"""What an environment's specification asks for: the Python, the architecture and the Spark of where its engine runs."""

from firnline_infra.blueprint.engine_config import metrics_config
from firnline_infra.build.errors import TargetUnsupported
from firnline_infra.build.target import Target, target_of
from firnline_infra.specification.emr import EmrServerless
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.runtime import Kubernetes

SPARK = {"emr-spark-8.0.0": "4.0.2", "emr-spark-8.1.0": "4.1.1"}
"""By release (EMR's release notes); of releases after these it is newer, and of that line."""
NEWEST = "4.1.1"
PYTHONS = ("3.11", "3.13")
SERVERLESS_PYTHONS = {"emr-spark-8.1.0": ("3.11", "3.12", "3.13")}
BY_HAND = "x86_64"


def target_of_specification(
    spec: EnvironmentSpec, *, python: str | None = None, architecture: str | None = None, spark: str | None = None
) -> Target:
    """What is given wins over the specification. Raises TargetUnsupported."""
    runtime = spec.aws.runtime
    job = runtime.job
    wanted = python or runtime.python
    if job is None or isinstance(job, Kubernetes):
        found_spark = job.spark if job is not None else NEWEST
    else:
        release = "-".join(job.release.split("-")[:3])  # EMR on EKS: with its date
        found_spark = SPARK.get(release, NEWEST)
        pythons = SERVERLESS_PYTHONS.get(release, PYTHONS) if isinstance(job, EmrServerless) else PYTHONS
        if wanted not in pythons:
            raise TargetUnsupported([f"Python {wanted}: {release} has {', '.join(pythons)} there (aws.runtime.python)"])
    found = architecture or (BY_HAND if job is None else job.architecture.value)
    extras = metrics_config(spec).extras
    return target_of(python=wanted, architecture=found, spark=spark or found_spark, extras=extras)
