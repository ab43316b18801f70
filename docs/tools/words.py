"""The retired words: private ones that the field's own words have replaced, in code, messages and pages.

A word stands here once it is gone; tests/test_words.py keeps it out. `python docs/tools/words.py` lists the uses that are left.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

HERE = Path(__file__).parents[2]
PRODUCT = ("ingest/firnline_ingest", "infra/firnline_infra", "local/firnline_local")


class Where(StrEnum):
    CODE = "names, messages and docstrings of the product"
    PAGES = "pages of the documentation"


EVERYWHERE = (Where.CODE, Where.PAGES)


@dataclass(frozen=True)
class RetiredWord:
    """A word, what it is found by (a blank matches a line break too), and what to write instead."""

    name: str
    pattern: str
    instead: str
    where: tuple[Where, ...] = EVERYWHERE


@dataclass(frozen=True)
class OtherMeaning:
    """Files in which a retired word means something else, or is quoted."""

    name: str
    path: str
    reason: str


WORDS = (
    RetiredWord("abreast", r"\babreast\b", "alignment, aligned"),
    RetiredWord(
        "letters",
        r"(?<![-`/{])(?<!dead )(?<!Dead )(?<!-case )(?<!ix )(?<!\d )(?<!of )\b[Ll]etters?\b(?!,? (and )?digits)(?![}/])",
        "dead letters",
        (Where.PAGES,),
    ),
    RetiredWord("books", r"\bbooks\b", "internal state, bookkeeping", (Where.PAGES,)),
    RetiredWord("is told", r"\b(is|are|was|were|be) told(?! from)\b", "is reported, is listed", (Where.PAGES,)),
    RetiredWord("tells that", r"\btells that\b", "reports, says", (Where.PAGES,)),
    RetiredWord("bring back", r"\b[Bb](ring|rings|rought) .{0,20}letters back\b", "replay"),
    RetiredWord("mend", r"\b[Mm]end(s|ed|ing)?\b", "fix", (Where.PAGES,)),
    RetiredWord("passing", r"\bpassing (error|failure)s?\b", "transient"),
    RetiredWord("its heart beats", r"\bhearts? beats?\b", "alive, with its last heartbeat", (Where.PAGES,)),
    RetiredWord("accounted for", r"\baccounted for\b", "checkpointed", (Where.PAGES,)),
    RetiredWord("dropped unread in", r"\bdropped unread in\b", "time until data loss", (Where.PAGES,)),
    RetiredWord("left out", r"\bleft out\b", "skipped, filtered, omitted or excluded", (Where.PAGES,)),
    RetiredWord("made anew", r"\b[Mm]ade (anew|again)\b", "recreated", (Where.PAGES,)),
    RetiredWord("anew", r"\banew\b", "again, or a verb with re-", (Where.PAGES,)),
    RetiredWord("whoever deploys", r"\b[Ww]hoever deploys\b", "the deployer", (Where.PAGES,)),
    RetiredWord("stands by", r"\bstands? by\b", "is a standby", (Where.PAGES,)),
    RetiredWord("let in", r"\b(is|was|be|has) let (it )?in\b", "promoted", (Where.PAGES,)),
    RetiredWord("unkept", r"\bunkept\b", "not stored"),
    RetiredWord("could not be told", r"\bcould not be told\b(?! from)", "could not be completed", (Where.PAGES,)),
    RetiredWord(
        "a class named by a participle or a metaphor",
        r"\bclass (Found|Held|Made|Told|Given|Known|Reached|Shown|Filled|Aside|Heart|Demand|Scene|Books|Lane|Outlet)\b",
        "what it is: DriftContext, ChannelWriter, Heartbeat",
        (Where.CODE,),
    ),
    RetiredWord(
        "log events",
        r"\b(engine\.unheard|shard\.left|stream\.unretired|key\.unread|engine\.hurried)\b",
        "ledger.unreachable, shard.abandoned, stream.retire_failed, key.read_failed, engine.forced_stop",
    ),
    RetiredWord("whoever", r"\b[Ww]hoever\b", "who it is: the deployer, a reviewer, the caller", (Where.PAGES,)),
    RetiredWord(
        "nobody", r"(?<!trust: )(?<!`)\b[Nn]obody\b", "no engine, no role, or a verb in the passive", (Where.PAGES,)
    ),
    RetiredWord("somebody", r"\b[Ss]omebody\b", "who it is: an operator, another owner", (Where.PAGES,)),
    RetiredWord("told", r"\btold\b", "reported, given, distinguished", (Where.PAGES,)),
    RetiredWord("learnt", r"\blearnt\b", "learned"),
)

OTHER_MEANINGS = (
    OtherMeaning("letters", "docs/performance.md", "`scripts/bench letters` is the name of a part"),
    OtherMeaning("letters", "docs/positions.md", "the letters of a time's format"),
    OtherMeaning("letters", "docs/spec.md", "the letters of a time's pattern"),
)


def uses_of(word: RetiredWord) -> Iterator[str]:
    """`path:line: text` of each place where the word stands in its old meaning."""
    pattern = re.compile(word.pattern.replace(" ", r"\s"))
    excused = {other.path for other in OTHER_MEANINGS if other.name == word.name}
    for where in word.where:
        for path, text in _texts(where).items():
            if path not in excused:
                yield from (_shown(path, text, found.start()) for found in pattern.finditer(text))


@cache
def _texts(where: Where) -> dict[str, str]:
    """The text of each file, by its path in the repository."""
    if where is Where.CODE:
        files = [file for folder in PRODUCT for file in (HERE / folder).rglob("*.py")]
    else:
        files = [HERE / "README.md", HERE / "CONTRIBUTING.md", *(HERE / "docs").rglob("*.md")]
    return {file.relative_to(HERE).as_posix(): _unindented(file.read_text(encoding="utf-8")) for file in sorted(files)}


def _unindented(text: str) -> str:
    """The same lines, so that a phrase is found across the end of one."""
    return re.sub(r"\n[ \t]+", "\n", text)


def _shown(path: str, text: str, start: int) -> str:
    line = text.count("\n", 0, start)
    return f"{path}:{line + 1}: {text.splitlines()[line].strip()[:160]}"


if __name__ == "__main__":
    for each in WORDS:
        for use in uses_of(each):
            print(f"{each.name} -> {each.instead}\n    {use}")
