"""FLATTEN, in `FROM t, LATERAL FLATTEN(INPUT => t.v:items) f`: a row for each element of an array, member of an object.

While names and types are found out it stands as a join with a table of FLATTEN's columns, whose condition is the input;
then it becomes DuckDB's lateral join with `json_each`. SEQ is refused: nothing here numbers the input rows.
"""

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.query.casts import raw, text
from firnline_local.snowflake.sql.query.types import semistructured_family

COLUMNS: dict[str, str] = {
    "SEQ": "NUMBER(38,0)",
    "KEY": "VARCHAR",
    "PATH": "VARCHAR",
    "INDEX": "NUMBER(38,0)",
    "VALUE": "VARIANT",
    "THIS": "VARIANT",
}


class FlattenInput(exp.Expression, exp.Func):
    """What is flattened, as the condition of the join that stands for it."""

    arg_types = {"this": True}  # noqa: RUF012 - sqlglot's own way


def stand_in(tree: exp.Expr) -> dict[str, dict[str, str]]:
    """Puts joins in the place of FLATTENs. Returns the columns of the tables that they name."""
    tables: dict[str, dict[str, str]] = {}
    for join in list(tree.find_all(exp.Join)):
        source = join.this
        if isinstance(source, exp.Lateral | exp.TableFromRows) and isinstance(source.this, exp.Explode):
            if join.side or join.args.get("on") or not source.alias:
                raise NotKnown("FLATTEN in anything but FROM …, LATERAL FLATTEN(INPUT => …) alias")
            name = f"flatten{len(tables)}"
            tables[name] = COLUMNS
            table = exp.to_table(name, alias=exp.TableAlias(this=source.args["alias"].this))
            table.this.set("quoted", True)
            join.replace(exp.Join(this=table, on=FlattenInput(this=_input(source.this))))
    return tables


def refuse_seq(tree: exp.Expr) -> None:
    flattened = {join.this.alias for join in tree.find_all(exp.Join) if isinstance(join.args.get("on"), FlattenInput)}
    for column in tree.find_all(exp.Column):
        if column.table in flattened and column.name == "SEQ":
            raise NotKnown("SEQ of FLATTEN")


def lower_join(node: exp.Join) -> exp.Expr:
    """Back to a lateral join, where the join stands for one."""
    condition = node.args.get("on")
    if not isinstance(condition, FlattenInput):
        return node
    if semistructured_family(condition.this) is None:
        raise NotKnown(f"FLATTEN of {condition.this.sql('snowflake')[:60]}, which is not semi-structured")
    value = f"({text(condition.this)})"
    is_array = f"json_type({value}) = 'ARRAY'"
    columns = (
        f"NULL, CASE WHEN {is_array} THEN NULL ELSE key END, CASE WHEN {is_array} THEN '[' || key || ']' ELSE key END, "
        f"CASE WHEN {is_array} THEN CAST(key AS DECIMAL(38, 0)) END, value, {value}"
    )
    inside = f"CASE WHEN json_type({value}) IN ('ARRAY', 'OBJECT') THEN {value} END"
    alias = exp.to_identifier(node.this.alias, quoted=True).sql("duckdb")
    names = ", ".join(f'"{name}"' for name in COLUMNS)
    lateral = raw(f"LATERAL (SELECT {columns} FROM json_each({inside})) AS {alias}({names})")
    return exp.Join(this=lateral, kind="CROSS")


def _input(function: exp.Explode) -> exp.Expr:
    value = function.this
    if function.expressions:
        raise NotKnown(f"{function.sql('snowflake')[:80]}: only INPUT")
    if isinstance(value, exp.Kwarg):
        if value.this.name.upper() != "INPUT":
            raise NotKnown(f"FLATTEN with {value.this.name.upper()}")
        value = value.expression
    assert isinstance(value, exp.Expr)
    return value
