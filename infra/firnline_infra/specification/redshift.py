"""Redshift beside Snowflake: streams that Redshift reads by itself into materialized views.

What its streaming ingestion takes is on AWS's page "Getting started with streaming ingestion from Amazon Kinesis Data Streams".
"""

from enum import StrEnum
from typing import Annotated, Self

from pydantic import Field, model_validator

from firnline_infra.specification.aws import KeyArn, StreamName
from firnline_infra.specification.origin import CreateOrAdopt, Origin
from firnline_infra.specification.runtimes.options import SECURITY_GROUP, SUBNET
from firnline_infra.specification.snowflake import SecretArn
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form

IDENTIFIER = Form(
    r"[a-z_][a-z0-9_]{0,126}", "a small letter or _, then at most 126 small letters, digits and _", "orders_live"
)
WORKGROUP_NAME = Form(r"[a-z0-9-]{3,64}", "3 to 64 small letters, digits and hyphens", "analytics")
CLUSTER_NAME = Form(
    r"[a-z](-?[a-z0-9]){0,62}", "a small letter, then at most 62 small letters, digits and single hyphens", "analytics"
)
NODE_TYPE = Form(
    r"(ra3\.(large|xlplus|4xlarge|16xlarge)|r[a-z][a-z0-9]*\.[a-z0-9]+)", "a type of node of Redshift", "ra3.large"
)
GROUP_NAME = Form(r"[a-z][a-z0-9-]{0,254}", "the name of a group: small letters, digits and hyphens", "warehouse")
DATABASE_USER = Form(r"[A-Za-z_][\w.@+:-]{0,126}", "the name of a user of the database", "firnline_deploy")
WORKGROUP_ARN = Form(
    r"arn:[a-z-]+:redshift-serverless:[a-z0-9-]+:\d{12}:workgroup/[a-f0-9-]+",
    "the ARN of a workgroup",
    "arn:aws:redshift-serverless:eu-central-1:111122223333:workgroup/0f1e2d3c-4b5a-6978-8796-a5b4c3d2e1f0",
)
COLUMN_TYPE = Form(
    r"(SMALLINT|INTEGER|BIGINT|REAL|DOUBLE PRECISION|BOOLEAN|DATE|TIMESTAMP|TIMESTAMPTZ|SUPER"
    r"|DECIMAL\(\d{1,2}, ?\d{1,2}\)|(VAR)?CHAR\(\d{1,5}\))",
    "a type of Redshift, in capitals",
    "VARCHAR(64)",
)
SQL = Form(r"[^;]+", "SQL without a semicolon", "kinesis_data.kind = 'order'")

SEVERAL = {"ra3.4xlarge": 2, "ra3.16xlarge": 2}
"""Nodes that a cluster of them has at least."""
MOST_NODES = {"ra3.xlplus": 16, "ra3.4xlarge": 32}
"""Nodes that a cluster of them is made with at most (Management Guide, "Node type details"); a resize takes more."""
ADMINISTRATOR = "admin"
"""Of a cluster that is made. AWS keeps its password; who deploys gets temporary credentials of it."""

Name = Annotated[str, IDENTIFIER]


class Workgroup(Section):
    """A workgroup of Redshift Serverless, with a namespace of the same name where it is made."""

    origin: CreateOrAdopt = Origin.CREATE
    """`adopt` uses one that exists, and leaves it as it is: its owner attaches the role to its namespace."""
    name: Annotated[str, WORKGROUP_NAME] | None = None
    """The application's by default."""
    arn: Annotated[str, WORKGROUP_ARN] | None = None
    """Of one that is adopted: who deploys may run statements in it and in no other. It ends with an id, and no name tells it."""
    base_capacity: int = Field(default=8, ge=4, le=1024)
    """RPUs: 4, a multiple of 8 up to 512, or of 32 above (in some regions); paid by the second while a statement or a refresh
    runs. With `auto` refreshes that is nearly always."""
    subnets: list[Annotated[str, SUBNET]] = Field(default=[], max_length=16)
    """Three or more, in three Availability Zones (us-west-1 has two); the default VPC's by default. They need a way to Kinesis: a
    NAT or internet gateway, or its interface endpoint (`network.vpc_endpoints`)."""
    security_groups: list[Annotated[str, SECURITY_GROUP]] = Field(default=[], max_length=32)
    """The default one of the VPC by default."""

    @model_validator(mode="after")
    def _an_adopted_one_is_left_as_it_is(self) -> Self:
        if self.origin is Origin.ADOPT:
            if self.name is None:
                raise ValueError("give the name of the workgroup to adopt")
            if self.arn is None:
                raise ValueError(
                    "give the ARN of the workgroup to adopt (aws redshift-serverless get-workgroup shows it)"
                )
            if given := sorted(self.model_fields_set - {"origin", "name", "arn"}):
                raise ValueError(f"origin: adopt leaves the workgroup as it is; remove {', '.join(given)}")
        elif self.arn is not None:
            raise ValueError("arn belongs to an adopted workgroup; remove it, or say origin: adopt")
        return self


