"""Launches a job: a role session, a SPARK_HOME, the archive, and spark-submit with what was rendered; and its logs in S3.

The master is `local-cluster[2,…]`: two executors, each a process with Python workers of its own, of the size that the job asks
for. What else differs from the services is in docs/design/beliefs.md.
"""

import shutil
import threading
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from firnline_local.runtimes.jobs.container import STDERR, STDOUT, Container, Order
from firnline_local.runtimes.jobs.credentials import JobEndpoints, JobSessions, OnSession, RoleSession, variables
from firnline_local.runtimes.jobs.log_sink import LogSink
from firnline_local.runtimes.jobs.spark_home import (
    Archives,
    Spark,
    effective,
    java_variables,
    properties_file,
    service_defaults,
    with_prefix,
    worker,
)
from firnline_local.runtimes.jobs.submission import LaunchRefused, Submission

DRIVER = "SPARK_DRIVER"  # the folder of its logs on this machine


def worker_logs(names: tuple[str, str], logs: Path, executors: Path) -> Iterator[tuple[str, Path]]:
    """Yields what the service calls each file, and where it is here."""
    for stream in ("stdout", "stderr"):
        yield f"{names[0]}/{stream}", logs / stream
        for file in executors.glob(f"app-*/*/{stream}"):
            yield f"{names[1]}/{file.parent.name}/{stream}", file


EXECUTORS = 2
PID = "driver.pid"  # a file that says which process a person may kill
DRIVER_VARIABLES = ("spark.emr-serverless.driverEnv.", "spark.kubernetes.driverEnv.")
KEPT_OF_LOGS = 5  # lines of a driver that failed


@dataclass(frozen=True, slots=True, kw_only=True)
class SparkLauncher:
    """Each attempt has a folder of its own; its logs stay there, all else goes when it ends."""

    folder: Path
    archives: Archives
    places: Callable[[], JobEndpoints]
    endpoint: Callable[[], str]
    """Of the runtime's own server, which hands out credentials."""
    sessions: JobSessions
    spark: Callable[[], Spark]
    on_session: OnSession

    def __call__(self, submission: Submission, /) -> "SparkAttempt":
        places = self.places()
        session = RoleSession(submission, places, self.on_session)
        session.current()
        self.sessions.add(session)
        folder = self.folder / submission.name
        work, home, logs = folder / "work", folder / "home", folder / "logs"
        try:
            work.mkdir(parents=True)
            self.spark().lay_out(home)
            defaults = {**service_defaults(places.aws, places.region), **submission.conf}
            (home / "conf" / "spark-defaults.conf").write_text(properties_file(defaults))
            settings = effective(defaults, submission.parameters)
            self.archives.unpack(settings.get("spark.archives", ""), work, session.client("s3"))
            sink = _sink(submission, session, logs / DRIVER, home / "work")
        except Exception:
            self.sessions.remove(session)
            raise
        order = Order(
            command=_command(submission, home, settings),
            folder=work,
            variables={
                **_machine(home, work),
                **places.variables,
                **variables(session, self.endpoint()),
                **{name: value for prefix in DRIVER_VARIABLES for name, value in with_prefix(settings, prefix).items()},
            },
            logs=logs / DRIVER,
        )
        container = Container(order)
        (folder / PID).write_text(str(container.pid))
        return SparkAttempt(folder, container, sink, lambda: self.sessions.remove(session))


class SparkAttempt:
    def __init__(self, folder: Path, container: Container, sink: LogSink | None, on_end: Callable[[], None]) -> None:
        self._folder = folder
        self._container = container
        self._sink = sink
        self._on_end = on_end

    def wait(self) -> str | None:
        """Returns when nothing of it runs any more: None for success, else why it failed."""
        status = self._container.wait()
        reason = None if status == 0 else _why(status, self._folder / "logs" / DRIVER / "stderr")
        try:
            if self._sink is not None:
                self._sink.close()
        finally:
            self._on_end()
            threading.Thread(target=self._clear, name="clear", daemon=True).start()
        return reason

    def _clear(self) -> None:
        """No request waits for it: thousands of files are no reason why a run should not be over."""
        for name in ("work", "home", "local"):
            shutil.rmtree(self._folder / name, ignore_errors=True)

    def stop(self, grace_s: float) -> None:
        self._container.terminate(grace_s)

    def kill(self) -> None:
        self._container.kill()

    def log(self) -> str:
        files = [self._folder / "logs" / DRIVER / name for name in (STDOUT, STDERR)]
        return "".join(file.read_text(errors="replace") for file in files if file.exists())


def _sink(submission: Submission, session: RoleSession, logs: Path, executors: Path) -> LogSink | None:
    from botocore.exceptions import ClientError

    if submission.log_uri is None:
        return None
    try:
        names = submission.log_names
        return LogSink(
            submission.log_uri,
            lambda: worker_logs(names, logs, executors),
            lambda: session.client("s3"),
            begin=f"{names[0]}/stderr",
        )
    except ClientError as error:
        raise LaunchRefused(f"The job's role can't write logs to {submission.log_uri}: {error}") from error


def _command(submission: Submission, home: Path, settings: Mapping[str, str]) -> list[str]:
    cores, memory = worker(settings)
    return [
        str(home / "bin" / "spark-submit"),
        *submission.parameters,
        *("--master", f"local-cluster[{EXECUTORS},{cores},{memory}]"),
        submission.entry,
        *submission.arguments,
    ]


def _machine(home: Path, work: Path) -> dict[str, str]:
    return {
        **java_variables(),
        "HOME": str(work),
        "SPARK_HOME": str(home),
        "SPARK_CONF_DIR": str(home / "conf"),
        "SPARK_LOCAL_DIRS": str(home.parent / "local"),
        "SPARK_LOCAL_IP": "127.0.0.1",
    }


def _why(status: int, stderr: Path) -> str:
    """The reason in the service's form: the status, and the last words."""
    lines = stderr.read_text(errors="replace").splitlines() if stderr.exists() else []
    said = [line.strip() for line in lines if "Error" in line or "Exception" in line] or lines
    return (
        f"Job failed, please check complete logs in configured logging destination. ExitCode: {status}. "
        f"Last few exceptions: {' '.join(said[-KEPT_OF_LOGS:])}"
    )
