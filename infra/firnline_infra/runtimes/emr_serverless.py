"""The engine as a streaming job of EMR Serverless: the request of StartJobRun (botocore 1.44, emr-serverless 2021-07-13).

Settings are properties of a classification, which are JSON: nothing has to be quoted as in `sparkSubmitParameters`.
"""

from collections.abc import Mapping
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.spark_conf import all_conf
from firnline_infra.specification.emr import EmrServerless


def start_job_run(job: EngineJob, section: EmrServerless, *, token: str, tags: Mapping[str, str]) -> dict[str, Any]:
    """A streaming run has no execution timeout; AWS starts it again from its checkpoint where it fails."""
    disk = f"{section.disk_gb}G"
    properties = all_conf(job) | {
        "spark.emr-serverless.driver.disk": disk,
        "spark.emr-serverless.executor.disk": disk,
    }
    return {
        "applicationId": job.place,
        "clientToken": token,
        "name": job.name,
        "executionRoleArn": job.role_arn,
        "mode": "STREAMING",
        "retryPolicy": {"maxFailedAttemptsPerHour": section.failures_per_hour},
        "jobDriver": {"sparkSubmit": {"entryPoint": job.artefact.entry, "entryPointArguments": [job.configuration]}},
        "configurationOverrides": {
            "applicationConfiguration": [{"classification": "spark-defaults", "properties": properties}],
            "monitoringConfiguration": _monitoring(job, section),
        },
        "tags": dict(tags),
    }


def _monitoring(job: EngineJob, section: EmrServerless) -> dict[str, Any]:
    monitoring: dict[str, Any] = {"managedPersistenceMonitoringConfiguration": {"enabled": True}}
    if job.logs is not None:
        monitoring["s3MonitoringConfiguration"] = {"logUri": job.logs}
    if section.log_group is not None:
        monitoring["cloudWatchLoggingConfiguration"] = {
            "enabled": True,
            "logGroupName": section.log_group,
            "logStreamNamePrefix": job.application,
        }
    return monitoring
