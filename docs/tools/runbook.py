"""docs/runbook.md: the prose of docs/tools/runbook.template, with a table of errors wherever a line lists ids.

`python -m docs.tools.runbook` writes the page. A slot is a line `{errors FL-2001..FL-2299 FL-1208}`; each declared id stands in
exactly one.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

import bench.errors
from firnline_infra.error_catalog import declared_errors, declared_in
from firnline_ingest.errors import FirnlineError

HERE = Path(__file__).parents[2]
PROSE, PAGE = HERE / "docs" / "tools" / "runbook.template", HERE / "docs" / "runbook.md"
SLOT = re.compile(r"^\{errors (.*)\}$", re.MULTILINE)
NOT_CODE = re.compile(r"`[^`]*`|[<|]")
ESCAPED = {"<": "\\<", "|": "\\|"}
"""What a cell of a table would take for its own, outside of code."""
HEAD = "| id | error | | how it comes about | what to do |\n|---|---|---|---|---|"


def errors_by_id() -> Mapping[str, type[FirnlineError]]:
    """Returns the errors of the packages, and of what measures them."""
    return {**declared_errors(), **{error.id: error for error in declared_in(bench.errors)}}


def page() -> str:
    errors = errors_by_id()
    return SLOT.sub(lambda slot: "\n".join([HEAD, *(_row(errors[id_]) for id_ in ids_of(slot[1], errors))]), prose())


def prose() -> str:
    return PROSE.read_text(encoding="utf-8")


def ids_of(slot: str, declared: Mapping[str, object]) -> Iterator[str]:
    """The declared ids of a slot, in its order; a range holds those that are between its ends."""
    for part in slot.split():
        first, _, last = part.partition("..")
        yield from sorted(id_ for id_ in declared if first <= id_ <= (last or first))


def _row(error: type[FirnlineError]) -> str:
    remedy = NOT_CODE.sub(lambda found: ESCAPED.get(found[0], found[0]), error.remedy.removesuffix("."))
    return f"| {error.id} | {error.__name__} | {error.kind()} | {error.causes} | {remedy} |"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
