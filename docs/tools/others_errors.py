"""The table of other connectors' errors in docs/from-other-connectors.md, made from firnline_infra/others_errors.py.

`python -m docs.tools.others_errors` writes it anew; tests/docs/test_others_errors.py compares.
"""

from pathlib import Path

from firnline_infra.error_catalog import declared_errors
from firnline_infra.others_errors import OTHERS, OtherErrors

PAGE = Path(__file__).parents[1] / "from-other-connectors.md"
TITLE = "## Their errors\n"
HEAD = "| there | here | |\n|---|---|---|"


def table() -> str:
    names = {id_: error.__name__ for id_, error in declared_errors().items()}
    return "\n".join([HEAD, *(_row(each, names) for each in OTHERS)])


def _row(each: OtherErrors, names: dict[str, str]) -> str:
    of = each.connector.partition("'")[0]
    ids = ", ".join(each.ids)
    here = f"{each.here} {names[each.here]}" if each.here else "none"
    return f"| {ids if each.ids[0].startswith('ERROR_') else f'{of}: {ids}'} | {here} | {each.said} |"


def page(text: str) -> str:
    """The page with its table as it is now."""
    before, found, after = text.partition(TITLE)
    if not found:
        raise SystemExit(f"{PAGE} has no {TITLE!r}.")
    intro, _, rest = after.partition("| there |")
    lines = rest.split("\n")
    end = next((number for number, line in enumerate(lines) if number and not line.startswith("|")), len(lines))
    return f"{before}{found}{intro}{table()}\n" + "\n".join(lines[end:])


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
