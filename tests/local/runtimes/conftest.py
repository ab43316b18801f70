"""An EMR Serverless in this process whose jobs run when and how a test says."""

import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import boto3
import pytest
from botocore.config import Config

from firnline_local.clock import SystemClock
from firnline_local.faults import FaultPlan
from firnline_local.runtimes.jobs.submission import LaunchRefused, Submission
from firnline_local.runtimes.server import RuntimesApplication
from firnline_local.wsgi import WsgiServer

ACCOUNT, REGION = "123456789012", "us-east-1"
ROLE = f"arn:aws:iam::{ACCOUNT}:role/engine"
HANGS_S = 20.0


@dataclass
class Played:
    """An attempt that ends when it is told to."""

    submission: Submission
    over: threading.Event = field(default_factory=threading.Event)
    reason: str | None = None
    stopped_with: list[float] = field(default_factory=list)

    def wait(self) -> str | None:
        assert self.over.wait(HANGS_S)
        return self.reason

    def end(self, reason: str | None = None) -> None:
        self.reason = reason
        self.over.set()

    def stop(self, grace_s: float) -> None:
        self.stopped_with.append(grace_s)

    def kill(self) -> None:
        self.end("killed")

    def log(self) -> str:
        return f"the driver of {self.submission.name}\n"


class Stage:
    """The place where attempts are launched."""

    def __init__(self) -> None:
        self.attempts: list[Played] = []
        self.refuses: str | None = None
        self._launched = threading.Condition()

    def __call__(self, submission: Submission, /) -> Played:
        if self.refuses is not None:
            raise LaunchRefused(self.refuses)
        with self._launched:
            self.attempts.append(Played(submission))
            self._launched.notify_all()
            return self.attempts[-1]

    def attempt(self, number: int = 1) -> Played:
        """The one with that number, counted over all runs, once it is there."""
        with self._launched:
            assert self._launched.wait_for(lambda: len(self.attempts) >= number, HANGS_S)
            return self.attempts[number - 1]


@dataclass
class Service:
    client: Any
    stage: Stage
    application: RuntimesApplication
    clock: SystemClock = field(default_factory=SystemClock)
    endpoint: str = ""

    def create(self, **more: Any) -> str:
        made = self.client.create_application(type="SPARK", releaseLabel="emr-spark-8.1.0", **more)
        return str(made["applicationId"])

    def start(self, application: str, **more: Any) -> str:
        driver = {"sparkSubmit": {"entryPoint": "s3://bucket/entry.py"}}
        request = {"executionRoleArn": ROLE, "jobDriver": driver, "mode": "STREAMING", **more}
        return str(self.client.start_job_run(applicationId=application, **request)["jobRunId"])

    def run(self, application: str, run: str) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get_job_run(applicationId=application, jobRunId=run)["jobRun"]
        return found

    def until(self, application: str, run: str, state: str) -> dict[str, Any]:
        """The run once it has the state; its thread is woken by what the test did before."""
        pause = threading.Event()
        for _ in range(int(HANGS_S / 0.01)):
            if (found := self.run(application, run))["state"] == state:
                return found
            pause.wait(0.01)
        raise AssertionError(found)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    stage, clock = Stage(), SystemClock()
    application = RuntimesApplication(
        tmp_path, account=ACCOUNT, region=REGION, faults=FaultPlan(), launch=stage, clock=clock
    )
    with WsgiServer(application, name="runtimes") as server:
        yield Service(client_of(server.endpoint), stage, application, clock, server.endpoint)
    application.stop()


def client_of(endpoint: str, service: str = "emr-serverless") -> Any:
    """A boto3 client that tries only once."""
    factory: Callable[..., Any] = boto3.client
    return factory(
        service,
        region_name=REGION,
        endpoint_url=endpoint,
        aws_access_key_id="a",
        aws_secret_access_key="b",
        config=Config(retries={"total_max_attempts": 1}, parameter_validation=False),
    )
