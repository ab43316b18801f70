"""Options of EMR Serverless: what is made or adopted for the engine's job."""

from typing import Annotated, Self

from pydantic import Field, model_validator

from firnline_infra.specification.origin import CreateOrAdopt, Origin
from firnline_infra.specification.runtimes.options import (
    LOG_GROUP,
    PYTHONS,
    RELEASE,
    SUBNET,
    Architecture,
    SecurityGroupOptions,
    lacks_python,
    spark_of,
)
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

APPLICATION_ID = Form(r"[0-9a-z]{1,64}", "the id of an EMR Serverless application", "00fabcdefghijk09")
PYTHONS_OF = {"emr-spark-8.1.0": ("3.11", "3.12", "3.13")}
WORKERS_GB = {
    1: tuple(range(2, 9)),
    2: tuple(range(4, 17)),
    4: tuple(range(8, 31)),
    8: tuple(range(16, 61, 4)),
    16: tuple(range(32, 121, 8)),
    32: (60, 120, 244),
}
"""The GB that a worker may have, by its vCPUs (user guide, "Understanding application behavior", 2026-11-29)."""
MIB_PER_GB = 1024


def worker_gb(cores: int, memory_mib: int) -> int:
    """Returns the GB of the smallest worker that has so much memory; what is asked where none has, which `refusals` says."""
    asked_gb = -(-memory_mib // MIB_PER_GB)
    return next((each for each in WORKERS_GB.get(cores, ()) if each >= asked_gb), asked_gb)


class EmrServerless(Section):
    """EMR Serverless: no machine to keep; AWS starts the engine again where it fails."""

    origin: CreateOrAdopt = Origin.CREATE
    """`adopt` uses an application that exists, and changes nothing of it: its release, network and architecture have to be
    what is said here."""
    application_id: Annotated[str, APPLICATION_ID] | None = None
    """Of the application to adopt."""
    release: Annotated[str, RELEASE] = "emr-spark-8.1.0"
    """8.1.0 has Spark 4.1.1 and long-term support until 2029-09; older lines than 8 have no Spark 4."""
    architecture: Architecture = Field(default=Architecture.ARM64, strict=False)
    """Of the workers, and of the engine's archive."""
    subnets: list[Annotated[str, SUBNET]] = Field(default=[], max_length=16)
    """Private ones with a way to Snowflake (NAT or PrivateLink), in two zones or more, so that the loss of one is survived.
    Without any, the workers have no way out. An address each for every worker has to be free."""
    security_group: SecurityGroupOptions | None = None
    """Needed with subnets of an application that is made."""
    maximum_vcpus: int | None = Field(default=None, ge=1, le=100_000)
    """What the application may have at once, a fence against cost; twice the job's by default, so that a new attempt need
    not wait until the last one's workers are given back. Watch the account's quota: it begins at 16."""
    maximum_memory_gb: int | None = Field(default=None, ge=1, le=1_000_000)
    """The same for memory."""
    idle_minutes: int = Field(default=15, ge=1, le=10_080)
    """After this time without a job the application stops; a running engine keeps it started."""
    failures_per_hour: int = Field(default=5, ge=1, le=10)
    """Attempts that may fail in an hour; one more, and AWS starts the engine no more. 1: it is never started again."""
    log_group: Annotated[str, LOG_GROUP] | None = None
    """A CloudWatch log group that is made, and gets driver's and executors' logs as they come; they are in the bucket
    either way."""
    disk_gb: int = Field(default=20, ge=20, le=200)
    """GB of each worker; 20 cost nothing. Nothing of ours lies there."""

    @model_validator(mode="after")
    def _an_adopted_one_is_named(self) -> Self:
        if (self.origin is Origin.ADOPT) != (self.application_id is not None):
            raise ValueError("give application_id with origin: adopt, and only then")
        given = self.model_fields_set & {
            "subnets",
            "security_group",
            "maximum_vcpus",
            "maximum_memory_gb",
            "idle_minutes",
        }
        if self.origin is Origin.ADOPT and given:
            raise ValueError(f"origin: adopt leaves the application as it is; remove {', '.join(sorted(given))}")
        if self.origin is Origin.CREATE and not self.subnets:
            raise ValueError("give subnets: without them EMR Serverless has no way out to Snowflake")
        if self.origin is Origin.CREATE and self.security_group is None:
            raise ValueError("give security_group: {vpc: vpc-…} to have one made, or {origin: adopt, ids: [sg-…]}")
        return self

    @property
    def spark(self) -> str:
        """The release's version of Spark."""
        return spark_of(self.release)

    def lacks_python(self, wanted: str) -> str:
        """Returns why the release does not run that Python; empty if it does."""
        return lacks_python(self.release, wanted, PYTHONS_OF.get(self.release, PYTHONS))
