"""Text for a terminal: tables and sentences that fit it, what others wrote without its control characters, and its last line."""

import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import zip_longest
from textwrap import wrap
from typing import NoReturn

GAP = "  "
LEAST = 6
"""Characters of a column that is cut."""
MOST_WORDS = 100
"""Characters of a line of sentences: a longer one is hard to read, however wide the terminal is."""
PAGE = 80
"""Characters of a line where nothing says how wide it may be."""


def terminal_width() -> int | None:
    """The width of standard output, or COLUMNS; None in a pipe, where a row stays a line."""
    if sys.stdout.isatty() or os.environ.get("COLUMNS", "").isdigit():
        return shutil.get_terminal_size().columns
    return None


def folded(text: str, *, first: str = "", indent: str = "") -> str:
    """A paragraph in lines that fit. A word, such as a path or a URL that a person copies, stays whole however long it is."""
    width = min(terminal_width() or PAGE, MOST_WORDS)
    lines = wrap(
        in_a_line(text),
        width,
        initial_indent=first,
        subsequent_indent=indent,
        break_long_words=False,
        break_on_hyphens=False,
    )
    return "\n".join(lines) or first.rstrip()


def text_table(
    columns: Sequence[str], rows: Sequence[Sequence[object]], *, width: int | None = None, cuts: bool = False
) -> str:
    """Numbers to the right, everything else to the left; NULL for None. The last column is not padded.

    A table that is wider than the terminal, or than `width`, has cells of several lines; where not even its longest words fit
    side by side, each row is a paragraph of its own. With `cuts` the widest columns are cut off instead.
    """
    cells = [[_text(value) for value in row] for row in rows]
    width = terminal_width() if width is None else width
    natural = [max([len(name), *(len(row[index]) for row in cells)]) for index, name in enumerate(columns)]
    if width is None or _together(natural) <= width:
        widths = natural
    else:
        least = [LEAST] * len(columns) if cuts else _longest_words(columns, cells)
        widths = _narrowed(natural, least, width)
        if not cuts and _together(widths) > width:
            return "\n\n".join("\n".join(_paragraph(columns, row, width)) for row in cells)
    to_the_right = [_are_numbers([row[index] for row in rows]) for index in range(len(columns))]

    def line(texts: Sequence[str]) -> str:
        padded = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, to_the_right, strict=True)
        ]
        return GAP.join(padded).rstrip()

    def lines(texts: Sequence[str]) -> Iterator[str]:
        if cuts:
            return map(line, [[_cut(text, most) for text, most in zip(texts, widths, strict=True)]])
        parts = [wrap(text, most) if len(text) > most else [text] for text, most in zip(texts, widths, strict=True)]
        return map(line, zip_longest(*parts, fillvalue=""))

    return "\n".join(
        [*lines(columns), line(["-" * width for width in widths]), *(one for row in cells for one in lines(row))]
    )


def _together(widths: Sequence[int]) -> int:
    return sum(widths) + len(GAP) * (len(widths) - 1)


def _longest_words(columns: Sequence[str], cells: Sequence[Sequence[str]]) -> list[int]:
    return [
        max((len(word) for text in (name, *(row[index] for row in cells)) for word in text.split()), default=0)
        for index, name in enumerate(columns)
    ]


def _narrowed(natural: Sequence[int], least: Sequence[int], width: int) -> list[int]:
    """The widest columns lose most, none more than down to its least width."""
    found = list(natural)
    while _together(found) > width and (wide := [index for index, each in enumerate(found) if each > least[index]]):
        found[max(wide, key=found.__getitem__)] -= 1
    return found


def _paragraph(columns: Sequence[str], row: Sequence[str], width: int) -> Iterator[str]:
    """The first cell as its heading, then a line for each other one that says something."""
    yield row[0]
    widest = max(map(len, columns[1:]), default=0)
    for name, text in zip(columns[1:], row[1:], strict=True):
        before = f"{GAP}{name.ljust(widest)}{GAP}"
        yield from wrap(text, width, initial_indent=before, subsequent_indent=" " * len(before), break_long_words=False)


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def in_a_line(said: str) -> str:
    """Cleans what a producer or a server wrote: it steers no terminal, and makes no line of its own."""
    return printable(said).replace("\n", "\\n").replace("\t", "\\t")


def printable(text: str) -> str:
    """The text with control characters escaped, except tabs and line ends."""
    text = text.encode(errors="backslashreplace").decode()
    return "".join(one if one.isprintable() or one in "\n\t" else f"\\x{ord(one):02x}" for one in text)


def _text(value: object) -> str:
    return "NULL" if value is None else in_a_line(str(value))


def _are_numbers(values: Sequence[object]) -> bool:
    numbers = [value for value in values if value is not None]
    return bool(numbers) and all(hasattr(value, "__float__") for value in numbers)


def end_at_once(status: int) -> NoReturn:
    """Ends the process with its output written, and without Python's own end: that waits for threads that hang, and where
    threads of Snowflake's SDK close their clients it may abort the process (signal 6).
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.flush()
    os._exit(status)
