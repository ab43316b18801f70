"""Judgements of other people's grammars: sqlfluff's dialects, and sqlglot's where it reads a statement at all.

A judgement follows from the statement, from the versions of both grammars and from this file: what one run has judged, the next
one knows (`known`, kept by pytest's cache).
"""

import logging
from collections.abc import Mapping
from functools import cache
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path

from sqlfluff.core import FluffConfig, Linter
from sqlglot import ErrorLevel, parse
from sqlglot.errors import SqlglotError

logging.getLogger("sqlglot").setLevel(logging.ERROR)  # it warns of each statement that it passes over
SQLFLUFF, SQLGLOT = "sqlfluff", "sqlglot"
Judgement = Mapping[str, str]
known: dict[str, Judgement] = {}
"""Judgements of earlier runs, by `name_of`."""
asked: dict[str, Judgement] = {}
"""Those that this process has asked for."""


@cache
def _judges() -> str:
    return f"{version(SQLFLUFF)} {version(SQLGLOT)} {Path(__file__).read_text(encoding='utf-8')}"


def name_of(dialect: str, sql: str) -> str:
    return sha256(f"{_judges()} {dialect} {sql}".encode()).hexdigest()


@cache
def _linter(dialect: str) -> Linter:
    return Linter(config=FluffConfig(overrides={"dialect": dialect}))


def refused_by(dialect: str, sql: str) -> Judgement:
    """The grammars that don't know the statement, and where they stop. sqlglot passes over what it calls a command."""
    name = name_of(dialect, sql)
    if name not in asked:
        asked[name] = known[name] if name in known else _judged(dialect, sql)
    return asked[name]


def _judged(dialect: str, sql: str) -> Judgement:
    refused = {}
    violations = _linter(dialect).parse_string(sql).violations
    if violations:
        refused[SQLFLUFF] = str(violations[0])[:200]
    try:
        parse(sql, read=dialect, error_level=ErrorLevel.RAISE)
    except SqlglotError as error:
        refused[SQLGLOT] = str(error).splitlines()[0][:200]
    return refused
