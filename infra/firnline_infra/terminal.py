"""Tables of text for a terminal."""

from collections.abc import Sequence

GAP = "  "


def text_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Numbers to the right, everything else to the left; NULL for None. The last column is not padded."""
    cells = [[_text(value) for value in row] for row in rows]
    widths = [max([len(name), *(len(row[index]) for row in cells)]) for index, name in enumerate(columns)]
    to_the_right = [_are_numbers([row[index] for row in rows]) for index in range(len(columns))]

    def line(texts: Sequence[str]) -> str:
        padded = [
            text.rjust(width) if right else text.ljust(width)
            for text, width, right in zip(texts, widths, to_the_right, strict=True)
        ]
        return GAP.join(padded).rstrip()

    return "\n".join([line(columns), line(["-" * width for width in widths]), *(line(row) for row in cells)])


def _text(value: object) -> str:
    return "NULL" if value is None else str(value).replace("\n", "\\n")


def _are_numbers(values: Sequence[object]) -> bool:
    numbers = [value for value in values if value is not None]
    return bool(numbers) and all(hasattr(value, "__float__") for value in numbers)
