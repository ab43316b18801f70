"""Changes by people in Snowflake past the stack, each with the one finding that has to come of it: changes_in_snowflake.sql."""

import re
from collections.abc import Iterator
from pathlib import Path

from firnline_infra.blueprint import blueprint_of
from tests.infra.drift.conftest import Change, Made

LINES = Path(__file__).with_suffix(".sql").read_text(encoding="utf-8").splitlines()


def changes(made: Made) -> Iterator[Change]:
    yield from _of(made, "changed")


def losses(made: Made) -> Iterator[Change]:
    """Yields what is dropped, replaced, or given to another owner."""
    yield from _of(made, "lost")


def _of(made: Made, what: str) -> Iterator[Change]:
    *_, known = blueprint_of(made.spec).landing.users
    is_of_it = False
    for line in LINES:
        if title := re.match(r"-- \[(.+)\] (changed|lost)", line):
            is_of_it = made.name in title[1].split() and title[2] == what
        elif line and is_of_it:
            text = line.format(OUR=f"FIRNLINE_{made.name.upper()}", SECOND=known.public_key)
            statement, _, finding = text.partition(";")
            if not finding:
                made.sql(statement)
                continue
            object_, _, path = finding.removeprefix(" -- ").rpartition(": ")
            yield made.by_sql(statement, f"snowflake {object_}", path)
