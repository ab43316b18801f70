"""VARIANT, OBJECT and ARRAY on DuckDB's JSON: paths, construction, inspection, and FLATTEN.

`FROM t, LATERAL FLATTEN(INPUT => t.v:items) f` is a row for each element of an array, member of an object. While names and
types are found out it stands as a join with a table of FLATTEN's columns, whose condition is the input; then it becomes
DuckDB's lateral join with `json_each`. SEQ is refused: nothing here numbers the input rows.
"""

import json

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.query.types import raw, semistructured_family, text

INSPECTIONS: dict[type[exp.Expr], str] = {
    exp.ArraySize: "sf_array_size({})",
    exp.Typeof: "sf_typeof({})",
    exp.JSONKeys: "to_json(json_keys({}))",
    exp.JSONFormat: "CAST({} AS VARCHAR)",
}
FLATTEN_COLUMNS: dict[str, str] = {
    "SEQ": "NUMBER(38,0)",
    "KEY": "VARCHAR",
    "PATH": "VARCHAR",
    "INDEX": "NUMBER(38,0)",
    "VALUE": "VARIANT",
    "THIS": "VARIANT",
}


def lower_path(node: exp.JSONExtract | exp.GetExtract | exp.Bracket) -> exp.Expr:
    """`v:a.b[0]`, `v['a']`, GET(v, 'a'): keys keep their case, what isn't there is NULL."""
    if isinstance(node, exp.JSONExtract):
        steps = [_path_step(part) for part in node.expression.expressions if not isinstance(part, exp.JSONPathRoot)]
    elif isinstance(node, exp.Bracket):
        steps = [_literal_step(key) for key in node.expressions]
    else:
        steps = [_literal_step(node.expression)]
    path = "$" + "".join(steps)
    return raw(f"json_extract({text(node.this)}, {_quoted(path)})")


def lower_object_construct(node: exp.Struct) -> exp.Expr:
    """OBJECT_CONSTRUCT leaves out what is NULL."""
    members = [
        f"to_json({_key(member)})::VARCHAR || ':' || to_json({text(member.expression)})::VARCHAR"
        for member in node.expressions
    ]
    return raw(f"CAST('{{' || array_to_string([{', '.join(members)}]::VARCHAR[], ',') || '}}' AS JSON)")


def lower_array_construct(node: exp.Array) -> exp.Expr:
    return raw(f"json_array({', '.join(text(element) for element in node.expressions)})")


def lower_inspection(node: exp.Expr) -> exp.Expr:
    """Lowers a function that inspects or writes a semi-structured value."""
    return raw(INSPECTIONS[type(node)].format(_semistructured(node.this)))


def lower_to_variant(node: exp.ToVariant) -> exp.Expr:
    return node.this if semistructured_family(node.this) else raw(f"to_json({text(node.this)})")


def lower_parse_json(node: exp.ParseJSON) -> exp.Expr:
    """Parses a text; TRY_PARSE_JSON is NULL where the text is not JSON."""
    value = f"json_extract_string({text(node.this)}, '$')" if semistructured_family(node.this) else text(node.this)
    return raw(f"{'TRY_CAST' if node.args.get('safe') else 'CAST'}({value} AS JSON)")


def _semistructured(node: exp.Expr) -> str:
    if semistructured_family(node) is None:
        raise NotKnown(f"{node.sql('snowflake')[:60]} where a VARIANT is expected")
    return text(node)


def _path_step(part: exp.Expr) -> str:
    if isinstance(part, exp.JSONPathKey) and isinstance(part.this, str):
        return "." + json.dumps(part.this, ensure_ascii=False)
    if isinstance(part, exp.JSONPathSubscript) and isinstance(part.this, int):
        return f"[{part.this}]"
    if isinstance(part, exp.JSONPathSubscript) and isinstance(part.this, str):
        return "." + json.dumps(part.this, ensure_ascii=False)
    raise NotKnown(f"the path {part}")


def _literal_step(key: exp.Expr) -> str:
    if not isinstance(key, exp.Literal):
        raise NotKnown(f"a path with the computed key {key.sql('snowflake')[:60]}")
    return "." + json.dumps(key.name, ensure_ascii=False) if key.is_string else f"[{key.name}]"


def _key(member: exp.Expr) -> str:
    if isinstance(member, exp.PropertyEQ) and isinstance(member.this, exp.Identifier | exp.Literal):
        return _quoted(member.this.name)
    raise NotKnown("OBJECT_CONSTRUCT with computed keys")


def _quoted(value: str) -> str:
    return "'" + value.replace("'", "''") + "'"


class FlattenInput(exp.Expression, exp.Func):
    """The input of a FLATTEN, kept as the condition of the join that stands for it."""

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
            tables[name] = FLATTEN_COLUMNS
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
    names = ", ".join(f'"{name}"' for name in FLATTEN_COLUMNS)
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
