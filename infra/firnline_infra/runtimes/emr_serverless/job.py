"""The engine as a streaming job of EMR Serverless: the request of StartJobRun (botocore 1.44, emr-serverless 2021-07-13).

Settings are properties of a classification, which are JSON: nothing has to be quoted as in `sparkSubmitParameters`.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.limits import refused_classifications, refused_entry, refused_tags
from firnline_infra.runtimes.machine_prices import MachinePrices
from firnline_infra.runtimes.render import Rendering, Start
from firnline_infra.runtimes.spark_conf import all_conf
from firnline_infra.specification.runtimes.emr_serverless import MIB_PER_GB, WORKERS_GB

LONGEST_ENTRY, MOST_TAGS = 4096, 200
NO_TIMEOUT = 0
"""Minutes; without it AWS cancels any run after 720, and starts no cancelled one again (user guide, "Considerations", and
GetJobRun in botocore; 2026-11-28)."""


def start_job_run(job: EngineJob, start: Start) -> dict[str, Any]:
    """A run that AWS starts again where its program fails, and that lasts until it is cancelled."""
    section = job.runtime.emr_serverless
    assert section is not None
    disk = f"{section.disk_gb}G"
    properties = all_conf(job) | {
        "spark.emr-serverless.driver.disk": disk,
        "spark.emr-serverless.executor.disk": disk,
    }
    return {
        "applicationId": job.place,
        "clientToken": start.token,
        "name": job.name,
        "executionRoleArn": job.role_arn,
        "mode": "STREAMING",
        "executionTimeoutMinutes": NO_TIMEOUT,
        "retryPolicy": {"maxFailedAttemptsPerHour": section.failures_per_hour},
        "jobDriver": {"sparkSubmit": {"entryPoint": job.artefact.entry, "entryPointArguments": [job.configuration]}},
        "configurationOverrides": {
            "applicationConfiguration": [{"classification": "spark-defaults", "properties": properties}],
            "monitoringConfiguration": _monitoring(job, section.log_group),
        },
        "tags": dict(start.tags),
    }


def _monitoring(job: EngineJob, log_group: str | None) -> dict[str, Any]:
    monitoring: dict[str, Any] = {"managedPersistenceMonitoringConfiguration": {"enabled": True}}
    if job.logs is not None:
        monitoring["s3MonitoringConfiguration"] = {"logUri": job.logs}
    if log_group is not None:
        monitoring["cloudWatchLoggingConfiguration"] = {
            "enabled": True,
            "logGroupName": log_group,
            "logStreamNamePrefix": job.application,
        }
    return monitoring


def refusals(job: EngineJob, request: dict[str, Any]) -> Iterator[str]:
    yield from _refused_workers(job)
    yield from refused_entry(job, LONGEST_ENTRY)
    yield from refused_classifications(request)
    yield from refused_tags(request, MOST_TAGS)


def _refused_workers(job: EngineJob) -> Iterator[str]:
    size = job.size
    workers = {
        "driver": (size.driver_cores, size.driver_memory_mib + size.driver_overhead_mib),
        "executor": (size.executor_cores, size.executor_memory_mib + size.overhead_mib),
    }
    for who, (cores, memory_mib) in workers.items():
        if cores not in WORKERS_GB:
            expected = ", ".join(map(str, WORKERS_GB))
            yield f"aws.runtime.size.{who}_cores: a worker of EMR Serverless has {expected} vCPUs, not {cores}."
        elif memory_mib > WORKERS_GB[cores][-1] * MIB_PER_GB:
            yield (
                f"aws.runtime.size.{who}_memory_mib: {memory_mib} MiB with what is beside the JVM; a worker with {cores} vCPUs "
                f"has {WORKERS_GB[cores][-1]} GB at the most. Give it more cores or less memory."
            )


JOB = Rendering(
    service="EMR Serverless",
    driver_variable="spark.emr-serverless.driverEnv.",
    request=start_job_run,
    refusals=refusals,
)
PRICES = MachinePrices(
    core_hour=("emr_serverless_vcpu_hour_{architecture}",),
    gb_hour=("emr_serverless_gb_hour_{architecture}",),
    is_by_worker=True,
)
