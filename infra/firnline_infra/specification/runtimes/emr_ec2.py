"""Options of EMR on EC2: what is made or adopted for the engine's job."""

import re
from typing import Annotated, Self

from pydantic import Field, model_validator

from firnline_infra.specification.origin import CreateOrAdopt, Origin
from firnline_infra.specification.runtimes.options import (
    PYTHONS,
    RELEASE,
    ROLE_NAME,
    SUBNET,
    Architecture,
    SecurityGroupOptions,
    lacks_python,
    spark_of,
)
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

CLUSTER_ID = Form(r"j-[0-9A-Z]{1,62}", "the id of an EMR cluster", "j-2AXXXXXXGAPLF")
INSTANCE = Form(r"[a-z0-9-]+\.[a-z0-9-]+", "an EC2 instance type", "m7g.xlarge")
MOST_ATTEMPTS = 100
SIZES = {"medium": 1, "large": 2}


def vcpus_of(instance_type: str) -> int | None:
    """The vCPUs that the name of a size tells for every type since the fifth generation; None for bare metal without a size."""
    size = instance_type.partition(".")[2].removeprefix("metal-")
    if (found := re.fullmatch(r"(\d*)xl(?:arge)?", size)) is not None:
        return 4 * int(found[1] or 1)
    return SIZES.get(size)


def architecture_of(instance_type: str) -> Architecture:
    """Returns the architecture that the name tells: Graviton has a g behind its generation (the families of
    aws/aws-graviton-getting-started, 2026-11-30), or is a1 (Arm, by the CDK's InstanceClass)."""
    return Architecture.ARM64 if re.match(r"a1\.|[a-z-]+\d+g", instance_type) else Architecture.X86_64


class EmrEc2(Section):
    """EMR on EC2: a cluster of machines with YARN, where the engine is a step."""

    origin: CreateOrAdopt = Origin.CREATE
    """`adopt` adds the step to the cluster of `cluster_id`, whose instance profile has to hold the engine's role or all of its
    rights; `create` makes one for the engine alone."""
    cluster_id: Annotated[str, CLUSTER_ID] | None = None
    """Of the cluster to adopt."""
    release: Annotated[str, RELEASE] = "emr-spark-8.1.0"
    """8.1.0 has Spark 4.1.1 and long-term support until 2029-09."""
    architecture: Architecture = Field(default=Architecture.ARM64, strict=False)
    """Of the machines, and of the engine's archive; the instance type has to have it."""
    instance_type: Annotated[str, INSTANCE] = "m7g.xlarge"
    """Of the primary node and the core nodes; 4 cores and 16 GiB."""
    core_nodes: int | None = Field(default=None, ge=1, le=1000)
    """How many; one for each executor and one for the driver by default."""
    subnet: Annotated[str, SUBNET] | None = None
    """A private one with a way to Snowflake; needed for a cluster that is made."""
    security_group: SecurityGroupOptions | None = None
    """Of the nodes, beside those that EMR manages; none by default."""
    service_role: Annotated[str, ROLE_NAME] = "EMR_DefaultRole"
    """What EMR itself is while it makes machines; `aws emr create-default-roles` makes the default one."""
    termination_protection: bool = False
    """True: EMR lets no one terminate the cluster, `firnline up` and `destroy` included, until it is false again. No row lies on
    it."""
    attempts: int = Field(default=5, ge=1, le=MOST_ATTEMPTS)
    """How often YARN starts the driver within an hour. The cluster that is made lets it; of an adopted one,
    yarn.resourcemanager.am.max-attempts is the most, and 2 where it is not set."""

    @model_validator(mode="after")
    def _an_adopted_one_is_named(self) -> Self:
        if (self.origin is Origin.ADOPT) != (self.cluster_id is not None):
            raise ValueError("give cluster_id with origin: adopt, and only then")
        given = self.model_fields_set & {
            *("instance_type", "core_nodes", "subnet", "security_group", "service_role", "termination_protection"),
        }
        if self.origin is Origin.ADOPT and given:
            raise ValueError(f"origin: adopt leaves the cluster as it is; remove {', '.join(sorted(given))}")
        if self.origin is Origin.CREATE and self.subnet is None:
            raise ValueError("give the subnet of the cluster")
        if self.origin is Origin.CREATE and (found := architecture_of(self.instance_type)) is not self.architecture:
            raise ValueError(
                f"instance_type: {self.instance_type} is {found}; set architecture: {found}, or choose another type"
            )
        return self

    @property
    def spark(self) -> str:
        """The release's version of Spark."""
        return spark_of(self.release)

    def lacks_python(self, wanted: str) -> str:
        """Returns why the release does not run that Python; empty if it does."""
        return lacks_python(self.release, wanted, PYTHONS)
