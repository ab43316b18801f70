"""The SELECT of a pipe: a path into the row for each column, `$1:a.b::VARCHAR`, or the row itself, `$1`.

Snowflake can compute more; here any other expression is refused, because rows that went in otherwise would be wrong in silence.
"""

from collections.abc import Sequence

from sqlglot import exp

from firnline_local.snowflake.catalog import Column, DataType, Table
from firnline_local.snowflake.catalog.errors import CompilationFault, InvalidIdentifier, NotKnown
from firnline_local.snowflake.catalog.pipes import PipeColumn
from firnline_local.snowflake.sql.query.compile import parse

SOURCE, STREAMING = "DATA_SOURCE", "STREAMING"


def read_transformation(select: str, table: Table, targets: Sequence[str]) -> tuple[PipeColumn, ...]:
    """`targets` are the columns behind COPY INTO; all of the table's, where none is named."""
    columns = [_column(table, name) for name in targets] or list(table.columns)
    tree = parse(select)
    if not isinstance(tree, exp.Select) or not _is_streaming(tree):
        raise NotKnown("a pipe from anything but TABLE(DATA_SOURCE(TYPE => 'STREAMING'))")
    if others := [key for key, value in tree.args.items() if value and key not in ("expressions", "from_")]:
        raise CompilationFault(f"A pipe's SELECT can't have {others[0].upper()}.")
    if len(tree.expressions) != len(columns):
        raise CompilationFault(
            f"Insert value list does not match column list expecting {len(columns)} but got {len(tree.expressions)}"
        )
    return tuple(_mapped(column, each) for column, each in zip(columns, tree.expressions, strict=True))


def _mapped(column: Column, written: exp.Expr) -> PipeColumn:
    expression = written.this if isinstance(written, exp.Alias) else written
    if isinstance(expression, exp.Cast):
        wanted = DataType.parse(expression.to.sql("snowflake"))
        if wanted.family != column.type.family:
            raise NotKnown(f"a cast to {wanted} for the column {column.name}, which is {column.type}")
        expression = expression.this
    return PipeColumn(column.name, _path(expression))


def _path(expression: exp.Expr) -> tuple[str, ...]:
    if _is_row(expression):
        return ()
    if isinstance(expression, exp.JSONExtract) and _is_row(expression.this):
        steps = expression.expression.expressions[1:] if isinstance(expression.expression, exp.JSONPath) else []
        if steps and all(isinstance(step, exp.JSONPathKey) for step in steps):
            return tuple(str(step.this) for step in steps)
    raise NotKnown(f"{expression.sql('snowflake')[:60]} in a pipe: only $1 and paths into it, with or without a cast")


def _is_row(expression: exp.Expr) -> bool:
    return isinstance(expression, exp.Parameter) and expression.this.name == "1"


def _is_streaming(tree: exp.Select) -> bool:
    source = tree.args["from_"].this if tree.args.get("from_") else None
    function = source.this if isinstance(source, exp.TableFromRows) else None
    if not isinstance(function, exp.Anonymous) or function.name.upper() != SOURCE:
        return False
    return [each.expression.name.upper() for each in function.expressions if isinstance(each, exp.Kwarg)] == [STREAMING]


def _column(table: Table, name: str) -> Column:
    found = table.column(name)
    if found is None:
        raise InvalidIdentifier(name)
    return found
