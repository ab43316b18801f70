"""How a document says how times are written: one of a few forms, or a pattern.

Patterns have the letters of Java's SimpleDateFormat, as far as they mean the same everywhere: no names of months.
"""

from typing import Annotated

from pydantic import AfterValidator

from firnline_ingest.config.position import LETTERS, TOKEN

ISO_8601 = "iso8601"
NANOSECONDS = {"seconds": 10**9, "milliseconds": 10**6, "microseconds": 10**3, "nanoseconds": 1}
"""Numbers since 1970, and what one of them is."""
FORMS = {ISO_8601, *NANOSECONDS}
NEEDED = {"y", "M", "d"}


def units_of(pattern: str) -> tuple[tuple[str, bool], ...]:
    """Its parts in their order: letters with True, plain text with False. Raises ValueError."""
    units: list[tuple[str, bool]] = []
    used = set[str]()
    for unit in (found[0] for found in TOKEN.finditer(pattern)):
        if not unit[0].isalpha():
            units.append((_plain(unit, pattern), False))
            continue
        if unit not in LETTERS or unit[0].replace("Z", "X") in used:
            raise ValueError(
                f"{pattern!r} is none of {_words()} and no pattern: it has {unit!r}, letters are {', '.join(LETTERS)}"
            )
        used.add(unit[0].replace("Z", "X"))
        units.append((unit, True))
    if not used >= NEEDED:
        raise ValueError(
            f"{pattern!r} is no pattern of a time; expected a form such as iso8601, or yyyy, MM and dd at least"
        )
    return tuple(units)


def _words() -> str:
    return ", ".join(sorted(FORMS))


def _plain(unit: str, pattern: str) -> str:
    if unit == "'":
        raise ValueError(f"{pattern!r} has a single quote without its pair")
    return unit[1:-1].replace("''", "'") if len(unit) > 2 else unit.replace("''", "'")


def _is_form(form: str) -> str:
    if form not in FORMS:
        units_of(form)
    return form


TimeForm = Annotated[str, AfterValidator(_is_form)]
