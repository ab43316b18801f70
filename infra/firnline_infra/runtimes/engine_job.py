"""The job of an environment's engine, from its specification and from what only exists once the stack was made."""

from collections.abc import Mapping
from dataclasses import replace

from firnline_infra.blueprint.proxy import variables_of_proxy
from firnline_infra.blueprint.size import size_of_specification
from firnline_infra.blueprint.spark_s3 import spark_s3_settings
from firnline_infra.environment import Environment
from firnline_infra.runtimes.errors import StartedByHand
from firnline_infra.runtimes.job import Artefact, EngineJob
from firnline_infra.runtimes.registry import RUNTIMES
from firnline_infra.runtimes.spark_conf import JAVA_OPTIONS, engine_conf
from firnline_infra.specification.model import EnvironmentSpec


def engine_job(
    spec: EnvironmentSpec,
    *,
    artefact: Artefact,
    configuration: str,
    configuration_hash: str,
    role_arn: str | None,
    logs: str | None,
    place: str = "",
    endpoints: Mapping[str, str] | None = None,
) -> EngineJob:
    """Raises StartedByHand where the specification has no section that says where the job runs, and JobRefused where the service
    would refuse it."""
    environment, runtime = Environment.of(spec), spec.aws.runtime
    if runtime.kind is None:
        raise StartedByHand(spec.name)
    rendering = RUNTIMES[runtime.kind].job
    job = EngineJob(
        application=environment.names.application,
        environment=spec.name,
        region=spec.aws.region,
        runtime=runtime,
        role_arn=role_arn,
        artefact=artefact,
        configuration=configuration,
        configuration_hash=configuration_hash,
        logs=logs,
        size=size_of_specification(environment),
        spark_conf={},
        endpoints=endpoints or {},
        tags=spec.tags,
        place=place,
    )
    conf = engine_conf(
        artefact, rendering.driver_variable, spec.aws.region, job.endpoints, variables=variables_of_proxy(environment)
    )
    options = f"{conf[JAVA_OPTIONS]} {runtime.spark_conf.get(JAVA_OPTIONS, '')}".strip()
    s3 = spark_s3_settings(
        environment, job.endpoints.get("s3")
    )  # the first to open S3 is Spark itself, for the archive
    job = replace(job, spark_conf={**conf, **s3, **runtime.spark_conf, JAVA_OPTIONS: options})
    return replace(job, hash=rendering.hash_of(job))
