"""EMR in its three kinds: what of it is made or adopted for the engine's job."""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from firnline_infra.specification.origin import CreateOrAdopt, Origin
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

ROLE_NAME = Form(r"[\w+=,.@-]{1,64}", "1 to 64 letters, digits and _ + = , . @ -", "firnline-engine")
RELEASE = Form(r"emr-spark-\d+\.\d+\.\d+", "a release of EMR with Spark 4", "emr-spark-8.1.0")
EKS_RELEASE = Form(
    r"emr-spark-\d+\.\d+\.\d+-(\d{8}|latest)", "a release of EMR on EKS with Spark 4", "emr-spark-8.1.0-20260812"
)
SUBNET = Form(r"subnet-[0-9a-f]{8,17}", "the id of a subnet", "subnet-0a1b2c3d4e5f60718")
SECURITY_GROUP = Form(r"sg-[0-9a-f]{8,17}", "the id of a security group", "sg-0a1b2c3d4e5f60718")
VPC = Form(r"vpc-[0-9a-f]{8,17}", "the id of a VPC", "vpc-0a1b2c3d4e5f60718")
APPLICATION_ID = Form(r"[0-9a-z]{1,64}", "the id of an EMR Serverless application", "00fabcdefghijk09")
VIRTUAL_CLUSTER_ID = Form(r"[0-9a-z]{1,64}", "the id of a virtual cluster", "0123456789abcdefghijklmno")
CLUSTER_ID = Form(r"j-[0-9A-Z]{1,62}", "the id of an EMR cluster", "j-2AXXXXXXGAPLF")
INSTANCE = Form(r"[a-z0-9-]+\.[a-z0-9-]+", "an EC2 instance type", "m7g.xlarge")
LOG_GROUP = Form(r"[.\-_/#A-Za-z0-9]{1,512}", "the name of a CloudWatch log group", "/firnline/dev")


class Architecture(StrEnum):
    """What the workers' processors are."""

    ARM64 = "arm64"
    """Graviton: a vCPU costs about a fifth less."""
    X86_64 = "x86_64"
    """Intel and AMD."""


class SecurityGroup(Section):
    """What the workers' network lets through: nothing in from outside, everything out where it is made here."""

    origin: CreateOrAdopt = Origin.CREATE
    """`create` makes one in `vpc`; `adopt` uses those of `ids`."""
    vpc: Annotated[str, VPC] | None = None
    """The subnets' VPC; with origin: create."""
    ids: list[Annotated[str, SECURITY_GROUP]] = Field(default_factory=list, max_length=5)
    """With origin: adopt. None of them may be open to the world: EMR Serverless refuses that."""

    @model_validator(mode="after")
    def _says_where(self) -> Self:
        if (self.origin is Origin.CREATE) != (self.vpc is not None):
            raise ValueError("give vpc with origin: create, and only then")
        if (self.origin is Origin.ADOPT) != bool(self.ids):
            raise ValueError("give ids with origin: adopt, and only then")
        return self


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
    subnets: list[Annotated[str, SUBNET]] = Field(default_factory=list, max_length=16)
    """Private ones with a way to Snowflake (NAT or PrivateLink), in two zones or more, so that the loss of one is survived.
    Without any, the workers have no way out. An address each for every worker has to be free."""
    security_group: SecurityGroup | None = None
    """Needed with subnets of an application that is made."""
    maximum_vcpus: int | None = Field(default=None, ge=1, le=100_000)
    """What the application may have at once, a fence against cost; twice the job's where absent, so that a new attempt need
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


class EmrEks(Section):
    """EMR on EKS: AWS's Spark in a namespace of an EKS cluster of yours; `runtime.namespace` and `runtime.cluster` say which."""

    origin: CreateOrAdopt = Origin.CREATE
    """`create` makes a virtual cluster over `runtime.namespace` of `runtime.cluster`, both of which are there already; `adopt`
    uses that of `virtual_cluster_id`."""
    virtual_cluster_id: Annotated[str, VIRTUAL_CLUSTER_ID] | None = None
    """Of the virtual cluster to adopt."""
    release: Annotated[str, EKS_RELEASE] = "emr-spark-8.1.0-20260812"
    """With its date: `latest` moves, and a restart would then run other code."""
    architecture: Architecture = Field(default=Architecture.ARM64, strict=False)
    """Of the nodes, and of the engine's archive."""
    attempts: int = Field(default=100, ge=1, le=10_000)
    """How often AWS starts the driver before it gives up."""
    node_selector: dict[str, str] = Field(default_factory=dict)
    """Labels of the nodes that driver and executors run on."""

    @model_validator(mode="after")
    def _an_adopted_one_is_named(self) -> Self:
        if (self.origin is Origin.ADOPT) != (self.virtual_cluster_id is not None):
            raise ValueError("give virtual_cluster_id with origin: adopt, and only then")
        return self


class EmrEc2(Section):
    """EMR on EC2: a cluster of machines with YARN, where the engine is a step."""

    origin: CreateOrAdopt = Origin.CREATE
    """`adopt` adds the step to the cluster of `cluster_id`, whose instance profile has to hold the engine's role, or whose steps
    may have roles of their own; `create` makes one for the engine alone."""
    cluster_id: Annotated[str, CLUSTER_ID] | None = None
    """Of the cluster to adopt."""
    release: Annotated[str, RELEASE] = "emr-spark-8.1.0"
    """8.1.0 has Spark 4.1.1 and long-term support until 2029-09."""
    architecture: Architecture = Field(default=Architecture.ARM64, strict=False)
    """Of the machines, and of the engine's archive; the instance type has to have it."""
    instance_type: Annotated[str, INSTANCE] = "m7g.xlarge"
    """Of the primary node and the core nodes; 4 cores and 16 GiB."""
    core_nodes: int | None = Field(default=None, ge=1, le=1000)
    """How many; one for each executor and one for the driver where absent."""
    subnet: Annotated[str, SUBNET] | None = None
    """A private one with a way to Snowflake; needed for a cluster that is made."""
    security_group: SecurityGroup | None = None
    """Of the nodes, beside those that EMR manages; none where absent."""
    service_role: Annotated[str, ROLE_NAME] = "EMR_DefaultRole"
    """What EMR itself is while it makes machines; `aws emr create-default-roles` makes the default one."""
    termination_protection: bool = False
    """True: EMR lets nobody terminate the cluster, `firnline up` and `destroy` included, until it is false again. No row lies on
    it."""
    attempts: int = Field(default=5, ge=1, le=100)
    """How often YARN starts the driver within an hour."""

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
        return self
