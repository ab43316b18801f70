"""A SELECT of Redshift as one of DuckDB: of a view over the records of a refresh, and of a query.

A record's text and JSON are columns of the batch already (ingestion.py), so that what is JSON is said by one reader. A function
that Redshift does not document is refused (functions.py). One that it documents and that is not here is DuckDB's, where it has
one of that name; then its answer may differ from Redshift's.
"""

from collections.abc import Callable, Mapping

from sqlglot import exp, parse_one
from sqlglot.errors import SqlglotError

from firnline_infra.specification.redshift_sql import refusals
from firnline_local.runtimes.redshift.functions import undocumented
from firnline_local.runtimes.redshift.statements import Path, StatementError

RECORD = "kinesis_data"
BATCH = "batch"
COLUMNS = ("approximate_arrival_timestamp", "partition_key", "shard_id", "sequence_number", "refresh_time", RECORD)
LONGEST_NAME = 127
"""Bytes of an identifier (Database Developer Guide, "Names and identifiers")."""
LONGEST_TEXT = 65_535
"""Bytes that JSON_EXTRACT_PATH_TEXT reads (AWS's page on streaming ingestion, best practices: 64 KB)."""
BEYOND_A_STREAM = (exp.Join, exp.Window, exp.Distinct, exp.Order, exp.Limit, exp.Having)
AGGREGATES = (exp.Count, exp.Sum, exp.Min, exp.Max, exp.Avg)
"""Those that a view over a stream is made with; of others nothing is known here (beliefs.md, B950)."""
UNREADABLE = "error('JSON parsing error: a record is not valid JSON')"
TOO_LONG = "error('JSON_EXTRACT_PATH_TEXT: the text is longer than 65535 bytes')"
NO_TEXT = "error('FROM_VARBYTE: the record is not valid UTF-8')"


def of_batch(select: str, *, refreshes_itself: bool = False) -> tuple[Path, str, bool]:
    """The stream that a view reads, its SELECT over a batch of records, and whether that has to be all records, since its rows
    are aggregates. Raises StatementError."""
    tree = _parsed(select, refreshes_itself=refreshes_itself)
    tables = list(tree.find_all(exp.Table))
    others = [each for each in tree.find_all(exp.AggFunc) if not isinstance(each, AGGREGATES)]
    if len(tables) != 1 or not isinstance(tree, exp.Select) or tree.find(*BEYOND_A_STREAM) or others:
        raise StatementError(
            "The embedded Redshift carries a view over one stream, with the aggregates COUNT, SUM, MIN, MAX and AVG: without "
            "joins, other aggregates, windows, DISTINCT, HAVING, ORDER BY and LIMIT."
        )
    is_aggregated = tree.find(exp.AggFunc, exp.Group) is not None
    (table,) = tables
    stream = Path(table.db or "public", table.name)
    table.replace(exp.to_table(BATCH, alias=exp.to_identifier(table.alias_or_name, quoted=True)))
    for column in tree.find_all(exp.Column):
        if column.name.lower() not in COLUMNS and not column.table:
            raise StatementError(f'column "{column.name}" does not exist in {stream.name}')
    names = [name.lower() for name in tree.named_selects]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise StatementError(f'column "{twice}" duplicated')
    if long := next((name for name in names if len(name.encode()) > LONGEST_NAME), None):
        raise StatementError(f'identifier "{long}" is longer than {LONGEST_NAME} bytes')
    tree = tree.transform(_of_record)
    return stream, _truncating(tree).sql(dialect="duckdb"), is_aggregated


def of_query(select: str, relation: Callable[[Path], str], columns: Mapping[str, str], user: str) -> str:
    """`relation` says what stands for a table, and raises StatementError; `columns` are the names of those that are SUPER."""
    tree = _parsed(select)
    ctes = {each.alias_or_name for each in tree.find_all(exp.CTE)}
    for table in list(tree.find_all(exp.Table)):
        if table.name in ctes and not table.db:
            continue
        found = exp.maybe_parse(relation(Path(table.db or "", table.name)), into=exp.Table, dialect="duckdb")
        found.set("alias", table.args.get("alias") or exp.TableAlias(this=exp.to_identifier(table.name)))
        table.replace(found)
    tree = tree.transform(lambda node: _navigated(node, columns))
    for who in list(tree.find_all(exp.CurrentUser)):
        who.replace(exp.Literal.string(user))
    return _truncating(tree).sql(dialect="duckdb")


