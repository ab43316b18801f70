"""The statements that the suite had the embedded databases carry out, one of each shape: statements.txt.

`FIRNLINE_STATEMENTS=FOLDER scripts/test`, then `python -m tests.sql FOLDER`, adds what is new and keeps what is there.
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.sql.shapes import shape, without_literals

FILE = Path(__file__).with_name("statements.txt")
Corpus = Mapping[tuple[str, str], str]
"""By dialect and shape."""


def recorded(folder: Path) -> Iterator[tuple[str, str]]:
    """The dialect and the text of what was carried out."""
    for file in sorted(folder.glob("*.jsonl")):
        for line in file.read_text(encoding="utf-8").splitlines():
            note = json.loads(line)
            yield note["dialect"], note["sql"]


def of_lines(lines: Iterator[tuple[str, str]]) -> Corpus:
    """One statement of each shape: the shortest, so that it does not matter which came first."""
    found: dict[tuple[str, str], str] = {}
    for dialect, sql in lines:
        plain = without_literals(sql)
        key = (dialect, shape(dialect, plain))
        found[key] = min(found.get(key, plain), plain, key=lambda text: (len(text), text))
    return found


def committed() -> Corpus:
    lines = FILE.read_text(encoding="utf-8").splitlines() if FILE.exists() else []
    return of_lines((dialect, sql) for dialect, _, sql in (line.partition(" ") for line in lines))


def add(new: Corpus) -> int:
    """Returns how many shapes were new. The statement of a shape that is there stays."""
    known = committed()
    together = {**new, **known}
    lines = sorted(f"{dialect} {sql}\n" for (dialect, _), sql in together.items())
    FILE.write_text("".join(lines), encoding="utf-8")
    return len(together) - len(known)
