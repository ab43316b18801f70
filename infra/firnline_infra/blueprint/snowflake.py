"""Objects that must exist in Snowflake, as data. Defaults are safe ones, so that each definition can be used alone.

A table begins with the columns of the metadata alone; schema evolution adds the rest. Its default pipe comes into being with the
first channel, so there is nothing to create for it.
"""

import re
from typing import ClassVar, Self

from firnline_infra.blueprint.grants import OwnershipGrant, PrivilegeGrant, RoleGrant, Securable
from firnline_infra.blueprint.latest import LatestTable
from firnline_infra.blueprint.table_properties import TableProperty, properties_of, written
from firnline_infra.specification.column_type import ICEBERGS_OWN, ColumnType
from firnline_infra.specification.definition import Definition, part
from firnline_infra.specification.identifier import Identifier, QualifiedName
from firnline_infra.specification.model import Durability
from firnline_infra.specification.table import SNOWFLAKE_STORAGE, TableKind
from firnline_ingest.config.identifier import RESERVED
from firnline_ingest.identifiers import like_pattern

STREAMED = "TABLE(DATA_SOURCE(TYPE => 'STREAMING'))"
"""What Snowpipe Streaming brings, as a SELECT names it: $1 is a record."""


@part
class Database(Definition):
    name: Identifier
    durability: Durability = Durability.PROTECTED
    comment: str = ""


@part
class Schema(Definition):
    name: QualifiedName
    durability: Durability = Durability.PROTECTED
    comment: str = ""


@part
class Alteration(Definition):
    """One property of a table that the provider's resource can't set: switched on by a statement of its own.

    A golden test freezes its text, because a changed text reverts the property and sets it again.
    """

    property: str
    """As SHOW TABLES names its column, in upper case."""
    execute: str
    revert: str

    @classmethod
    def of(cls, table: "Table | IcebergTable") -> tuple[Self, ...]:
        """The alterations for each property of the table that a statement sets. If setting one back would lose data (error
        rows, timestamps), the statement that reverts it does nothing."""
        to_set = (each for each in properties_of(table.kind) if table.kind not in each.arguments)
        return tuple(cls._of(table, each) for each in to_set if each.is_set(getattr(table, each.field)))

    @classmethod
    def _of(cls, table: "Table | IcebergTable", row: TableProperty) -> Self:
        kind, value = table.securable.value, getattr(table, row.field)
        back = f"SET {row.sql} = FALSE" if value is True else f"UNSET {row.sql}"
        is_reverted = not row.unset_loses_data or table.durability is Durability.EPHEMERAL
        return cls(
            property=row.sql,
            execute=f"ALTER {kind} {table.name.sql} SET {row.sql} = {written(value)}",
            revert=f"ALTER {kind} IF EXISTS {table.name.sql} {back}" if is_reverted else "SELECT 1",
        )


@part
class Column(Definition):
    """A column that a table is made with."""

    name: Identifier
    type: str
    nullable: bool = True
    select: str | None = None
    """Of an interactive table that is made AS SELECT."""

    @property
    def sql(self) -> str:
        return f"{self.name.sql} {self.type}{'' if self.nullable else ' NOT NULL'}"


@part
class Table(Definition):
    """A standard table, which Snowflake keeps itself."""

    securable: ClassVar[Securable] = Securable.TABLE
    kind: ClassVar[TableKind] = TableKind.STANDARD

    name: QualifiedName
    metadata: tuple[Column, ...] = ()
    """The columns that the engine fills by itself."""
    columns: tuple[Column, ...] = ()
    """After those of the metadata."""
    schema_evolution: bool = True
    error_logging: bool = True
    row_timestamp: bool = True
    cluster_by: tuple[Identifier, ...] = ()
    """The clustering key."""
    change_tracking: bool = False
    """True if a dynamic table follows it, and asks what has changed."""
    durability: Durability = Durability.PROTECTED
    comment: str = ""

    @property
    def clustering(self) -> tuple[str, ...]:
        """The key as the provider puts it into CLUSTER BY, where it quotes nothing (pkg/sdk/tables.go)."""
        return tuple(each.sql if each.name in RESERVED else str(each) for each in self.cluster_by)

    @property
    def alterations(self) -> tuple[Alteration, ...]:
        """The properties that the provider's resource lacks."""
        return Alteration.of(self)