def _parsed(select: str, *, refreshes_itself: bool = False) -> exp.Expr:
    for refusal in refusals(select, refreshes_itself=refreshes_itself):
        raise StatementError(f"{refusal}.")
    for name in undocumented(select):
        raise StatementError(f"function {name} does not exist, or it is one that the embedded Redshift does not have")
    try:
        return parse_one(select, read="redshift")
    except SqlglotError as error:
        raise StatementError(f"syntax error: {str(error).splitlines()[0]}") from error


def _of_record(node: exp.Expr) -> exp.Expr:
    name, arguments = _called(node)
    match name:
        case "JSON_PARSE":
            _about_record(name, arguments)
            return _duck(f"CASE WHEN is_json THEN record_text::JSON ELSE {UNREADABLE} END")
        case "CAN_JSON_PARSE":
            _about_record(name, arguments)
            return _duck("is_json")
        case "FROM_VARBYTE":
            return _duck(f"CASE WHEN record_text IS NULL THEN {NO_TEXT} ELSE record_text END")
        case "JSON_EXTRACT_PATH_TEXT":
            return _extracted(arguments)
        case "LENGTH" if _is_record(arguments[0]):
            return _duck(f"octet_length({RECORD})")
    return node


def _extracted(arguments: list[exp.Expr]) -> exp.Expr:
    text, *path = arguments
    nulls = bool(path) and isinstance(path[-1], exp.Boolean) and bool(path[-1].this)
    keys = [each.name for each in path if isinstance(each, exp.Literal)]
    if _called(text)[0] != "FROM_VARBYTE":
        raise StatementError("The embedded Redshift extracts from FROM_VARBYTE(kinesis_data, 'utf-8') alone.")
    where = "$" + "".join(f'."{key}"' for key in keys)
    invalid = "NULL" if nulls else UNREADABLE
    value = f"json_extract_string(record_text, {exp.Literal.string(where).sql()})"
    return _duck(
        f"CASE WHEN octet_length({RECORD}) > {LONGEST_TEXT} THEN {TOO_LONG} WHEN NOT is_json THEN {invalid} ELSE {value} END"
    )


def _truncating(tree: exp.Expr) -> exp.Expr:
    """A cast to VARCHAR(n) cuts off what is longer, as Redshift's does; DuckDB's passes over the length."""

    def cut(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Cast) and node.to.this in (exp.DataType.Type.VARCHAR, exp.DataType.Type.CHAR):
            length = node.to.find(exp.DataTypeParam)
            if length is not None:
                text = exp.cast(node.this.copy(), "TEXT")
                return exp.func("left", text, exp.Literal.number(length.name))
        return node

    return tree.transform(cut)


def _navigated(node: exp.Expr, columns: Mapping[str, str]) -> exp.Expr:
    """kinesis_data.key of a SUPER column: text where it is cast or compared, JSON else."""
    if not isinstance(node, exp.Dot | exp.Column):
        return node
    parts = [each.name for each in node.parts]
    place = next((number for number, name in enumerate(parts[:-1]) if name in columns), None)
    if place is None:
        return node
    column = ".".join(exp.to_identifier(each, quoted=True).sql() for each in parts[: place + 1])
    path = "$" + "".join(f'."{key}"' for key in parts[place + 1 :])
    as_text = isinstance(node.parent, exp.Cast | exp.Binary | exp.In)
    function = "json_extract_string" if as_text else "json_extract"
    return _duck(f"{function}({column}, {exp.Literal.string(path).sql()})")


def _called(node: exp.Expr) -> tuple[str, list[exp.Expr]]:
    """The function under Redshift's name, and its arguments."""
    if isinstance(node, exp.ParseJSON):
        return "JSON_PARSE", [node.this]
    if isinstance(node, exp.Length):
        return "LENGTH", [node.this]
    if isinstance(node, exp.Anonymous):
        return node.name.upper(), list(node.expressions)
    if isinstance(node, exp.JSONExtractScalar):
        return "JSON_EXTRACT_PATH_TEXT", [node.this, node.args["expression"], *(node.args.get("expressions") or ())]
    return "", []


def _about_record(name: str, arguments: list[exp.Expr]) -> None:
    if len(arguments) != 1 or not _is_record(arguments[0]):
        raise StatementError(f"The embedded Redshift carries {name}({RECORD}) alone.")


def _is_record(node: exp.Expr) -> bool:
    return isinstance(node, exp.Column) and node.name.lower() == RECORD


def _duck(sql: str) -> exp.Expr:
    return parse_one(sql, read="duckdb")
