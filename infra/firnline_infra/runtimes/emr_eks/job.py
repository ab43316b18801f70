"""The engine as a job of EMR on EKS: the request of StartJobRun (botocore 1.44, emr-containers 2020-10-01).

EMR starts the driver's pod again where it fails or is deleted; the service has no cancel with a grace, so that an engine is
stopped through its ledger first.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.limits import refused_classifications, refused_entry, refused_tags
from firnline_infra.runtimes.machine_prices import MachinePrices
from firnline_infra.runtimes.naming import CPU_OF, short_name
from firnline_infra.runtimes.render import Rendering, Start
from firnline_infra.runtimes.spark_conf import all_conf

LONGEST_NAME, LONGEST_ENTRY, MOST_TAGS = 64, 256, 50
EVENT_LOGS = {
    "spark.eventLog.rotation.enabled": "true",
    "spark.eventLog.rotation.interval": "300s",
    "spark.eventLog.rotation.minFileSize": "1m",
    "spark.eventLog.rotation.maxFilesToRetain": "2",
}
"""A stream's log of events has no end: EMR on EKS cuts it into files and keeps the last ones."""
CONTAINER_LOGS = {"rotationSize": "100MB", "maxFilesToKeep": 10}


def start_job_run(job: EngineJob, start: Start) -> dict[str, Any]:
    section = job.runtime.emr_eks
    assert section is not None
    nodes = {"kubernetes.io/arch": CPU_OF[section.architecture]} | section.node_selector
    properties = {
        **all_conf(job),
        **EVENT_LOGS,
        **{f"spark.kubernetes.node.selector.{label}": value for label, value in sorted(nodes.items())},
    }
    request: dict[str, Any] = {
        "virtualClusterId": job.place,
        "clientToken": start.token,
        "name": short_name(job.application, job.hash, LONGEST_NAME),
        "executionRoleArn": job.role_arn,
        "releaseLabel": section.release,
        "jobDriver": {
            "sparkSubmitJobDriver": {"entryPoint": job.artefact.entry, "entryPointArguments": [job.configuration]}
        },
        "configurationOverrides": {
            "applicationConfiguration": [{"classification": "spark-defaults", "properties": properties}],
            "monitoringConfiguration": {"persistentAppUI": "ENABLED"},
        },
        "retryPolicyConfiguration": {"maxAttempts": section.attempts},
        "tags": dict(start.tags),
    }
    if job.logs is not None:
        request["configurationOverrides"]["monitoringConfiguration"] |= {
            "s3MonitoringConfiguration": {"logUri": job.logs},
            "containerLogRotationConfiguration": CONTAINER_LOGS,
        }
    if section.log_group is not None:
        request["configurationOverrides"]["monitoringConfiguration"]["cloudWatchMonitoringConfiguration"] = {
            "logGroupName": section.log_group,
            "logStreamNamePrefix": job.application,
        }
    return request


def refusals(job: EngineJob, request: dict[str, Any]) -> Iterator[str]:
    yield from refused_entry(job, LONGEST_ENTRY)
    yield from refused_classifications(request)
    yield from refused_tags(request, MOST_TAGS)


JOB = Rendering(
    service="EMR on EKS",
    driver_variable="spark.kubernetes.driverEnv.",
    request=start_job_run,
    refusals=refusals,
)
PRICES = MachinePrices(core_hour=("ec2_vcpu_hour_{architecture}", "emr_eks_vcpu_hour"), gb_hour=("emr_eks_gb_hour",))