class ProvisionedCluster(Section):
    """A provisioned cluster, encrypted with the environment's key, in its VPC alone."""

    origin: CreateOrAdopt = Origin.CREATE
    """`adopt` uses one that exists, and leaves it as it is: its owner attaches the role to it."""
    identifier: Annotated[str, CLUSTER_NAME] | None = None
    """Of the cluster, in the environment's region; the application's name by default."""
    db_user: Annotated[str, DATABASE_USER] | None = None
    """The database user whose temporary credentials the deployer gets; by default, the one that IAM makes of the deployer's own
    role. In a cluster that is made, it is its administrator `admin`, and can't be given."""
    node_type: Annotated[str, NODE_TYPE] = "ra3.large"
    """Paid by the hour, also while nothing runs."""
    nodes: int = Field(default=1, ge=1, le=128)
    """ra3.4xlarge and ra3.16xlarge take two or more."""
    subnet_group: Annotated[str, GROUP_NAME] | None = None
    """An existing one. Its subnets need a way to Kinesis: a NAT or internet gateway, or its interface endpoint
    (`network.vpc_endpoints`). The default one by default."""
    parameter_group: Annotated[str, GROUP_NAME] | None = None
    """An existing one, which `case_sensitive` needs: enable_case_sensitive_identifier is true in it. Redshift's default by
    default."""
    security_groups: list[Annotated[str, SECURITY_GROUP]] = Field(default=[], max_length=32)
    """The default one of the VPC by default."""

    @model_validator(mode="after")
    def _says_what_its_origin_takes(self) -> Self:
        if self.origin is Origin.ADOPT:
            if self.identifier is None:
                raise ValueError("give the identifier of the cluster to adopt")
            if given := sorted(self.model_fields_set - {"origin", "identifier", "db_user"}):
                raise ValueError(f"origin: adopt leaves the cluster as it is; remove {', '.join(given)}")
        elif self.db_user is not None:
            raise ValueError(
                "a cluster that is created has the administrator admin; remove db_user, or say origin: adopt"
            )
        elif self.nodes < SEVERAL.get(self.node_type, 1):
            raise ValueError(f"{self.node_type} takes two nodes or more (Management Guide, RA3 node types)")
        elif self.nodes > (most := MOST_NODES.get(self.node_type, self.nodes)):
            raise ValueError(f"{self.node_type} is made with {most} nodes or fewer (Management Guide, RA3 node types)")
        return self


class ViewRefresh(StrEnum):
    """Times at which a view reads its stream."""

    AUTO = "auto"
    """Redshift refreshes it as records arrive."""
    MANUAL = "manual"
    """`refresh_every_minutes`, `firnline redshift refresh`, or whatever else runs REFRESH MATERIALIZED VIEW."""


class UnreadableRecords(StrEnum):
    """Effect on a refresh of a record that is not valid JSON."""

    STOP = "stop"
    """The refresh fails, and the view stays as it is until an operator acts: nothing is skipped."""
    SKIP = "skip"
    """It is skipped, and nothing says which one it was."""


class StreamMetadata(StrEnum):
    """A column that Redshift adds to the record itself."""

    ARRIVAL = "approximate_arrival_timestamp"
    """When the record was put into the stream, about."""
    PARTITION_KEY = "partition_key"
    """Which assigns the record to a shard."""
    SHARD_ID = "shard_id"
    """The shard that it was read from."""
    SEQUENCE_NUMBER = "sequence_number"
    """The position in the shard."""
    REFRESH_TIME = "refresh_time"
    """When the refresh began that read it."""


class ViewColumn(Section):
    """A column of a view, taken from the JSON of a record."""

    name: Name
    """Of the column."""
    type: Annotated[str, COLUMN_TYPE]
    """That the text at `path` is cast to. A value that does not fit fails the refresh, and so blocks the view."""
    path: list[str] = Field(default=[], max_length=5)
    """Keys on the way to the value, five at most; the column's name by default."""


