"""The table at the top of docs/design/beliefs.md: its rows counted by how sure we are of them.

`python -m docs.tools.beliefs` writes it into the page, between its marks. A row counts by the weakest mark that its cell
"how sure" names: what is documented but for one part that is believed counts as believed.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path

PAGE = Path(__file__).parents[1] / "design" / "beliefs.md"
BEGIN, END = "<!-- count -->", "<!-- end of count -->"
HEAD = "| mark | rows | of all |\n|---|---|---|"


class Mark(StrEnum):
    """From the weakest to the strongest; what an account has answered counts before all of them."""

    REFUTED = "refuted"
    ANSWERED = "answered"
    BELIEVED = "believed"
    UNKNOWN = "unknown"
    REPORTED = "reported"
    CLIENT = "client"
    PROVIDER = "provider"
    SOURCE = "source"
    DIFFERS = "differs"
    DOCUMENTED = "documented"


@dataclass(frozen=True, kw_only=True)
class Belief:
    id: str
    how_sure: str
    how_to_ask: str

    @property
    def mark(self) -> Mark:
        """Raises ValueError where the cell names none."""
        for asked in (Mark.REFUTED, Mark.ANSWERED):
            if self.how_sure.startswith(f"{asked} by an account on "):
                return asked
        rest = [mark for mark in Mark if mark not in (Mark.REFUTED, Mark.ANSWERED)]
        named = [mark for mark in rest if re.search(rf"\b{mark}\b", self.how_sure, re.IGNORECASE)]
        if not named:
            raise ValueError(f"{self.id} has no mark: {self.how_sure}")
        return named[0]


def beliefs(text: str) -> Iterator[Belief]:
    """The rows of the page's tables. A row without its five cells fails."""
    for line in text.splitlines():
        if re.match(r"\| B\d+ \|", line):
            number, _, _, how_sure, how_to_ask = (cell.strip() for cell in line.strip().strip("|").split(" | "))
            yield Belief(id=number, how_sure=how_sure, how_to_ask=how_to_ask)


def table(text: str) -> str:
    counted = Counter(each.mark for each in beliefs(text))
    rows = [f"| {mark} | {counted[mark]} | {_percent(counted[mark], counted.total())} |" for mark in Mark]
    return "\n".join([HEAD, *rows, f"| **all** | {counted.total()} | |"])


def page(text: str) -> str:
    """The page with its table as it has to be."""
    before, begin, rest = text.partition(BEGIN)
    assert begin, f"{PAGE.name} has no {BEGIN}"
    assert END in rest, f"{PAGE.name} has no {END} behind its beginning"
    return f"{before}{BEGIN}\n{table(text)}\n{END}{rest.partition(END)[2]}"


def _percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %"


def main() -> None:
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")


if __name__ == "__main__":
    main()
