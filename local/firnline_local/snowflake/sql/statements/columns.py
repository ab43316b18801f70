"""Column definitions, as CREATE TABLE and ALTER TABLE … ADD COLUMN write them.

The columns of an Iceberg table have the types of its format's version (user guide, `tables-iceberg-data-types`).
"""

from dataclasses import replace

from firnline_local.snowflake.catalog import Column, DataType, Default, SqlError
from firnline_local.snowflake.catalog.errors import CompilationFault, InvalidIdentifier, NotKnown
from firnline_local.snowflake.catalog.types import DEFAULT_VARCHAR, MAX_VARCHAR
from firnline_local.snowflake.sql.query.compile import default_expression
from firnline_local.snowflake.sql.query.tables import ROW_ADDRESS
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.token_reader import TokenReader

FIRST_WITH_VARIANT = 3
MICROSECONDS, NANOSECONDS = 6, 9
MOST_IN_A_COLUMN = 1000
WHOLE_TEXT = (MAX_VARCHAR, DEFAULT_VARCHAR)
"""The second was the only one for years, and is what the stock provider writes for STRING."""


class NotInFormatVersion(SqlError):
    """The code is the one by which Snowflake's Kafka connector knows that VARIANT needs version 3."""

    code = "091386"

    def __init__(self, column: Column, version: int) -> None:
        super().__init__(
            f"SQL compilation error:\nUnsupported data type '{column.type}' for column '{column.name}' of an Iceberg table "
            f"of version {version}."
        )


def iceberg_column(column: Column, version: int) -> Column:
    """The column with the sizes that Iceberg has. Raises NotInFormatVersion."""
    kind = column.type.in_iceberg()
    inside = list(kind.walk())
    if not _is_there(kind, version) or len(inside) > MOST_IN_A_COLUMN:
        raise NotInFormatVersion(column, version)
    if any(each.family == "VARIANT" or not _is_there(each, version) for each in inside[1:]):
        raise NotInFormatVersion(column, version)
    return replace(column, type=kind)


def _is_there(kind: DataType, version: int) -> bool:
    match kind.family:
        case "VARIANT":
            return version >= FIRST_WITH_VARIANT
        case "OBJECT" | "ARRAY" | "MAP":
            return kind.is_structured
        case "TIMESTAMP_TZ":
            return False
        case "TIMESTAMP_NTZ" | "TIMESTAMP_LTZ":
            return kind.size == MICROSECONDS or (kind.size == NANOSECONDS and version >= FIRST_WITH_VARIANT)
        case "TIME":
            return kind.size == MICROSECONDS
        case "VARCHAR":
            return kind.size in WHOLE_TEXT
        case _:
            return True


ENDS_OF_DEFAULT = frozenset({",", "NOT", "COMMENT", "COLLATE", "PRIMARY", "UNIQUE", "WITH", "MASKING", "TAG"})
TABLE_CONSTRAINTS = ("CONSTRAINT", "FOREIGN KEY", "CHECK (", "UNIQUE (")


def read_columns(context: Context, reader: TokenReader) -> list[Column]:
    """`(a NUMBER NOT NULL, b VARIANT, …)`"""
    reader.expect("(")
    columns = [_read_listed(context, reader)]
    while reader.accept(","):
        if not _read_key(reader, columns):
            columns.append(_read_listed(context, reader))
    reader.expect(")")
    names = [column.name for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise CompilationFault(f"duplicate column name '{name}'")
    return columns


def read_column(context: Context, reader: TokenReader) -> Column:
    """One definition: the name, the type, and in any order what else there is to say."""
    name = reader.identifier()
    if name.casefold() == ROW_ADDRESS:
        raise NotKnown(f"a column called {name}: DuckDB, which keeps the rows, has one of its own by that name")
    column = Column(name=name, type=reader.type())
    while _read_attribute(context, reader, column):
        pass
    return column


def _read_listed(context: Context, reader: TokenReader) -> Column:
    if any(reader.starts(constraint) for constraint in TABLE_CONSTRAINTS):
        raise NotKnown("a constraint of the whole table: only PRIMARY KEY (…)")
    return read_column(context, reader)


def _read_key(reader: TokenReader, columns: list[Column]) -> bool:
    """`PRIMARY KEY (a, b)`: kept, shown, and like everywhere in Snowflake not enforced."""
    if not reader.accept("PRIMARY KEY"):
        return False
    by_name = {column.name: column for column in columns}
    for name in reader.listed(TokenReader.identifier):
        if name not in by_name:
            raise InvalidIdentifier(name)
        by_name[name].primary_key, by_name[name].nullable = True, False
    return True


def _read_attribute(context: Context, reader: TokenReader, column: Column) -> bool:
    if refused := reader.accept_one("UNIQUE", "AUTOINCREMENT"):
        raise NotKnown(f"{refused} of the column {column.name}")
    match reader.accept_one("NOT NULL", "NULL", "DEFAULT", "COMMENT", "COLLATE", "PRIMARY KEY", "IDENTITY"):
        case None:
            return False
        case "NOT NULL":
            column.nullable = False
        case "NULL":
            column.nullable = True
        case "DEFAULT":
            text = reader.until(ENDS_OF_DEFAULT)
            column.default = Default(text, default_expression(text, column.type))
        case "COMMENT":
            column.comment = reader.string()
        case "COLLATE":
            _refuse_collation(reader.string())
        case "PRIMARY KEY":
            column.primary_key, column.nullable = True, False
        case "IDENTITY":
            column.default = _read_identity(context, reader)
    return True


def _refuse_collation(collation: str) -> None:
    if collation:
        raise NotKnown(f"the collation '{collation}'")


def _read_identity(context: Context, reader: TokenReader) -> Default:
    """`IDENTITY (1, 1)`, as the stock provider writes it."""
    if not reader.accept("("):
        raise NotKnown("IDENTITY but with (start, step)")
    start = reader.integer()
    reader.expect(",")
    step = reader.integer()
    reader.expect(")")
    sequence = f"s{context.catalog.directory.next_id()}"
    context.catalog.store.create_sequence(sequence, start=start, step=step)
    return Default(f"IDENTITY START {start} INCREMENT {step} NOORDER", f"nextval('{sequence}')")
