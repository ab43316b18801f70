"""An engine's job, whatever the runtime. `engine_job` makes one of a specification, `render` the request of it.

Nothing secret is in a job: the configuration says where a secret is found, and credentials come from the role.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

from firnline_infra.blueprint.size import Size
from firnline_infra.specification.runtime import RollOutOrder, Runtime
from firnline_infra.specification.runtimes.options import Architecture

APPLICATION_TAG, ENVIRONMENT_TAG, HASH_TAG = "firnline:application", "firnline:environment", "firnline:hash"
"""Tags of a run. Of Kubernetes' objects they are labels, with a slash in place of the colon and 63 characters at most."""


@dataclass(frozen=True, kw_only=True)
class Artefact:
    """The engine as `firnline build` made it, where the runtime finds it."""

    hash: str
    """The hash of the content."""
    python: str
    """3.11, 3.12 or 3.13."""
    architecture: Architecture
    entry: str
    """The script that Spark starts, with the URI of the configuration as its one argument: s3://…/entry.py, or the absolute
    path in an image."""
    archive: str
    """The packed environment: s3://…tar.gz, or the absolute folder in an image."""


@dataclass(frozen=True, kw_only=True)
class EngineJob:
    """One engine, ready to be started on one runtime."""

    application: str
    environment: str
    region: str
    runtime: Runtime
    """The specification's section: which runtime, its release, its pods."""
    role_arn: str | None
    """What the job runs as; None where it has static keys."""
    artefact: Artefact
    configuration: str
    """The URI of the engine's document; content-addressed."""
    configuration_hash: str
    logs: str | None
    """The URI of the folder for logs; None where there is no bucket."""
    size: Size
    spark_conf: Mapping[str, str]
    """All of Spark's settings but those of the size."""
    endpoints: Mapping[str, str] = field(default_factory=dict)
    """A URL per AWS service (s3, kinesis, …), for private endpoints and the embedded environment; public ones by default."""
    tags: Mapping[str, str] = field(default_factory=dict)
    """The specification's own, on the run."""
    place: str = ""
    """What the service calls the place where the job runs, known once the stack is made: the id of an EMR Serverless
    application, of a virtual cluster or of an EMR cluster. Empty on Kubernetes, where the namespace says it."""
    hash: str = ""
    """SHA-256, in hexadecimal, of everything that decides what runs, and of nothing else: a job with an unchanged hash need not
    be restarted. Place, tags and tokens are no part of it. `engine_job` sets it."""

    @property
    def stands_by(self) -> bool:
        """True if it is started beside the engine whose place it takes, if there is room."""
        return self.runtime.rollout is RollOutOrder.STANDBY

    @property
    def name(self) -> str:
        """The name of the run: for people, and not unique."""
        return f"{self.application}-{self.hash[:12]}"
