"""Common options of several runtimes: the forms of names, the processors, the network's fence.

Each runtime's own are a file of this folder.
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from firnline_infra.specification.origin import CreateOrAdopt, Origin
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

ROLE_NAME = Form(r"[\w+=,.@-]{1,64}", "1 to 64 letters, digits and _ + = , . @ -", "firnline-engine")
RELEASE = Form(r"emr-spark-\d+\.\d+\.\d+", "a release of EMR with Spark 4", "emr-spark-8.1.0")
SUBNET = Form(r"subnet-[0-9a-f]{8,17}", "the id of a subnet", "subnet-0a1b2c3d4e5f60718")
SECURITY_GROUP = Form(r"sg-[0-9a-f]{8,17}", "the id of a security group", "sg-0a1b2c3d4e5f60718")
LOG_GROUP = Form(
    r"(?!aws/)[.\-_/#A-Za-z0-9]{1,512}",
    "the name of a CloudWatch log group, not one that begins with aws/",
    "/firnline/dev",
)
VPC = Form(r"vpc-[0-9a-f]{8,17}", "the id of a VPC", "vpc-0a1b2c3d4e5f60718")


SPARK = {"emr-spark-8.0.0": "4.0.2", "emr-spark-8.1.0": "4.1.1"}
"""By release (EMR's release notes); of releases after these it is newer, and of that line."""
NEWEST_SPARK = "4.1.1"
PYTHONS = ("3.11", "3.13")
"""Of a release of EMR."""


def spark_of(release: str) -> str:
    """The version of Spark in a release of EMR; the name of one of EMR on EKS ends with a date."""
    return SPARK.get(_without_date(release), NEWEST_SPARK)


def lacks_python(release: str, wanted: str, pythons: Sequence[str]) -> str:
    return "" if wanted in pythons else f"Python {wanted}: {_without_date(release)} has {', '.join(pythons)} there"


def _without_date(release: str) -> str:
    return "-".join(release.split("-")[:3])


class Architecture(StrEnum):
    """Architecture of the workers' processors."""

    ARM64 = "arm64"
    """Graviton: a vCPU costs about a fifth less."""
    X86_64 = "x86_64"
    """Intel and AMD."""


class SecurityGroupOptions(Section):
    """Rules of the workers' network: nothing in from outside, everything out if it is made here."""

    origin: CreateOrAdopt = Origin.CREATE
    """`create` makes one in `vpc`; `adopt` uses those of `ids`."""
    vpc: Annotated[str, VPC] | None = None
    """The subnets' VPC; with origin: create."""
    ids: list[Annotated[str, SECURITY_GROUP]] = Field(default=[], max_length=5)
    """With origin: adopt. None of them may be open to the world: EMR Serverless refuses that."""

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if (self.origin is Origin.CREATE) != (self.vpc is not None):
            raise ValueError("give vpc with origin: create, and only then")
        if (self.origin is Origin.ADOPT) != bool(self.ids):
            raise ValueError("give ids with origin: adopt, and only then")
        return self
