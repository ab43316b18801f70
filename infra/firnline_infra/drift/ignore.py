"""The list of differences that a team lives with: each entry with its reason and the day on which it ends.

A list is refused rather than believed where it could hide what nobody thought of: an entry without a reason, one that has
expired or lasts for more than a year, one whose stars leave nothing of a name.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import Annotated

from pydantic import Field

from firnline_infra.drift.errors import IgnoreListRefused
from firnline_infra.specification.document import read_text, read_yaml
from firnline_ingest.checks import Finding, Ignored
from firnline_ingest.config.document import Section, parse
from firnline_ingest.errors import ConfigError

LONGEST = timedelta(days=366)
MIN_CHARACTERS = 3
"""Of a name, beside the stars: fewer match by chance."""
Text = Annotated[str, Field(min_length=1)]


class Entry(Section):
    """One difference that is known. `*` stands for any characters."""

    object: Text
    """As a finding calls it: its kind, written out, and its name: `kinesis stream orders`."""
    property: Text
    """As a finding calls it."""
    reason: str
    """The reason why it is left so, for whoever reads this next year."""
    until: Annotated[date, Field(strict=False)]
    """The last day on which it is ignored; at most a year ahead."""

    def covers(self, finding: Finding) -> bool:
        """Returns True if the entry covers the finding. The kind has to be there letter by letter, so that no entry hides two
        kinds of objects."""
        kind, _, name = self.object.partition(f"{finding.kind} ")
        return not kind and _matches(name, finding.name) and _matches(self.property, finding.path)


class Document(Section):
    """A file of entries."""

    ignore: list[Entry]


@dataclass(frozen=True)
class IgnoreList:
    entries: tuple[Entry, ...] = ()
    source: str = ""

    def applied(self, findings: Sequence[Finding]) -> tuple[tuple[Finding, ...], tuple[Ignored, ...]]:
        """Returns the findings that count, and those that an entry covers."""
        kept, ignored = [], []
        for finding in findings:
            if (entry := self._covering(finding)) is None:
                kept.append(finding)
            else:
                ignored.append(Ignored(finding=finding, reason=entry.reason, until=entry.until))
        return tuple(kept), tuple(ignored)

    def idle(self, ignored: Sequence[Ignored]) -> tuple[str, ...]:
        """Returns a sentence for each entry that covers nothing."""
        used = {id(self._covering(each.finding)) for each in ignored}
        return tuple(
            f"{self.source}: nothing differs any more at {each.object}: {each.property}; take the entry out."
            for each in self.entries
            if id(each) not in used
        )

    def _covering(self, finding: Finding) -> Entry | None:
        return next((each for each in self.entries if each.covers(finding)), None)


def ignore_file_of(spec_file: Path, suite: str = "drift") -> Path:
    """The file beside the specification: dev.drift.yaml."""
    return spec_file.with_name(f"{spec_file.stem}.{suite}.yaml")


def load_ignore_list(path: Path, *, today: date) -> IgnoreList:
    """Raises IgnoreListRefused with every problem of the file."""
    source = str(path)
    try:
        document = parse(Document, read_yaml(read_text(path), source) or {"ignore": []}, source)
    except ConfigError as error:
        raise IgnoreListRefused(source, error.problems) from None
    if problems := list(_problems(document.ignore, today)):
        raise IgnoreListRefused(source, problems)
    return IgnoreList(tuple(document.ignore), source)


def _problems(entries: Sequence[Entry], today: date) -> Iterator[str]:
    for index, entry in enumerate(entries):
        path = f"ignore[{index}]"
        if not entry.reason.strip():
            yield f"{path}.reason: {entry.object} is ignored without a reason; say why."
        if entry.until < today:
            yield f"{path}.until: expired on {entry.until}; look again whether {entry.object} has to stay so."
        elif entry.until - today > LONGEST:
            yield f"{path}.until: {entry.until} is more than a year ahead; name a day within one."
        for field, pattern in (("object", entry.object), ("property", entry.property)):
            if _is_too_wide(pattern):
                yield f"{path}.{field}: {pattern!r} would ignore everything; write {MIN_CHARACTERS} characters of it at least."


def _is_too_wide(pattern: str) -> bool:
    return "*" in pattern and sum(character.isalnum() for character in pattern) < MIN_CHARACTERS


def _matches(pattern: str, text: str) -> bool:
    """`*` is any characters, and everything else is itself."""
    if _is_too_wide(pattern):
        return False
    return re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), text, re.DOTALL) is not None
