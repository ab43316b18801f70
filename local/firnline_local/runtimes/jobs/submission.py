"""Submissions to a service, once they are known whole; and who runs them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class Submission:
    """One attempt of one job."""

    name: str
    """Of its folder: unique in the environment."""
    role_arn: str
    service: str
    """The service principal that assumes the role: emr-serverless.amazonaws.com."""
    source_arn: str
    """On whose behalf the service asks; trusts name it in aws:SourceArn. Empty for a service that names nobody."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """Of the session, as the service sets them; trusts name them in aws:RequestTag."""
    entry: str
    """The program: a URI that the job's Spark opens."""
    arguments: tuple[str, ...] = ()
    parameters: tuple[str, ...] = ()
    """Of spark-submit, as they were given."""
    conf: Mapping[str, str] = field(default_factory=dict)
    """Spark's settings from configuration, which parameters win over."""
    log_uri: str | None = None
    """s3://bucket/folder that the attempt's logs are written below; None keeps them on this machine only."""
    log_names: tuple[str, str] = ("SPARK_DRIVER", "SPARK_EXECUTOR")
    """The folders of the driver's and of the executors' logs below it."""


class LaunchRefused(Exception):
    """The job could not be started; the text is what the service tells."""


class Running(Protocol):
    """An attempt that was launched."""

    def wait(self) -> str | None:
        """Returns when nothing of it runs any more: None for success, else why it failed."""

    def stop(self, grace_s: float) -> None:
        """Returns at once: the JVM is asked to shut down, and everything is ended after that time."""

    def kill(self) -> None:
        """Ends everything at once."""

    def log(self) -> str:
        """Returns what the driver has written so far, or wrote until it ended: stdout, and stderr after it."""


class Launcher(Protocol):
    def __call__(self, submission: Submission, /) -> Running:
        """Raises LaunchRefused."""
