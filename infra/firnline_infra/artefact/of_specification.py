"""The target that an environment's specification asks for: the Python, the architecture and the Spark of where its
engine runs.
"""

from collections.abc import Callable
from pathlib import Path

from firnline_infra.artefact.assemble import unfit_wheel
from firnline_infra.artefact.errors import TargetUnsupported
from firnline_infra.artefact.lock import FILES
from firnline_infra.artefact.target import Target, target_of
from firnline_infra.blueprint.engine_config import metrics_config
from firnline_infra.environment import Environment
from firnline_infra.specification.model import EnvironmentSpec
from firnline_infra.specification.runtimes.options import NEWEST_SPARK
from firnline_ingest.errors import UsageError

BY_HAND = "x86_64"


def native_wheel_of(spec: EnvironmentSpec, target: Target, say: Callable[[str], object]) -> Path | None:
    """Returns the wheel of machine code that the specification names. One for the specification's machines, where somebody has
    asked for an archive of others, is left out, and `say` hears of it. Raises UsageError for one that fits neither.
    """
    if spec.aws.runtime.native_wheel is None:
        return None
    wheel = Path(spec.aws.runtime.native_wheel)
    if (why := unfit_wheel(wheel, target)) is None:
        return wheel
    if unfit_wheel(wheel, target_of_specification(spec)) is None:
        say(f"{wheel.name} {why}: rows are made in Python there.")
        return None
    raise UsageError(
        f"aws.runtime.native_wheel: {wheel.name} {why}.",
        next_step="name the wheel of this release, or none (docs/build.md).",
    )


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
