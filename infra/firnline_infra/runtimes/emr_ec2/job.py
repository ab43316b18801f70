"""The engine as a step of an EMR cluster: the request of AddJobFlowSteps (botocore 1.44, emr 2009-03-31).

The step is spark-submit on the primary node, and waits; the engine is a YARN application. Cancelling the step ends the first
alone: an engine is stopped through its ledger, and its YARN application is what says that it is gone. Steps have no tags, so
the name and YARN's tags say what runs.
"""

from collections.abc import Iterator
from typing import Any

from firnline_infra.runtimes.job import EngineJob
from firnline_infra.runtimes.machine_prices import MachinePrices
from firnline_infra.runtimes.render import Rendering, Start
from firnline_infra.runtimes.spark_conf import all_conf

LONGEST_NAME, LONGEST_ARGUMENT = 256, 10_280
CONTEXT_WITHIN = "900s"
"""For the driver's Python to make its Spark context, as long as a roll-out waits for an engine to begin. After Spark's own 100 s
YARN's application master ends the attempt (exit status 13): on a busy machine, or where the ledger is away for a moment."""


def add_job_flow_steps(job: EngineJob, start: Start) -> dict[str, Any]:
    """The step's name is the application and the job's hash, with a blank between. The service has no token here: whoever starts
    looks at the steps first."""
    section = job.runtime.emr_ec2
    assert section is not None
    settings = (
        {"spark.yarn.am.waitTime": CONTEXT_WITHIN}
        | all_conf(job)
        | {
            "spark.yarn.maxAppAttempts": str(section.attempts),
            "spark.yarn.am.attemptFailuresValidityInterval": "1h",
            "spark.yarn.submit.waitAppCompletion": "true",
            "spark.yarn.tags": f"firnline-application-{job.application},{start_tag(start.token)}",
        }
    )
    conf = [part for name, value in sorted(settings.items()) for part in ("--conf", f"{name}={value}")]
    arguments = ["spark-submit", "--deploy-mode", "cluster", "--name", job.name, *conf]
    step = {
        "Name": f"{job.application} {job.hash}",
        "ActionOnFailure": "CONTINUE",
        "HadoopJarStep": {"Jar": "command-runner.jar", "Args": [*arguments, job.artefact.entry, job.configuration]},
    }
    return {"JobFlowId": job.place, "Steps": [step]}


def start_tag(token: str) -> str:
    """The tag by which YARN finds the application of a start; a step that somebody cloned has the same."""
    return f"firnline-start-{token}"


def refusals(_: EngineJob, request: dict[str, Any]) -> Iterator[str]:
    (step,) = request["Steps"]
    if len(step["Name"]) > LONGEST_NAME:
        yield f"application: makes a step's name of {len(step['Name'])} characters; {LONGEST_NAME} are taken."
    for argument in step["HadoopJarStep"]["Args"]:
        if len(argument) > LONGEST_ARGUMENT:
            name = argument.partition("=")[0]
            yield f"aws.runtime.spark_conf.{name}: a step's argument has {LONGEST_ARGUMENT} characters at most."


JOB = Rendering(
    service="EMR", driver_variable="spark.yarn.appMasterEnv.", request=add_job_flow_steps, refusals=refusals
)
PRICES = MachinePrices(core_hour=("ec2_vcpu_hour_{architecture}",), share="emr_share_of_ec2")
