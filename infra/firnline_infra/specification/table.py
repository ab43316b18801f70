"""Options of a table that a pipeline fills, and what the engine may do with it."""

from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator

from firnline_infra.specification.column_type import valid_type
from firnline_infra.specification.containers import ObjectOrigin
from firnline_infra.specification.latest import LatestOptions
from firnline_ingest.config.document import Section
from firnline_ingest.config.form import Form
from firnline_ingest.config.identifier import IdentifierText
from firnline_ingest.config.rows import PipeRows

BASE_LOCATION = Form(
    r"[A-Za-z0-9_.=-][A-Za-z0-9_.=/-]{0,254}",
    "a path below the volume's, without a slash before it: letters, digits and _ . = - /",
    "lake/orders",
)
SNOWFLAKE_STORAGE = "SNOWFLAKE_MANAGED"
"""In the place of an external volume: Iceberg tables in Snowflake's own storage (user-guide/tables-iceberg-internal-storage)."""
COLUMN_TYPE = Form(
    r"[A-Za-z][A-Za-z0-9_]*( ?\(.+\))?",
    "a type of Snowflake in any case: NUMBER(p, s), INT, FLOAT, VARCHAR, STRING, BOOLEAN, DATE, TIME, TIMESTAMP_NTZ, _LTZ, _TZ, "
    "BINARY, VARIANT, OBJECT, ARRAY, or structured: OBJECT(key TYPE, …), ARRAY(TYPE), MAP(VARCHAR, TYPE), NOT NULL behind a part",
    "NUMBER(18, 4)",
)


class TableKind(StrEnum):
    """Kind of the table that rows land in."""

    STANDARD = "standard"
    """In Snowflake's own storage; the only kind with row timestamps."""
    ICEBERG = "iceberg"
    """In a bucket of yours, through an external volume."""
    INTERACTIVE = "interactive"
    """For queries within a second, through an interactive warehouse."""


class TablePrivilege(StrEnum):
    """Privilege of the engine on its table."""

    INSERT = "insert"
    """INSERT, and EVOLVE SCHEMA where the schema evolves; the deploy role owns the table."""
    OWNERSHIP = "ownership"
    """The engine owns it: for accounts where other tools demand that."""


@dataclass(frozen=True)
class OfTable:
    """Traits of an option of tables: what it may be combined with. A field without the annotation has the defaults."""

    shared: bool = False
    """Pipelines that fill one table may differ in it."""
    routed: bool = True
    """The table of a route takes it over from its pipeline."""
    kinds: frozenset[TableKind] | None = None
    """The kinds of table that have a use for it; all where None."""


PLAIN = OfTable()
ICEBERG, STANDARD = frozenset({TableKind.ICEBERG}), frozenset({TableKind.STANDARD})


class ColumnOptions(Section):
    """A column that is made with its table."""

    name: IdentifierText
    """Filled from the first-level key of that name, whatever its case."""
    type: Annotated[str, COLUMN_TYPE, AfterValidator(valid_type)]
    """A value that does not fit is a rejected row; one of a structured OBJECT has its keys and no others. INT is NUMBER(38, 0),
    and in an Iceberg table Iceberg's own int, as LONG is its long."""
    nullable: bool = True
    """True if a record may lack it; `false` rejects rows without it."""
    select: str | None = Field(default=None, min_length=1)
    """Where in a record its value is: `$1:customer.city::VARCHAR`, whose keys are matched with their case. For columns of an
    interactive table, and then for all of them: the table is made with that SELECT. Absent, the key of the column's name."""