@part
class IcebergTable(Definition):
    """An Iceberg table in Snowflake's own catalog."""

    securable: ClassVar[Securable] = Securable.ICEBERG_TABLE
    kind: ClassVar[TableKind] = TableKind.ICEBERG
    catalog: ClassVar[str] = "SNOWFLAKE"

    name: QualifiedName
    metadata: tuple[Column, ...] = ()
    """The columns that the engine fills by itself."""
    columns: tuple[Column, ...] = ()
    """After those of the metadata."""
    volume: Identifier
    base_location: str
    format_version: int = 3
    """3 is the first that has VARIANT."""
    schema_evolution: bool = True
    error_logging: bool = True
    durability: Durability = Durability.PROTECTED
    comment: str = ""

    @property
    def is_in_snowflake(self) -> bool:
        """True if Snowflake's own storage keeps its files."""
        return self.volume.name == SNOWFLAKE_STORAGE

    @property
    def needs_statement(self) -> bool:
        """The provider's resource refuses structured types, and makes NUMBER(38, 0) of Iceberg's own whole numbers: a statement
        makes such a table."""
        types = [ColumnType.parse(each.type) for each in (*self.metadata, *self.columns)]
        return any(each.parts or each.family in ICEBERGS_OWN for each in types)

    @property
    def create(self) -> str:
        columns = ", ".join(each.sql for each in (*self.metadata, *self.columns))
        settings = {
            "EXTERNAL_VOLUME": literal(self.volume.name if self.is_in_snowflake else self.volume.sql),
            "CATALOG": literal(self.catalog),
            **({} if self.is_in_snowflake else {"BASE_LOCATION": literal(self.base_location)}),
            "ICEBERG_VERSION": self.format_version,
            "ERROR_LOGGING": str(self.error_logging).upper(),
            "COMMENT": literal(self.comment),
        }
        written = " ".join(f"{key} = {value}" for key, value in settings.items())
        return f"CREATE ICEBERG TABLE IF NOT EXISTS {self.name.sql} ({columns}) {written}"

    @property
    def drop(self) -> str:
        """Does nothing where the table is protected."""
        return (
            f"DROP ICEBERG TABLE IF EXISTS {self.name.sql}" if self.durability is Durability.EPHEMERAL else "SELECT 1"
        )

    @property
    def query(self) -> str:
        return _show("ICEBERG TABLES", self.name)

    @property
    def alterations(self) -> tuple[Alteration, ...]:
        return Alteration.of(self)


@part
class InteractiveTable(Definition):
    """A table that answers within a second. The provider has no resource for it, so it is made by statements."""

    securable: ClassVar[Securable] = Securable.INTERACTIVE_TABLE
    kind: ClassVar[TableKind] = TableKind.INTERACTIVE

    name: QualifiedName
    metadata: tuple[Column, ...] = ()
    """The columns that the engine fills by itself."""
    columns: tuple[Column, ...] = ()
    """After those of the metadata."""
    cluster_by: tuple[Identifier, ...]
    durability: Durability = Durability.PROTECTED

    @property
    def create(self) -> str:
        columns = ", ".join(each.sql for each in (*self.metadata, *self.columns))
        sorting = ", ".join(each.sql for each in self.cluster_by)
        made = f"CREATE INTERACTIVE TABLE IF NOT EXISTS {self.name.sql} ({columns})"
        made += f" CLUSTER BY ({sorting})" if sorting else ""
        return f"{made} AS (SELECT {self.select} FROM {STREAMED})" if self.select else made

    @property
    def select(self) -> str:
        """Empty where keys are matched with columns by name. What the engine adds has its columns' names."""
        selects = [each.select for each in self.columns if each.select is not None]
        own = [f"$1:{each.name.sql}::{each.type}" for each in self.metadata]
        return ", ".join([*own, *selects]) if selects else ""

    @property
    def drop(self) -> str:
        """Does nothing where the table is protected."""
        return f"DROP TABLE IF EXISTS {self.name.sql}" if self.durability is Durability.EPHEMERAL else "SELECT 1"

    @property
    def query(self) -> str:
        return _show("INTERACTIVE TABLES", self.name)