class AggregateFunction(StrEnum):
    """An aggregate over the records of a group."""

    COUNT = "count"
    """How many records there are; with `path`, how many have a value there."""
    SUM = "sum"
    """The sum of the values."""
    MIN = "min"
    """The least of the values."""
    MAX = "max"
    """The greatest of the values."""
    AVG = "avg"
    """The average of the values."""


class TimeBucket(StrEnum):
    """A span of time of arrival that rows are grouped by."""

    MINUTE = "minute"
    """In the column `per_minute`."""
    HOUR = "hour"
    """In the column `per_hour`."""
    DAY = "day"
    """In the column `per_day`, from midnight UTC on."""


class ViewAggregate(Section):
    """A column of a view that is computed over the records of a group."""

    name: Name
    """Of the column."""
    function: AggregateFunction = Field(strict=False)
    """What is computed."""
    type: Annotated[str, COLUMN_TYPE] | None = None
    """That the text at `path` is cast to before; with all but `count`. A value that does not fit fails the refresh, and so blocks
    the view."""
    path: list[str] = Field(default=[], max_length=5)
    """Keys on the way to the value, five at most; the column's name by default, and of `count` each record."""

    @model_validator(mode="after")
    def _a_value_has_a_type(self) -> Self:
        if self.function is not AggregateFunction.COUNT and self.type is None:
            raise ValueError(f"{self.function} needs the type of its value; add type, such as DECIMAL(18,2)")
        if self.function is AggregateFunction.COUNT and self.type is not None:
            raise ValueError("count counts values of any type; remove type")
        return self


OF_A_GROUP = (StreamMetadata.PARTITION_KEY, StreamMetadata.SHARD_ID)
"""Metadata that several records have in common."""


class DependentView(Section):
    """A view over the one that reads the stream: what may fail belongs here, where it blocks no ingestion."""

    name: Name
    """In the schema of the view below it."""
    select: Annotated[str, SQL]
    """The whole SELECT, with names that say their schema."""
    materialized: bool = False
    """True if Redshift keeps its rows. It is dropped and recreated with the view below it."""


class StreamView(Section):
    """A materialized view that reads one stream."""

    stream: StreamName
    """One of `streams`, in this account."""
    name: Name | None = None
    """The stream's in small letters by default, with _ for what a name can't have."""
    schema_: Name = Field(default="public", alias="schema")
    """Exists already."""
    origin: CreateOrAdopt = Origin.CREATE
    """`adopt` compares one that exists, and neither makes nor changes it."""
    refresh: ViewRefresh = Field(default=ViewRefresh.AUTO, strict=False)
    """`auto` takes capacity whenever records arrive; watch how stale the view is."""
    refresh_every_minutes: int | None = Field(default=None, ge=1, le=1440)
    """EventBridge Scheduler refreshes the view so often, beside `auto` or in place of it, and an alarm rings where three in a row
    did not end well; each refresh is paid as a statement is. Only a view's owner may refresh it: needs `secret_arn` or
    `cluster.db_user`, as whom it logs in too. None by default."""
    stale_after_minutes: int = Field(default=60, ge=1, le=10080)
    """`firnline status` and its page call the view stale where no refresh of so long ago, or since, ended well. No exit status
    depends on it: a view of a stream in which nothing arrives may not be refreshed either."""
    unreadable: UnreadableRecords = Field(default=UnreadableRecords.STOP, strict=False)
    """What a record that is not JSON does."""
    metadata: list[Annotated[StreamMetadata, Field(strict=False)]] = Field(default_factory=lambda: list(StreamMetadata))
    """Which columns stand beside the record. A record is distinguished from another by shard_id and sequence_number."""
    columns: list[ViewColumn] = Field(default=[])
    """Taken out of the record one by one, each of which parses it again; none keeps it whole as SUPER, in `kinesis_data`."""
    aggregates: list[ViewAggregate] = Field(default=[])
    """Makes each row one of a group of records: of those that have the same `columns`, the same `per`, and the same `metadata`,
    which then is none by default. The view has no record, and no position: `firnline redshift audit` can't compare it."""
    per: TimeBucket | None = Field(default=None, strict=False)
    """With `aggregates`: groups by the time of arrival too, in the column `per_minute`, `per_hour` or `per_day`."""
    where: Annotated[str, SQL] | None = None
    """Which records are kept, as a condition on the columns of the stream. What fails in it blocks the view."""
    readers: list[Name] = Field(default=[])
    """Roles of the database that may read the view, and what is over it."""
    views: list[DependentView] = Field(default=[])
    """Views over this one."""

    @model_validator(mode="after")
    def _says_each_once(self) -> Self:
        for name, given in (
            ("metadata", [each.value for each in self.metadata]),
            ("columns", self.column_names),
            ("views", [view.name for view in self.views]),
            ("readers", list(self.readers)),
        ):
            if twice := sorted({each for each in given if given.count(each) > 1}):
                raise ValueError(f"{name}: {', '.join(twice)} is given twice")
        return self

    @model_validator(mode="after")
    def _a_group_has_what_its_records_have_in_common(self) -> Self:
        if self.per is not None and not self.aggregates:
            raise ValueError("per: groups belong to aggregates; remove it, or add aggregates")
        alone = [each.value for each in self.kept_metadata if each not in OF_A_GROUP]
        if self.aggregates and alone:
            common = " and ".join(OF_A_GROUP)
            raise ValueError(
                f"metadata: {', '.join(alone)} is each record's own; records of a group have {common} in common"
            )
        return self

    @property
    def kept_metadata(self) -> list[StreamMetadata]:
        """The metadata that is a column of the view."""
        return [] if self.aggregates and "metadata" not in self.model_fields_set else self.metadata

    @property
    def column_names(self) -> list[str]:
        of_groups = [f"per_{self.per}"] if self.per else []
        own = [*(each.name for each in self.columns), *(each.name for each in self.aggregates)]
        return [*(each.value for each in self.kept_metadata), *of_groups, *own]


