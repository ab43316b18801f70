"""EnvironmentSpec: what an environment is, in one document.

Everything else is derived: names (specification/names.py), objects (blueprint/), the engine's configuration. Nothing secret
belongs here.
"""

from enum import StrEnum
from typing import Annotated, Literal

from pydantic import Field

from firnline_infra.specification.aws import Alarms, Aws, Ledger, Publication, StreamOptions
from firnline_infra.specification.dead_letters import DeadLetters
from firnline_infra.specification.network import Network
from firnline_infra.specification.pipeline import Pipeline
from firnline_infra.specification.redshift import Redshift
from firnline_infra.specification.snowflake import Snowflake
from firnline_ingest.config.form import APPLICATION, Form
from firnline_ingest.config.metrics import MetricsOptions
from firnline_ingest.config.running import RunOptions

NAME = Form(
    r"[a-z][a-z0-9-]{0,31}", "a lower-case letter, then at most 31 lower-case letters, digits and hyphens", "staging"
)


class Durability(StrEnum):
    """Permission of `destroy` on what holds data: streams, ledger, buckets, tables, keys."""

    EPHEMERAL = "EPHEMERAL"
    """It goes with the environment."""
    PROTECTED = "PROTECTED"
    """It is refused, by Pulumi and, where the service can, by the service."""


class Metrics(MetricsOptions):
    """Destinations of the engine's figures, and of those of its streams and its ledger (docs/metrics.md)."""

    dashboard: bool = False
    """Makes a CloudWatch dashboard under the application's name: how far behind each stream is read, what was read, kept and
    refused, and what AWS throttled. AWS bills each one beyond an account's third."""
    cloudwatch: bool | None = None
    """Whether the driver's standard output goes to a log group of CloudWatch Logs, which makes metrics of it: then there are
    alarms and widgets on them. Where absent, it does with the runtime's `log_group`; true says that an agent of yours brings it
    there (on EMR on EC2, on Kubernetes)."""


class EnvironmentSpec(RunOptions):
    """An environment."""

    version: Literal[1]
    """Of this format."""
    name: Annotated[str, NAME]
    """Part of every derived name: dev, staging, prod."""
    application: Annotated[str, APPLICATION] | None = None
    """Names the engine and its ledger; firnline-<name> by default. Can't change once records have flowed."""
    durability: Durability = Field(default=Durability.PROTECTED, strict=False)
    """What removing the environment may do to data; protected by default, because forgetting to say so must lose nothing."""
    aws: Aws
    """Where the AWS side lives."""
    snowflake: Snowflake
    """The Snowflake account, and who writes, reads and deploys there."""
    streams: list[StreamOptions] = Field(min_length=1)
    """What is read."""
    pipelines: list[Pipeline] = Field(min_length=1)
    """What is read into which table."""
    redshift: Redshift | None = None
    """Redshift, which reads streams of this environment too; not at all by default."""
    network: Network = Network.default()
    """How the engine reaches AWS and Snowflake; over their public endpoints by default."""
    ledger: Ledger = Ledger.default()
    """The DynamoDB table that fences shards and remembers where they are."""
    alarms: Alarms = Alarms.default()
    """What notifies an operator."""
    metrics: Metrics = Metrics.default()
    """Where an operator looks at the engine's figures."""
    publication: Publication = Publication.default()
    """Where other tools find what was made."""
    dead_letters: DeadLetters = DeadLetters.default()
    """Where records go that can't be ingested: the environment's bucket, unless something else is said or there is none."""
    tags: dict[str, str] = Field(default={})
    """On every AWS object, beside Firnline's own."""

    @property
    def is_protected(self) -> bool:
        return self.durability is Durability.PROTECTED
