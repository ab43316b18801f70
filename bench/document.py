"""Writes a run's figures into docs/performance.md: between the marks of each part its table, and the run's conditions on top.

What stands between two marks is replaced whole, so that a page never mixes two runs of a part, and says of each what it was
run with. The list of what is missed is made anew of all of them.
"""

import os
import platform
import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from bench.errors import BenchFailed
from bench.figure import Figure

MISSED = "missed"
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
BLOCK = re.compile(r"(<!-- bench: (?P<name>[a-z-]+) -->\n).*?(<!-- /bench -->)", re.DOTALL)
NOT_MET = "**missed**"
PACKAGES = ("firnline-native", "pyspark", "snowpipe-streaming", "boto3", "msgspec")
CPU_FACTS = Path("/proc/cpuinfo")


@dataclass(frozen=True, kw_only=True)
class Conditions:
    """The conditions of a run, which a reader needs to compare it with another."""

    command: str
    day: str
    runs: int = 1
    """The number of measurements of each part."""
    load: tuple[float, float]
    """Of the machine, over a minute, when the run began and when it ended."""

    @classmethod
    def begun(cls, command: str, runs: int = 1) -> "Conditions":
        """The conditions of a part that begins now; `ended` completes them."""
        today = datetime.now(UTC).date().isoformat()
        return cls(command=command, day=today, runs=runs, load=(os.getloadavg()[0], 0.0))

    def ended(self) -> "Conditions":
        return replace(self, load=(self.load[0], os.getloadavg()[0]))

    @property
    def sentence(self) -> str:
        of = ", ".join(f"{name} {_version(name)}" for name in PACKAGES)
        begin, end = self.load
        runs = "One run" if self.runs == 1 else f"Medians of {self.runs} runs, with the least and the most"
        return (
            f"`{self.command}`, {self.day}: {os.cpu_count()} cores ({_processor()}), Python {platform.python_version()}, {of}"
            f"{_commit()}. {runs}. Load of the machine when the part began and when it ended: {begin:.1f}, {end:.1f}."
        )


def _version(name: str) -> str:
    try:
        return version(name)
    except PackageNotFoundError:
        return "absent"


def _processor() -> str:
    facts = CPU_FACTS.read_text(encoding="utf-8") if CPU_FACTS.exists() else ""
    named = re.search(r"^model name\s*: (.+)$", facts, re.MULTILINE)
    return f"{named[1].strip()}, {platform.machine()}" if named else platform.machine()


def _commit() -> str:
    """The commit of the clone; nothing where there is none."""
    command = ["git", "rev-parse", "--short=10", "HEAD"]
    asked = subprocess.run(command, cwd=PAGE.parent, capture_output=True, text=True, check=False)
    return f", commit {asked.stdout.strip()}" if asked.returncode == 0 else ""


def write(figures: Sequence[Figure], conditions: Conditions, page: Path = PAGE) -> None:
    """Replaces the block of each part that was measured. Raises BenchFailed if the page has no block for a part."""
    text = page.read_text(encoding="utf-8")
    blocks = {
        part: f"{conditions.sentence}\n\n{as_markdown([each for each in figures if each.part == part])}"
        for part in dict.fromkeys(each.part for each in figures)
    }
    if missing := sorted(blocks.keys() - {found["name"] for found in BLOCK.finditer(text)}):
        raise BenchFailed(f"{page.name} has no place for: {', '.join(missing)}.")
    text = BLOCK.sub(lambda found: f"{found[1]}{_inside(blocks, found)}{found[3]}", text)
    missed = {MISSED: as_missed(text)}
    page.write_text(BLOCK.sub(lambda found: f"{found[1]}{_inside(missed, found)}{found[3]}", text), encoding="utf-8")


def as_missed(text: str) -> str:
    """A list of the bars that the tables of a page say are missed, by their parts."""
    lines = []
    for found in BLOCK.finditer(text):
        for row in found[0].splitlines():
            if row.startswith("| ") and row.endswith(f"{NOT_MET} |"):
                what, measured, bar = row.strip("| ").split(" | ")
                lines.append(f"* {found['name']}: {what}: {measured}, where {bar.partition(':')[0]} is wanted")
    return "\n".join(lines) or "None."


def as_markdown(figures: Sequence[Figure]) -> str:
    """A table of one part's figures: the median, and the least and the most where there was more than one run."""
    rows = ["| what | measured | bar |", "|---|---|---|"]
    for each in figures:
        spread = (
            f" ({each.rounded(min(each.values))} to {each.rounded(max(each.values))})" if len(each.values) > 1 else ""
        )
        unit = f" {each.unit}" if each.unit else ""
        met = {True: "met", False: NOT_MET, None: ""}[each.is_met]
        bar = f"{each.bar}: {met}" if each.bar else ""
        rows.append(f"| {each.name.strip()} | {each.rounded(each.median)}{unit}{spread} | {bar} |")
    return "\n".join(rows)


def _inside(blocks: dict[str, str], found: re.Match[str]) -> str:
    new = blocks.get(found["name"])
    return found[0].removeprefix(found[1]).removesuffix(found[3]) if new is None else f"\n{new}\n\n"