class PipeOptions(Section):
    """A pipe of one's own in place of the table's default pipe."""

    name: IdentifierText
    """In the schema of its table. A new name ends the old pipe's channels."""
    origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` uses a pipe that exists, and leaves it as it is."""
    select: str | None = Field(default=None, min_length=1)
    """What of a record becomes a row, over DATA_SOURCE(TYPE => 'STREAMING'): an expression for each column of the table, in
    their order, `$1:KINESISMETADATA, $1:id::NUMBER, …`, whose keys keep their case. With `origin: create`, and
    schema_evolution: false."""

    cluster_at_ingest_time: bool = False
    """Sorts rows by the table's clustering key as they come (CLUSTER_AT_INGEST_TIME), as the default pipe does by itself. A
    change makes the pipe again, which ends its channels. With `origin: create`."""

    rows: PipeRows = Field(default=PipeRows.ONE, strict=False)
    """The number of rows that the pipe makes of each that it is sent: `one`, `some` if its WHERE drops rows, `several` if it
    flattens a list or joins a table. What it drops, and how many it has to make, the audit can't prove, and says so. With
    `origin: adopt`: one that is made here makes one."""

    @model_validator(mode="after")
    def _one_that_is_made_selects(self) -> Self:
        if (self.origin is ObjectOrigin.CREATE) != (self.select is not None):
            raise ValueError("give select with origin: create, and only then")
        if self.cluster_at_ingest_time and self.origin is not ObjectOrigin.CREATE:
            raise ValueError("cluster_at_ingest_time: its owner creates the pipe; remove it")
        if self.rows is not PipeRows.ONE and self.origin is ObjectOrigin.CREATE:
            raise ValueError(
                f"rows: {self.rows} belongs to a pipe that exists (origin: adopt); one that is created here has one"
            )
        return self


class TableOptions(Section):
    """Options of a table that rows go into, and what is made with it; a table of a route has the same."""

    table_origin: ObjectOrigin = Field(default=ObjectOrigin.CREATE, strict=False)
    """`adopt` fills a table that exists, and never alters it: what is said of it here (metadata column, schema_evolution,
    error_logging, row_timestamp) has to be true of it, and what is not is reported."""
    table_kind: TableKind = Field(default=TableKind.STANDARD, strict=False)
    """It can't be changed: another kind is another table."""
    table_privilege: TablePrivilege = Field(default=TablePrivilege.INSERT, strict=False)
    """The least by default: who can neither drop nor read a table can neither lose nor leak what is in it."""
    external_volume: Annotated[IdentifierText | None, OfTable(kinds=ICEBERG)] = None
    """Where an Iceberg table lies: the name of one of the environment's external volumes, or SNOWFLAKE_MANAGED for Snowflake's
    own storage, which needs no bucket and no role."""
    base_location: Annotated[Annotated[str, BASE_LOCATION] | None, OfTable(routed=False, kinds=ICEBERG)] = None
    """Where in the volume an Iceberg table lies: its BASE_LOCATION, behind which Snowflake puts a suffix of its own. Absent,
    `database/schema/table` in lower case. It can't be changed: another place is another table."""
    iceberg_version: Annotated[Literal[2, 3], OfTable(kinds=ICEBERG)] = 3
    """Of an Iceberg table's format. 3 by default: it has VARIANT, which is what nested keys become; 2 for readers that know no
    other. It can't be changed: another version is another table."""
    structured_metadata: Annotated[bool | None, OfTable(kinds=ICEBERG)] = None
    """Whether an Iceberg table's metadata column is an OBJECT with its keys and types, which every reader of Iceberg knows, and
    not VARIANT. Absent, it is with iceberg_version: 2, which has no VARIANT."""
    columns: Annotated[list[ColumnOptions], OfTable(routed=False)] = Field(default=[])
    """Columns that the table has from the beginning, after the metadata column; with schema_evolution: false the only ones.
    An interactive table has no others either, so it needs them."""
    cluster_by: Annotated[list[IdentifierText], OfTable(routed=False)] = Field(default=[])
    """The clustering key, as declared columns. A standard table has none by default: Snowflake bills reclustering, and streamed
    rows come sorted by it through the default pipe (through a `pipe` with cluster_at_ingest_time). An interactive table needs
    one, but where its columns have a `select`: then it is made without CLUSTER BY, if Snowflake takes that."""
    pipe: Annotated[PipeOptions | None, OfTable(shared=True, routed=False)] = None
    """The table's default pipe by default: it needs no name, no grant and no care. That of a route's table has the table's
    name."""
    schema_evolution: bool = True
    """First-level keys without a column get one. Where off, their values are not kept; the log names each such key once, with
    the record that brought it first and the statement that would add its column."""
    error_logging: bool = True
    """Keeps rows that Snowflake rejects in the table's error table; without it they can't be distinguished from loaded ones."""
    row_timestamp: bool = True
    """Lets METADATA$ROW_LAST_COMMIT_TIME say when a row became visible: the latency report needs it."""
    file_replay: Annotated[bool, OfTable(kinds=STANDARD | ICEBERG)] = False
    """Makes a stage and a pipe beside the table, `<TABLE>_DEAD_LETTERS`, through which dead letters go into it in files, also
    those whose row is too large to be streamed (docs/files.md). Off by default: the engine's role gets SELECT on the table
    with it. Not of an interactive table, nor of one with a pipe of its own."""
    latest_by: Annotated[list[IdentifierText], OfTable(routed=False, kinds=STANDARD)] = Field(default=[])
    """Declared columns that are a key: beside the table, a dynamic table of the latest row of each key is made, `<TABLE>_LATEST`
    (docs/latest.md). Only of a standard table that is made here."""
    latest: Annotated[LatestOptions, OfTable(routed=False, kinds=STANDARD)] = LatestOptions.default()
    """Which row of a key is the latest, which one deletes it, and what the table of them costs."""

    @property
    def keeps_latest(self) -> bool:
        """True if a table of the latest rows is made beside it."""
        return bool(self.latest_by) or self.latest.partition_key


TRAITS = {
    name: next((each for each in field.metadata if isinstance(each, OfTable)), PLAIN)
    for name, field in TableOptions.model_fields.items()
}


def options_with(trait: Callable[[OfTable], bool]) -> frozenset[str]:
    """Returns the names of the options of tables whose traits are such."""
    return frozenset([name for name, traits in TRAITS.items() if trait(traits)])


DEFINES_THE_TABLE = options_with(lambda option: not option.shared)
"""Pipelines that fill one table agree in these."""
OF_ITS_KIND = options_with(lambda option: option.kinds is not None)
"""Options that a table of another kind has no use for."""
ONLY_OF_ICEBERG = options_with(lambda option: option.kinds == ICEBERG)
OF_ONE_TABLE = options_with(lambda option: not option.routed)
"""Options that a table never takes over from another one."""
