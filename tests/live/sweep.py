"""Finds and removes what a run has left, in both accounts, also where nothing but the accounts remembers it.

A thing is a run's own where its whole name has the form that names.py makes, with the second of its beginning in it; of AWS's
things that have tags, the tag of the application too. Nothing else is ever looked at twice.
"""

from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from tests.live.names import SNOWFLAKE_PREFIX, Run

Client = Callable[[str], Any]


@dataclass(frozen=True, kw_only=True)
class Left:
    """Something that a run has made."""

    kind: str
    name: str
    remove: Callable[[], object]


def swept(left: Iterator[Left], say: Callable[[str], None]) -> tuple[list[str], list[str]]:
    """Returns what was removed, and what could not be; each is tried, whatever became of those before it."""
    removed, kept = [], []
    for each in left:
        try:
            each.remove()
        except Exception as error:
            kept.append(f"{each.kind} {each.name}: {error}")
            say(f"NOT removed: {kept[-1]}")
        else:
            removed.append(f"{each.kind} {each.name}")
            say(f"removed: {removed[-1]}")
    return removed, kept


def left_in_snowflake(session: Any, is_over: Callable[[Run], bool]) -> Iterator[Left]:
    """Users before the policies that they have, databases with all that is in them, roles and warehouses last."""
    for kind in ("USER", "DATABASE", "EXTERNAL VOLUME", "NETWORK POLICY", "ROLE", "WAREHOUSE"):
        plural = f"{kind[:-1]}IES" if kind.endswith("Y") else f"{kind}S"
        for name in _names(
            session, f"SHOW {plural}" + ("" if kind == "NETWORK POLICY" else f" LIKE '{SNOWFLAKE_PREFIX}%'")
        ):
            if (run := Run.of(name)) and is_over(run):
                statement = f'DROP {kind} IF EXISTS "{name}"'
                yield Left(kind=kind.lower(), name=name, remove=partial(_execute, session, statement))


def _names(session: Any, statement: str) -> list[str]:
    with closing(session.cursor()) as cursor:
        cursor.execute(statement)
        at = [column[0].lower() for column in cursor.description].index("name")
        return [str(row[at]) for row in cursor.fetchall()]


def _execute(session: Any, statement: str) -> None:
    with closing(session.cursor()) as cursor:
        cursor.execute(statement)
