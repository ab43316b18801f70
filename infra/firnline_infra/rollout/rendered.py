"""The text of what a deploy would apply, for who applies it otherwise: a GitOps controller, or a job of the team's own.

For a Spark operator the objects around the engine and its SparkApplication, as YAML; for EMR the request that starts the job, as
JSON. The same specification, stack and artefact give the same text.
"""

import json
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.registry import rendering_of
from firnline_infra.specification import EnvironmentSpec
from firnline_infra.specification.origin import Origin

TOKEN_CHARACTERS = 12


def rendered(job: EngineJob, spec: EnvironmentSpec) -> str:
    """Renders one start, whose token is the job's hash: applied twice, it is one. Raises JobRefused."""
    request = rendering_of(job).render(job, token=job.hash[:TOKEN_CHARACTERS])
    if spec.aws.runtime.kubernetes is None:
        return f"{json.dumps(request, indent=2, sort_keys=True)}\n"
    return _manifests([*_around(spec), request])


def _around(spec: EnvironmentSpec) -> list[dict[str, Any]]:
    """Returns what `firnline deploy` would apply before; nothing if others do."""
    from firnline_infra.runtimes.spark_operator.kubernetes_prerequisites import kubernetes_prerequisites

    section = spec.aws.runtime.kubernetes
    return kubernetes_prerequisites(spec) if section is not None and section.origin is Origin.CREATE else []


def _manifests(objects: list[dict[str, Any]]) -> str:
    import yaml

    return yaml.safe_dump_all(objects, explicit_start=True, sort_keys=False, width=120)
