"""Judgements of other people's grammars: sqlfluff's dialects, and sqlglot's where it reads a statement at all."""

import logging
from functools import cache

from sqlfluff.core import FluffConfig, Linter
from sqlglot import ErrorLevel, parse
from sqlglot.errors import SqlglotError

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of each statement that it passes over
SQLFLUFF, SQLGLOT = "sqlfluff", "sqlglot"


@cache
def _linter(dialect: str) -> Linter:
    return Linter(config=FluffConfig(overrides={"dialect": dialect}))


@cache
def refused_by(dialect: str, sql: str) -> dict[str, str]:
    """The grammars that don't know the statement, and where they stop. sqlglot passes over what it calls a command."""
    refused = {}
    violations = _linter(dialect).parse_string(sql).violations
    if violations:
        refused[SQLFLUFF] = str(violations[0])[:200]
    try:
        parse(sql, read=dialect, error_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        refused[SQLGLOT] = str(error).splitlines()[0][:200]
    return refused