class Redshift(Section):
    """Redshift reads streams of this environment too. Give `workgroup` or `cluster`."""

    workgroup: Workgroup | None = None
    """Of Redshift Serverless."""
    cluster: ProvisionedCluster | None = None
    """A provisioned one."""
    database: Name = "dev"
    """What a made workgroup begins with; the database of the views."""
    secret_arn: SecretArn | None = None
    """A secret with the name and password of the database user who owns the views. Temporary credentials of the deployer by
    default, which need no secret."""
    secret_key_arn: KeyArn | None = None
    """The key that the secret is encrypted with, where it is not AWS's own: who logs in then has kms:Decrypt for it."""
    external_schema: Name = "kinesis"
    """The schema that stands for the streams of the environment's region; other regions have its name with theirs behind it."""
    default_role: bool = False
    """The schema names the role that is the default one of the workgroup or cluster, instead of its ARN. Ours is made the default
    one of a workgroup that is made."""
    case_sensitive: bool = False
    """enable_case_sensitive_identifier: needed for a stream with capitals in its name, and changes what every name between quotes
    means. Set where the workgroup is made, expected where it is not."""
    views: list[StreamView] = Field(min_length=1)
    """What is read, and how."""

    @model_validator(mode="after")
    def _one_place(self) -> Self:
        if (self.workgroup is None) == (self.cluster is None):
            raise ValueError("give workgroup or cluster: one of them reads the streams")
        if self.secret_key_arn is not None and self.secret_arn is None:
            raise ValueError("secret_key_arn belongs to secret_arn")
        if self.secret_arn is not None and self.cluster is not None and self.cluster.db_user is not None:
            raise ValueError("secret_arn says who the user is; remove cluster.db_user")
        if self.cluster is not None and self.is_made:
            if self.case_sensitive and self.cluster.parameter_group is None:
                raise ValueError("case_sensitive of a cluster is in its parameter group; give cluster.parameter_group")
            if self.secret_arn is not None:
                raise ValueError("secret_arn is a user's of a database that exists; remove it, or adopt the cluster")
        return self

    @property
    def is_made(self) -> bool:
        """True if what reads the streams is made here."""
        place = self.workgroup or self.cluster
        return place is not None and place.origin is Origin.CREATE

    def cluster_name(self, application: str) -> str | None:
        """Returns None for a workgroup."""
        return None if self.cluster is None else self.cluster.identifier or application

    @property
    def db_user(self) -> str | None:
        """The database user whose temporary credentials the deployer gets; None if a role or a secret decides."""
        if self.cluster is None:
            return None
        return ADMINISTRATOR if self.is_made else self.cluster.db_user
