"""The lines of an engine's log, its own and Spark's: with their levels, for a person and for a program. Pure."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from firnline_ingest.terminal import in_a_line

LEVELS = ("debug", "info", "warning", "error")
SPARKS = re.compile(r"\d\S* \S+ (TRACE|DEBUG|INFO|WARN|ERROR|FATAL) ")
OF_SPARK = {"TRACE": "debug", "WARN": "warning", "FATAL": "error"}
FIRST, LAST = ("shard", "stream", "problem", "what"), ("next_step", "trace")
SAID_OTHERWISE = ("at", "level", "event", *FIRST, *LAST)


@dataclass(frozen=True, slots=True)
class LogLine:
    raw: str
    level: str
    """debug, info, warning or error; a line without one, such as a traceback's, has that of the line before."""
    fields: dict[str, Any] = field(default_factory=dict)
    """Of a line that the engine wrote; empty for Spark's and Java's."""

    def for_a_person(self) -> str:
        if not self.fields:
            return in_a_line(self.raw)
        known = {name: value for name, value in self.fields.items() if value not in (None, "", [], {})}
        at = str(known.get("at", ""))[:19].replace("T", " ")
        told = [str(known[name]) for name in FIRST if name in known]
        others = [
            f"{name}={_short(value)}" for name, value in known.items() if name not in SAID_OTHERWISE and value != 0
        ]
        head = " ".join([at, f"{self.level.upper():<7}", str(known.get("event", "")), *told, *others])
        after = [f"    Next: {known['next_step']}"] if "next_step" in known else []
        trace = [f"    {line}" for line in str(known.get("trace", "")).splitlines()]
        return "\n".join(map(in_a_line, [head, *after, *trace]))


def log_lines(raw: Iterable[str]) -> Iterator[LogLine]:
    """One a line, in their order."""
    level = "info"
    for text in raw:
        fields = _fields(text)
        if fields:
            level = str(fields["level"])
        elif (match := SPARKS.match(text)) is not None:
            level = OF_SPARK.get(match[1], match[1].lower())
        yield LogLine(text, level, fields)


def at_least(lines: Iterable[LogLine], level: str) -> Iterator[LogLine]:
    least = LEVELS.index(level)
    return (line for line in lines if line.level in LEVELS and LEVELS.index(line.level) >= least)


def _fields(text: str) -> dict[str, Any]:
    """The fields of a line that the engine wrote."""
    if not text.startswith("{"):
        return {}
    try:
        found = json.loads(text)
    except ValueError:
        return {}
    return found if isinstance(found, dict) and found.get("level") in LEVELS and "event" in found else {}


def _short(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, default=str, separators=(",", ":"))
