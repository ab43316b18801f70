"""The target that an environment's specification asks for: the Python, the architecture and the Spark of where its
engine runs.
"""

from firnline_infra.artefact.errors import TargetUnsupported
from firnline_infra.artefact.lock import FILES
from firnline_infra.artefact.target import Target, target_of
from firnline_infra.blueprint.engine_config import metrics_config
from firnline_infra.environment import Environment
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.runtimes.options import NEWEST_SPARK

BY_HAND = "x86_64"


def target_of_specification(
    spec: EnvironmentSpec, *, python: str | None = None, architecture: str | None = None, spark: str | None = None
) -> Target:
    """Returns the target; what is given wins over the specification. Raises TargetUnsupported."""
    by_file = [FILES for pipeline in spec.pipelines if pipeline.goes_by_file]
    job, wanted = spec.aws.runtime.job, python or spec.aws.runtime.python
    if job is not None and (lacking := job.lacks_python(wanted)):
        raise TargetUnsupported([f"{lacking} (aws.runtime.python)"])
    return target_of(
        python=wanted,
        architecture=architecture or (job.architecture.value if job else BY_HAND),
        spark=spark or (job.spark if job else NEWEST_SPARK),
        extras=tuple(sorted({*metrics_config(Environment.of(spec)).extras, *by_file})),
    )
