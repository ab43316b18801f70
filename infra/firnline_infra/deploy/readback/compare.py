"""What Snowflake answered against what the blueprint says: pure, so that every difference can be tried."""

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from firnline_infra.deploy.readback.finding import Finding

Row = Mapping[str, Any]
ON = {"ON", "Y", "TRUE"}
OFF = {"OFF", "N", "FALSE"}
NOTHING = "nothing"
SYNONYMS = {"TEXT": "VARCHAR", "STRING": "VARCHAR"}


def switches(object_: str, wanted: Mapping[str, bool], row: Row, *, alter: str) -> Iterator[Finding]:
    """`row` is the object's in SHOW. `alter` begins the statement that sets one back."""
    for name, on in wanted.items():
        said = str(row.get(name.lower(), "")).upper()
        if said not in ON | OFF:
            yield Finding(object_, name, _switch(on), NOTHING if said in ("", "NONE") else said)
        elif (said in ON) is not on:
            yield Finding(object_, name, _switch(on), _switch(not on), f"{alter} SET {name} = {_switch(on)}")


def columns(object_: str, wanted: Mapping[str, str], described: Iterable[Row]) -> Iterator[Finding]:
    """Columns that the blueprint does not know were added by evolution, or by whoever designs the table."""
    found = {str(row["name"]): str(row["type"]) for row in described}
    if not found:
        yield Finding(object_, "columns", ", ".join(wanted), NOTHING)
        return
    for name, type_ in wanted.items():
        if name not in found:
            yield Finding(object_, f"column {name}", type_, NOTHING)
        elif _plain(found[name]) != _plain(type_):
            yield Finding(object_, f"column {name}", type_, found[name])


def sorting(object_: str, wanted: Iterable[str], row: Row) -> Iterator[Finding]:
    """CLUSTER BY as SHOW writes it: (A, B) or LINEAR(A, B)."""
    expected, said = list(wanted), str(row.get("cluster_by") or "")
    found = [part.strip().strip('"') for part in re.sub(r"^(LINEAR)?\(|\)$", "", said).split(",") if part.strip()]
    if found != expected:
        yield Finding(object_, "CLUSTER_BY", ", ".join(expected), said or NOTHING)


def _switch(on: bool) -> str:
    return "TRUE" if on else "FALSE"


def _plain(type_: str) -> str:
    """Without length and precision, which the blueprint leaves to Snowflake."""
    name = type_.upper().partition("(")[0].strip()
    return SYNONYMS.get(name, name)
