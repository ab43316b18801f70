"""Column definitions, as CREATE TABLE and ALTER TABLE … ADD COLUMN write them."""

from firnline_local.snowflake.catalog import Column, Default
from firnline_local.snowflake.catalog.errors import CompilationFault, InvalidIdentifier, NotKnown
from firnline_local.snowflake.sql.query.constants import default_expression
from firnline_local.snowflake.sql.scope import Context
from firnline_local.snowflake.sql.words import Words

ENDS_OF_DEFAULT = frozenset(
    {",", "NOT", "COMMENT", "COLLATE", "UNIQUE", "PRIMARY", "AUTOINCREMENT", "IDENTITY", "WITH", "MASKING", "TAG"}
)
TABLE_CONSTRAINTS = ("CONSTRAINT", "FOREIGN KEY", "CHECK (")
ROW_ADDRESS = "rowid"
"""DuckDB's name for where a row is: UPDATE and DELETE find it by that."""


def read_columns(context: Context, words: Words) -> list[Column]:
    """`(a NUMBER NOT NULL, b VARIANT, …)`"""
    words.expect("(")
    columns = [_read_listed(context, words)]
    while words.accept(","):
        if not _read_key(words, columns):
            columns.append(_read_listed(context, words))
    words.expect(")")
    names = [column.name for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise CompilationFault(f"duplicate column name '{name}'")
    return columns


def read_column(context: Context, words: Words) -> Column:
    """One definition: the name, the type, and in any order what else there is to say."""
    name = words.identifier()
    if name.casefold() == ROW_ADDRESS:
        raise NotKnown(f"a column called {name}: DuckDB, which keeps the rows, has one of its own by that name")
    column = Column(name=name, type=words.type())
    while _read_attribute(context, words, column):
        pass
    return column


def _read_listed(context: Context, words: Words) -> Column:
    if any(words.starts(constraint) for constraint in TABLE_CONSTRAINTS):
        raise NotKnown("a constraint of the whole table: only PRIMARY KEY (…) and UNIQUE (…)")
    return read_column(context, words)


def _read_key(words: Words, columns: list[Column]) -> bool:
    """`PRIMARY KEY (a, b)` and `UNIQUE (a)`: kept, shown, and like everywhere in Snowflake not enforced."""
    key = words.accept_one("PRIMARY KEY (", "UNIQUE (")
    if key is None:
        return False
    by_name = {column.name: column for column in columns}
    while True:
        name = words.identifier()
        if name not in by_name:
            raise InvalidIdentifier(name)
        if key.startswith("PRIMARY"):
            by_name[name].primary_key, by_name[name].nullable = True, False
        else:
            by_name[name].unique = True
        if not words.accept(","):
            break
    words.expect(")")
    return True


def _read_attribute(context: Context, words: Words, column: Column) -> bool:
    match words.accept_one(
        "NOT NULL", "NULL", "DEFAULT", "COMMENT", "COLLATE", "PRIMARY KEY", "UNIQUE", "AUTOINCREMENT", "IDENTITY"
    ):
        case None:
            return False
        case "NOT NULL":
            column.nullable = False
        case "NULL":
            column.nullable = True
        case "DEFAULT":
            text = words.until(ENDS_OF_DEFAULT)
            column.default = Default(text, default_expression(text, column.type))
        case "COMMENT":
            column.comment = words.string()
        case "COLLATE":
            _refuse_collation(words.string())
        case "PRIMARY KEY":
            column.primary_key, column.nullable = True, False
        case "UNIQUE":
            column.unique = True
        case "AUTOINCREMENT" | "IDENTITY":
            column.default = _read_identity(context, words)
    return True


def _refuse_collation(collation: str) -> None:
    if collation:
        raise NotKnown(f"the collation '{collation}'")


def _read_identity(context: Context, words: Words) -> Default:
    start, step = 1, 1
    if words.accept("("):
        start = words.integer()
        words.expect(",")
        step = words.integer()
        words.expect(")")
    elif words.accept("START"):
        start = words.integer()
        words.expect("INCREMENT")
        step = words.integer()
    order = words.accept_one("ORDER", "NOORDER") or "NOORDER"
    sequence = f"s{context.catalog.directory.next_id()}"
    context.catalog.store.create_sequence(sequence, start=start, step=step)
    text = f"IDENTITY START {start} INCREMENT {step} {order}"
    return Default(text, f"nextval('{sequence}')", is_identity=True)
