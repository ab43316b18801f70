"""Objects by which Redshift reads streams, as data: a workgroup, schemas that stand for streams, and views over them."""

from collections.abc import Mapping
from dataclasses import field
from typing import ClassVar

from firnline_infra.blueprint.iam import PolicyStatement
from firnline_infra.blueprint.value import Value
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.model import Durability
from firnline_infra.specification.origin import Origin


@part
class RedshiftWorkgroup(Definition):
    """A workgroup of Redshift Serverless with a namespace of the same name, which holds the database."""

    manage_admin_password: ClassVar[bool] = True
    """AWS keeps the administrator's password in Secrets Manager; no state sees it, and the deployer neither."""
    enhanced_vpc_routing: ClassVar[bool] = True
    """What it reads goes through its VPC, so that a NAT or an interface endpoint decides which way."""

    name: str
    database: str
    role_arn: Value
    """What it reads streams as."""
    is_default_role: bool = False
    base_capacity: int = 8
    """In RPUs."""
    subnets: tuple[str, ...] = ()
    security_groups: tuple[str, ...] = ()
    case_sensitive: bool = False
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def parameters(self) -> dict[str, str]:
        return {"enable_case_sensitive_identifier": "true"} if self.case_sensitive else {}


@part
class RedshiftCluster(Definition):
    """A provisioned cluster. Its administrator owns the views."""

    manage_master_password: ClassVar[bool] = True
    """As a workgroup's: AWS keeps it in Secrets Manager."""
    enhanced_vpc_routing: ClassVar[bool] = True

    name: str
    database: str
    administrator: str
    role_arn: Value
    """What it reads streams as."""
    is_default_role: bool = False
    node_type: str
    nodes: int
    key_arn: Value | None = None
    """None: AWS's own key encrypts it."""
    subnet_group: str | None = None
    parameter_group: str | None = None
    security_groups: tuple[str, ...] = ()
    durability: Durability = Durability.PROTECTED
    tags: Mapping[str, str] = field(default_factory=dict)

    @property
    def last_snapshot(self) -> str | None:
        """Name of the snapshot that a protected one leaves behind; None for one that goes with its environment."""
        return f"{self.name}-final" if self.durability is Durability.PROTECTED else None

    @property
    def snapshot_days(self) -> int:
        """The days for which Redshift keeps its automated snapshots; its default, one day, is shorter than a weekend."""
        return 7 if self.durability is Durability.PROTECTED else 1


@part
class ExternalSchema(Definition):
    """A schema that stands for the streams of a region."""

    name: str
    region: str | None = None
    """Of the streams, where it is not Redshift's own."""
    role_arn: str | None = None
    """The default role of what reads by default."""


@part
class SelectedColumn(Definition):
    """A column of a view that is taken from the record."""

    name: str
    type: str
    path: tuple[str, ...]


@part
class AggregateColumn(Definition):
    """A column of a view that is computed over the records of a group."""

    name: str
    function: str
    type: str | None
    path: tuple[str, ...]
    """Empty where each record counts."""


@part
class DependentViewDefinition(Definition):
    """A view over one that reads a stream."""

    name: str
    schema: str
    select: str
    materialized: bool


@part
class StreamViewDefinition(Definition):
    """A materialized view that reads a stream."""

    name: str
    schema: str
    stream: str
    external_schema: str
    auto_refresh: bool
    skips_unreadable: bool
    stale_after_minutes: int
    metadata: tuple[str, ...]
    columns: tuple[SelectedColumn, ...] = ()
    aggregates: tuple[AggregateColumn, ...] = ()
    per: str | None = None
    """Span of the time of arrival that aggregates are grouped by."""
    where: str | None = None
    readers: tuple[str, ...] = ()
    dependents: tuple[DependentViewDefinition, ...] = ()
    origin: Origin = Origin.CREATE

    @property
    def with_dependents(self) -> "tuple[StreamViewDefinition | DependentViewDefinition, ...]":
        """The view, and what is over it, which comes last."""
        return (self, *self.dependents)


@part
class RedshiftDestination(Definition):
    """Everything of Redshift in an environment."""

    policy: tuple[PolicyStatement, ...]
    """What its role may do: read the streams."""
    is_made: bool
    """True if an `up` makes the workgroup or cluster; else one is adopted."""
    workgroup_name: str | None
    """What runs the statements; None where a cluster does."""
    workgroup_arn: str | None
    """Of an adopted one."""
    cluster: str | None
    db_user: str | None
    secret_arn: str | None
    owner: str | None
    """The database user that CI deploys as; None where a secret says who that is."""
    previewer: str
    """The one that CI only looks as, where it has a login of its own."""
    database: str
    role_arn: str
    case_sensitive: bool
    schemas: tuple[ExternalSchema, ...]
    views: tuple[StreamViewDefinition, ...]
    durability: Durability

    @property
    def makes_cluster(self) -> bool:
        return self.is_made and self.cluster is not None
