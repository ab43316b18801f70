"""An EMR on EC2 whose machines are this one, in this process."""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from firnline_local.faults import FaultPlan
from firnline_local.runtimes.emr_ec2.machines import Instances, MachinesHere
from firnline_local.runtimes.jobs.credentials import JobEndpoints
from firnline_local.runtimes.jobs.spark_home import Spark
from firnline_local.runtimes.server import RuntimesApplication
from firnline_local.wsgi import WsgiServer
from tests.local.runtimes.conftest import ACCOUNT, HANGS_S, REGION, client_of

GROUPS = [
    {"InstanceRole": "MASTER", "InstanceType": "m7g.xlarge", "InstanceCount": 1},
    {"InstanceRole": "CORE", "InstanceType": "m7g.xlarge", "InstanceCount": 3},
]
NO_AWS = JobEndpoints(aws="http://127.0.0.1:1", kinesis="http://127.0.0.1:1", region=REGION, account=ACCOUNT)


def nowhere() -> Spark:
    raise AssertionError("no step here needs Spark")


class Clusters:
    """An EMR whose machines are this one, without Spark."""

    def __init__(self, emr: Any, application: RuntimesApplication) -> None:
        self.emr, self.application = emr, application

    def make(self, **more: Any) -> str:
        instances = {"InstanceGroups": GROUPS, "KeepJobFlowAliveWhenNoSteps": True, **more.pop("Instances", {})}
        request = {"Name": "one", "ReleaseLabel": "emr-spark-8.1.0", "JobFlowRole": "engine", **more}
        return str(self.emr.run_job_flow(Instances=instances, **request)["JobFlowId"])

    def add(self, cluster: str, script: str, name: str = "step", **more: Any) -> str:
        jar = {"Jar": "command-runner.jar", "Args": ["bash", "-c", script]}
        (id_,) = self.emr.add_job_flow_steps(JobFlowId=cluster, Steps=[{"Name": name, "HadoopJarStep": jar, **more}])[
            "StepIds"
        ]
        return str(id_)

    def step(self, cluster: str, step: str) -> dict[str, Any]:
        found: dict[str, Any] = self.emr.describe_step(ClusterId=cluster, StepId=step)["Step"]["Status"]
        return found

    def until(self, cluster: str, step: str, state: str) -> dict[str, Any]:
        return until(lambda: self.step(cluster, step), lambda found: found["State"] == state)


def until(look: Callable[[], Any], is_it: Callable[[Any], bool], hangs_s: float = HANGS_S) -> Any:
    pause = threading.Event()
    for _ in range(int(hangs_s / 0.01)):
        if is_it(found := look()):
            return found
        pause.wait(0.01)
    raise AssertionError(found)


@contextmanager
def serving(folder: Path, spark: Callable[[], Spark] = nowhere) -> Iterator[Clusters]:
    def machines(asked: Instances) -> MachinesHere:
        return MachinesHere(folder / asked.name, asked, places=NO_AWS, spark=spark, on_session=lambda *_: None)

    application = RuntimesApplication(folder, account=ACCOUNT, region=REGION, faults=FaultPlan(), machines=machines)
    with WsgiServer(application, name="runtimes") as server:
        yield Clusters(client_of(server.endpoint, "emr"), application)
    application.stop()
