"""Machines of one cluster's steps: this machine, in a folder, as the cluster's role.

A step is what its arguments say, as command-runner.jar runs them on the primary node: `spark-submit …`, or `bash -c …`. Spark's
master is YARN, which starts with the first step that needs it. What of the primary node's own folders a step may name is a
folder here: the logs of steps.
"""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from firnline_local.runtimes.emr_ec2.metadata import InstanceMetadata
from firnline_local.runtimes.emr_ec2.yarn import USER, NodeSize, Yarn
from firnline_local.runtimes.jobs.container import STDERR, STDOUT, Container, Order
from firnline_local.runtimes.jobs.credentials import JobEndpoints, OnSession, RoleSession
from firnline_local.runtimes.jobs.log_sink import LogSink
from firnline_local.runtimes.jobs.spark_home import SMALL, Spark, java_variables, properties_file, service_defaults
from firnline_local.wsgi import WsgiServer

STEP_LOGS = "/mnt/var/log/hadoop/steps"
"""The folder of steps' logs on the primary node (Management Guide, "View log files")."""
NEED_YARN = ("spark-submit", "yarn ")
LINES = 5  # of a step that failed


@dataclass(frozen=True, slots=True, kw_only=True)
class Instances:
    """Instances as they were asked for, and who they are."""

    name: str
    """The cluster's id."""
    role_arn: str
    size: NodeSize
    log_uri: str | None
    configurations: Mapping[str, Mapping[str, str]]
    """Properties by classification: yarn-site, spark-defaults."""
    service: str = "ec2.amazonaws.com"
    source_arn: str = ""
    """EC2 names nobody on whose behalf it asks."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Of the session: none."""


class RunningStep(Protocol):
    def wait(self) -> str | None:
        """Returns when it is over: None for exit status 0, else its last words."""

    def interrupt(self) -> None:
        """Returns at once: asks it to end."""

    def kill(self) -> None:
        """Ends it at once; what it has started on YARN runs on."""


class Machines(Protocol):
    """The machines of one cluster."""

    def run(self, step: str, arguments: Sequence[str]) -> RunningStep:
        """Raises LaunchRefused."""

    def stop(self) -> None:
        """Ends everything, and returns when it is gone."""


class MachinesHere:
    def __init__(
        self,
        folder: Path,
        asked: Instances,
        *,
        places: JobEndpoints,
        spark: Callable[[], Spark],
        on_session: OnSession,
    ) -> None:
        self._folder = folder
        self._asked = asked
        self._places = places
        self._spark = spark
        self._session = RoleSession(asked, places, on_session)
        self._metadata = WsgiServer(
            InstanceMetadata(self._session, asked.role_arn.rpartition("/")[2], places.region), name="metadata"
        )
        self._metadata.__enter__()
        self._home, self._steps = folder / "spark", folder / "steps"
        self._yarn = Yarn(
            folder / "yarn",
            self._home,
            asked.size,
            variables=self._variables,
            site=asked.configurations.get("yarn-site"),
        )
        self._is_up = False
        self._starting = threading.Lock()
        self._sink: LogSink | None = None

    def run(self, step: str, arguments: Sequence[str]) -> "Process":
        work, logs = self._folder / "work" / step, self._steps / step
        work.mkdir(parents=True)
        logs.mkdir(parents=True)
        if any(word in each for each in arguments for word in NEED_YARN):
            self._start_yarn()
        order = Order(
            command=[each.replace(STEP_LOGS, str(self._steps)) for each in arguments],
            folder=work,
            variables=self._of_steps(work),
            logs=logs,
        )
        return Process(Container(order), logs, self._bring_logs)

    def stop(self) -> None:
        self._yarn.stop()
        if self._sink is not None:
            self._sink.close()
        self._metadata.__exit__()

    @property
    def _variables(self) -> dict[str, str]:
        """Returns the variables of every process of the machines, so that SDKs find this AWS, and their own credentials."""
        known = {name: each for name, each in self._places.variables.items() if name != "AWS_EC2_METADATA_DISABLED"}
        return {**known, "AWS_EC2_METADATA_SERVICE_ENDPOINT": self._metadata.endpoint, "SPARK_LOCAL_IP": "127.0.0.1"}

    def _of_steps(self, work: Path) -> dict[str, str]:
        base = java_variables()
        return {
            **base,
            **self._variables,
            "PATH": f"{self._yarn.bin}:{self._home / 'bin'}:{base['PATH']}",
            "HOME": str(work),
            "HADOOP_USER_NAME": USER,
            "HADOOP_CONF_DIR": str(self._yarn.conf),
            "SPARK_HOME": str(self._home),
            "SPARK_CONF_DIR": str(self._home / "conf"),
            "SPARK_SUBMIT_OPTS": SMALL,
        }

    def _start_yarn(self) -> None:
        with self._starting:
            if self._is_up:
                return
            self._spark().lay_out(self._home)
            staging = self._folder / "staging"
            defaults = {
                **service_defaults(self._places.aws, self._places.region),
                "spark.master": "yarn",
                "spark.yarn.jars": f"local:{self._home}/jars/*",
                "spark.yarn.stagingDir": staging.as_uri(),
                **self._asked.configurations.get("spark-defaults", {}),
            }
            (self._home / "conf" / "spark-defaults.conf").write_text(properties_file(defaults))
            self._yarn.start()
            if self._asked.log_uri:
                place = f"{self._asked.log_uri.rstrip('/')}/{self._asked.name}"
                self._sink = LogSink(place, self._logs, lambda: self._session.client("s3"))
            self._is_up = True

    def _logs(self) -> Iterator[tuple[str, Path]]:
        """Yields what EMR calls each file below the log URI, and where it is here."""
        for stream in (STDOUT, STDERR):
            for file in self._steps.glob(f"*/{stream}"):
                yield f"steps/{file.parent.name}/{stream}", file
            for file in self._yarn.logs.glob(f"application_*/container_*/{stream}"):
                yield f"containers/{file.parent.parent.name}/{file.parent.name}/{stream}", file

    def _bring_logs(self) -> None:
        if self._sink is None:
            return
        try:
            self._sink.write()
        except Exception as error:  # a step is over, whether its logs can be written or not
            print(f"logs of {self._asked.name}: {error}", flush=True)


class Process:
    """A step that runs."""

    def __init__(self, container: Container, logs: Path, on_end: Callable[[], Any]) -> None:
        self._container = container
        self._logs = logs
        self._on_end = on_end

    def wait(self) -> str | None:
        status = self._container.wait()
        self._on_end()
        if status == 0:
            return None
        lines = (self._logs / STDERR).read_text(errors="replace").splitlines()
        return f"exit status {status}: {' '.join(line.strip() for line in lines[-LINES:])}"

    def interrupt(self) -> None:
        self._container.interrupt()

    def kill(self) -> None:
        self._container.kill()
