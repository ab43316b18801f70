"""Text for a terminal: tables, and what others wrote."""

from collections.abc import Sequence

GAP = "  "
LEAST = 6  # letters of a column that is cut


def text_table(columns: Sequence[str], rows: Sequence[Sequence[object]], *, width: int | None = None) -> str:
    """Numbers to the right, everything else to the left; NULL for None. The last column is not padded. Where it would be wider
    than `width`, its widest columns are cut.
    """
    cells = [[_text(value) for value in row] for row in rows]
    widths = [max([len(name), *(len(row[index]) for row in cells)]) for index, name in enumerate(columns)]
    if width is not None:
        widths = _narrowed(widths, width - len(GAP) * (len(widths) - 1))
        cells = [[_cut(text, most) for text, most in zip(row, widths, strict=True)] for row in cells]
        columns = [_cut(text, most) for text, most in zip(columns, widths, strict=True)]
    to_the_right = [_are_numbers([row[index] for row in rows]) for index in range(len(columns))]

    def line(texts: Sequence[str]) -> str:
        padded = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, to_the_right, strict=True)
        ]
        return GAP.join(padded).rstrip()

    return "\n".join([line(columns), line(["-" * width for width in widths]), *(line(row) for row in cells)])


def _narrowed(widths: Sequence[int], together: int) -> list[int]:
    found = list(widths)
    while sum(found) > together and max(found) > LEAST:
        found[found.index(max(found))] -= 1
    return found


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"


def in_a_line(said: str) -> str:
    """What a producer or a server wrote: it steers no terminal, and makes no line of its own."""
    return printable(said).replace("\n", "\\n").replace("\t", "\\t")


def printable(text: str) -> str:
    """With escapes for control characters, but for ends of lines and tabs."""
    text = text.encode(errors="backslashreplace").decode()
    return "".join(one if one.isprintable() or one in "\n\t" else f"\\x{ord(one):02x}" for one in text)


def _text(value: object) -> str:
    return "NULL" if value is None else in_a_line(str(value))


def _are_numbers(values: Sequence[object]) -> bool:
    numbers = [value for value in values if value is not None]
    return bool(numbers) and all(hasattr(value, "__float__") for value in numbers)