def literal(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace("'", "''")
    return f"'{escaped}'"


def _show(kind: str, of: QualifiedName) -> str:
    *container, name = of.parts
    return f"SHOW {kind} LIKE {like_pattern(name.name)} IN SCHEMA {QualifiedName(tuple(container)).sql}"


@part
class InteractiveWarehouse(Definition):
    """The warehouse that interactive tables are queried through."""

    name: Identifier
    size: str
    tables: tuple[QualifiedName, ...]
    comment: str = ""


@part
class Pipe(Definition):
    """A pipe of one's own for Snowpipe Streaming. Replacing it ends every channel on it."""

    name: QualifiedName
    table: QualifiedName
    select: str
    cluster_at_ingest_time: bool = False
    durability: Durability = Durability.PROTECTED
    comment: str = ""

    @property
    def copy_statement(self) -> str:
        """Snowflake repeats it byte for byte, and any difference replaces the pipe."""
        sorted_ = " CLUSTER_AT_INGEST_TIME = TRUE" if self.cluster_at_ingest_time else ""
        return f"COPY INTO {self.table.sql} FROM (SELECT {self.select} FROM {STREAMED}){sorted_}"


@part
class DeadLetterStage(Definition):
    """The stage in which files of dead letters wait for their pipe. Made by a statement; what it holds is gone once it is
    loaded."""

    name: QualifiedName
    durability: Durability = Durability.PROTECTED
    comment: str = ""

    @property
    def create(self) -> str:
        return f"CREATE STAGE IF NOT EXISTS {self.name.sql} COMMENT = {literal(self.comment)}"

    @property
    def drop(self) -> str:
        """Does nothing where the stage is protected."""
        return f"DROP STAGE IF EXISTS {self.name.sql}" if self.durability is Durability.EPHEMERAL else "SELECT 1"

    @property
    def query(self) -> str:
        return _show("STAGES", self.name)


@part
class DeadLetterPipe(Definition):
    """The pipe from such a stage, all rows of a file or none. Replacing it forgets what it has loaded."""

    name: QualifiedName
    """Of its stage, too."""
    table: QualifiedName
    durability: Durability = Durability.PROTECTED
    comment: str = ""

    @property
    def copy_statement(self) -> str:
        """Snowflake repeats it byte for byte, and any difference replaces the pipe."""
        return (
            f"COPY INTO {self.table.sql} FROM {_location(self.name)} FILE_FORMAT = (TYPE = JSON BINARY_FORMAT = BASE64) "
            "MATCH_BY_COLUMN_NAME = CASE_INSENSITIVE ON_ERROR = SKIP_FILE"
        )


def _location(stage: QualifiedName) -> str:
    """The stage in a COPY: as a whole between single quotes where a part has more than letters, digits, _ and $ (the page of PUT
    says so of blanks and special characters, 2026-11-30)."""
    is_plain = all(re.fullmatch(r"[A-Za-z0-9_$]+", each.name) for each in stage.parts)
    return f"@{stage.sql}" if is_plain else literal(f"@{stage.sql}")


@part
class SnowflakeRole(Definition):
    name: Identifier
    comment: str = ""


@part
class SnowflakeUser(Definition):
    """A service user (TYPE = SERVICE): it can't have a password, and logs in with its key pair alone."""

    secondary_roles: ClassVar[str] = "NONE"
    """The user acts in its default role alone, whatever it is granted later."""

    name: Identifier
    default_role: Identifier
    default_warehouse: Identifier | None = None
    """Absent for the engine, which computes nothing."""
    public_key: str | None
    """Base64 without PEM armour; the first of the user's two places."""
    public_key_2: str | None
    network_policy: Identifier | None = None
    adopted_network_policy: Identifier | None = None
    """The owner gives it to the user: only who owns both may, and it is left alone here."""
    authentication_policy: QualifiedName | None = None
    comment: str = ""


@part
class NetworkPolicy(Definition):
    """The network from which service users may connect."""

    name: Identifier
    allowed_networks: tuple[str, ...]
    """CIDR"""
    comment: str = ""


@part
class AuthenticationPolicy(Definition):
    """Lets users log in with a key pair and with nothing else, whatever they are given later."""

    methods: ClassVar[tuple[str, ...]] = ("KEYPAIR",)

    name: QualifiedName
    comment: str = ""


@part
class SnowflakeObjects(Definition):
    """Everything in Snowflake that an environment's pipelines need, in the order in which it can be made."""

    databases: tuple[Database, ...]
    schemas: tuple[Schema, ...]
    tables: tuple[Table | IcebergTable | InteractiveTable, ...]
    pipes: tuple[Pipe | DeadLetterPipe, ...] = ()
    stages: tuple[DeadLetterStage, ...] = ()
    latest: tuple[LatestTable, ...] = ()
    network_policy: NetworkPolicy | None = None
    authentication_policy: AuthenticationPolicy | None = None
    roles: tuple[SnowflakeRole, ...] = ()
    users: tuple[SnowflakeUser, ...] = ()
    role_grants: tuple[RoleGrant, ...] = ()
    grants: tuple[PrivilegeGrant, ...] = ()
    warehouse: InteractiveWarehouse | None = None
    ownerships: tuple[OwnershipGrant, ...] = ()
    adopted_tables: tuple[Table | IcebergTable | InteractiveTable, ...] = ()
    """Of somebody else, as they have to be."""
    adopted_pipes: tuple[QualifiedName, ...] = ()
    adopted_users: tuple[Identifier, ...] = ()
