"""VARIANT, OBJECT and ARRAY on DuckDB's JSON: paths, construction, inspection."""

import json

from sqlglot import exp

from firnline_local.snowflake.catalog.errors import NotKnown
from firnline_local.snowflake.sql.query.casts import raw, text
from firnline_local.snowflake.sql.query.types import semistructured_family


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


def lower_array_size(node: exp.ArraySize) -> exp.Expr:
    return raw(f"sf_array_size({_semistructured(node.this)})")


def lower_typeof(node: exp.Typeof) -> exp.Expr:
    return raw(f"sf_typeof({_semistructured(node.this)})")


def lower_object_keys(node: exp.JSONKeys) -> exp.Expr:
    return raw(f"to_json(json_keys({_semistructured(node.this)}))")


def lower_to_variant(node: exp.ToVariant) -> exp.Expr:
    return node.this if semistructured_family(node.this) else raw(f"to_json({text(node.this)})")


def lower_to_json(node: exp.JSONFormat) -> exp.Expr:
    return raw(f"CAST({_semistructured(node.this)} AS VARCHAR)")


def lower_parse_json(node: exp.ParseJSON) -> exp.Expr:
    """Of a text; TRY_PARSE_JSON is NULL for what is none."""
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
