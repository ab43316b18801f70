"""Columns of a Flink table: their types in Snowflake, and the connector's metadata among them."""

import re
from typing import Any

from firnline_infra.specification.column_type import SIZES
from firnline_infra.specification.other_connectors.flink_sql import FlinkTable
from firnline_infra.specification.other_connectors.taken_over import TakenOver

((_, LONGEST),) = SIZES["VARCHAR"]
PARTS = {"timestamp": "approximate_arrival", "shard-id": "shard_id", "sequence-number": "sequence_number"}
"""Of metadata: Flink's key, and the part of ours."""
TYPES = (
    (r"(VAR)?CHAR\s*\(\s*(\d+)\s*\)", r"VARCHAR(\2)"),
    (r"STRING|VARCHAR", "VARCHAR"),
    (r"CHAR", "VARCHAR(1)"),
    (r"BOOLEAN", "BOOLEAN"),
    (r"TINYINT", "NUMBER(3, 0)"),
    (r"SMALLINT", "NUMBER(5, 0)"),
    (r"INT|INTEGER", "NUMBER(10, 0)"),
    (r"BIGINT", "NUMBER(19, 0)"),
    (r"FLOAT|DOUBLE|DOUBLE\s+PRECISION", "FLOAT"),
    (r"(?:DECIMAL|DEC|NUMERIC)\s*\(\s*(\d+)\s*,\s*(\d+)\s*\)", r"NUMBER(\1, \2)"),
    (r"(?:DECIMAL|DEC|NUMERIC)\s*\(\s*(\d+)\s*\)", r"NUMBER(\1, 0)"),
    (r"DECIMAL|DEC|NUMERIC", "NUMBER(10, 0)"),
    (r"DATE", "DATE"),
    (r"TIME(\s*\(\d\))?( WITHOUT TIME ZONE)?", "TIME"),
    (r"TIMESTAMP(?:\s*\((\d)\))? WITH (?:LOCAL )?TIME ZONE|TIMESTAMP_LTZ(?:\s*\((\d)\))?", "TIMESTAMP_LTZ"),
    (r"TIMESTAMP(\s*\(\d\))?( WITHOUT TIME ZONE)?", "TIMESTAMP_NTZ"),
    (r"BYTES|(?:VAR)?BINARY(\s*\(\d+\))?", "BINARY"),
    (r"ARRAY\s*<.*>|.* ARRAY", "ARRAY"),
    (r"(?:ROW|MAP)\s*[<(].*[>)]", "OBJECT"),
    (r"VARIANT", "VARIANT"),
)
"""A type of Flink, and the least type of Snowflake that holds each of its values."""


def put_columns(taken: TakenOver, table: FlinkTable, pipeline: dict[str, Any], path: str) -> None:
    """Declares the columns, and no others: as in Flink, a key without a column is not read."""
    declared: list[dict[str, Any]] = []
    names: dict[str, str] = {}
    for column in table.columns:
        option = f"column {column.name}"
        if column.computed is not None:
            reason = "a computed column: a transform, a SELECT of the pipe, or a view (docs/transforms.md)"
            taken.leave(option, column.computed, reason)
        elif column.metadata is not None:
            part = PARTS.get(column.metadata)
            if part is None:
                taken.leave(option, column.metadata, f"Kinesis has {', '.join(PARTS)} as metadata")
            elif part in names:
                taken.leave(option, column.metadata, f"is in the column {names[part]}; each is in one column")
            else:
                names[part] = _identifier(column.name)
                taken.take(option, f"{path}.metadata.names.{part}")
        else:
            declared.append(_declared(taken, option, column.name, column.type, is_nullable=column.is_nullable))
            taken.take(option, f"{path}.columns[{len(declared) - 1}]")
    if declared and pipeline.get("format", {}).get("type") not in ("text", "bytes"):
        pipeline.update(columns=declared, schema_evolution=False)
    if names:
        pipeline["metadata"] = {"form": "columns", "names": names}
    for clause in table.clauses:
        taken.leave(clause, None, _of_a_clause(clause))


def _declared(taken: TakenOver, option: str, name: str, given: str, *, is_nullable: bool) -> dict[str, Any]:
    here = _type(given)
    if here is None:
        taken.leave(
            f"type of {option}", given, "no type of Snowflake is known for it; it is a VARIANT, which takes anything"
        )
    found = {"name": _identifier(name), "type": here or "VARIANT"}
    return found if is_nullable else {**found, "nullable": False}


def _type(given: str) -> str | None:
    plain = " ".join(given.upper().split())
    for pattern, here in TYPES:
        if found := re.fullmatch(pattern, plain):
            text = found.expand(here)
            length = re.fullmatch(r"VARCHAR\((\d{1,10})\)", text)  # STRING is Flink's VARCHAR(2147483647)
            return "VARCHAR" if length and int(length[1]) > LONGEST else text
    return None


def _identifier(name: str) -> str:
    """Names match whatever their case, so that a plain name stays plain."""
    return name if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_$]*", name) else '"' + name.replace('"', '""') + '"'


def _of_a_clause(clause: str) -> str:
    kind = clause.upper()
    if kind.startswith("PARTITIONED"):
        return "is of writing into a stream: --key of firnline put"
    if kind.startswith("WATERMARK"):
        return "rows are not windowed; alignment keeps shards together by time of arrival (docs/alignment.md)"
    return "the table has all records: `latest_by` creates a table of the latest row of each key beside it"
