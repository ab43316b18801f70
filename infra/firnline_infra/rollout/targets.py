"""What an environment's artefact is built for: the Python, the processors and the Spark of its runtime."""

import re

from firnline_infra.build import Target, target_of
from firnline_infra.runtimes.errors import StartedByHand
from firnline_infra.specification import EnvironmentSpec

SPARK_OF = {"emr-spark-8.0.0": "4.0.2", "emr-spark-8.1.0": "4.1.1"}
"""By release of EMR (Release Guide, "Amazon EMR releases with Spark 4")."""
NEWEST = "4.1.1"


def target_of_specification(spec: EnvironmentSpec) -> Target:
    """Raises StartedByHand, and TargetUnsupported."""
    runtime = spec.aws.runtime
    job = runtime.job
    if job is None:
        raise StartedByHand(spec.name)
    if runtime.kubernetes is not None:
        spark = runtime.kubernetes.spark
    else:
        label = re.match(r"emr-spark-\d+\.\d+\.\d+", getattr(job, "release", ""))
        spark = SPARK_OF.get(label[0] if label else "", NEWEST)
    return target_of(python=runtime.python, architecture=job.architecture.value, spark=spark)
