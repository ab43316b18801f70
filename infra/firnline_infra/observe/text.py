"""A report for people: a table for a terminal, Markdown for a pull request."""

from collections.abc import Callable, Iterable, Iterator, Sequence

from firnline_ingest.checks import Finding, Report
from firnline_ingest.checks.listing import report_listing
from firnline_ingest.errors import counted
from firnline_ingest.terminal import text_table

COLUMNS = ("object", "property", "expected", "found", "why")
SHOWN = 60
"""Characters of a value in a table; policies have thousands. JSON has all of them."""
MARKDOWN_ROWS = 200
"""A comment on GitHub holds 65,536 characters."""


def report_table(report: Report) -> str:
    return report_listing(report) if report.suite.lists_good else "\n".join(_table(report))


def _table(report: Report) -> Iterator[str]:
    if report.differences:
        yield from grouped(report.differences, COLUMNS, _row)
        yield ""
        steps = dict.fromkeys(each.next_step for each in report.differences if each.next_step)
        yield "Next:"
        yield from (f"  {step}" for step in steps)
    for ignored in report.ignored:
        yield f"Ignored until {ignored.until}: {ignored.finding} ({ignored.reason})"
    for unseen in report.unseen:
        yield f"NOT SEEN: {unseen.object}: {unseen.found}\n  Next: {unseen.next_step}"
    yield from (f"Note: {note}" for note in report.notes)
    yield summary(report)


def grouped(
    findings: Iterable[Finding], columns: Sequence[str], row: Callable[[Finding], Sequence[str]]
) -> Iterator[str]:
    """A table for each kind of object, with its count, the largest first. Kinds that a check does not name are one."""
    for at, (kind, found) in enumerate(by_kind(findings).items()):
        yield ("\n" if at else "") + f"{kind} ({len(found)})"
        yield text_table(columns, [row(each) for each in found])


def by_kind(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    kinds: dict[str, list[Finding]] = {}
    for each in findings:
        kinds.setdefault(each.kind or "other", []).append(each)
    return dict(sorted(kinds.items(), key=lambda group: (-len(group[1]), group[0])))


def summary(report: Report) -> str:
    count = len(report.differences)
    noun = report.suite.noun
    kinds = by_kind(report.differences)
    of_kinds = f" in {len(kinds)} kinds of object" if len(kinds) > 1 else ""
    differences = f"{counted(count, noun)}{of_kinds}" if count else f"no {noun}"
    ignored = f", {len(report.ignored)} ignored" if report.ignored else ""
    blind = f", and {len(report.unseen)} could not be seen" if report.unseen else ""
    return f"{report.environment}: {differences}{ignored}{blind}."


def report_markdown(report: Report) -> str:
    return "\n".join(_markdown(report)) + "\n"


def _markdown(report: Report) -> Iterator[str]:
    yield f"### {report.suite.name.title()}: {_escaped(summary(report))}"
    if report.differences:
        shown = by_kind(report.differences[:MARKDOWN_ROWS])
        for kind, found in shown.items():
            yield f"\n**{_escaped(kind)} ({len(found)})**\n"
            yield f"| {' | '.join(COLUMNS)} |"
            yield f"|{'---|' * len(COLUMNS)}"
            yield from (f"| {' | '.join(map(_code, _row(each)))} |" for each in found)
        if (left := len(report.differences) - MARKDOWN_ROWS) > 0:
            yield f"\n… and {left} more."
    if report.unseen:
        yield ""
        yield "**Could not be seen**, so nothing is said of it:"
        yield from (f"- {_escaped(each.object)}: {_code(each.found)}" for each in report.unseen)
    if report.ignored:
        yield ""
        yield "Ignored:"
        for each in report.ignored:
            yield f"- {_code(str(each.finding))} until {each.until}: {_escaped(each.reason)}"
    yield from (f"\n{_escaped(note)}" for note in report.notes)


def _row(finding: Finding) -> Sequence[str]:
    return finding.object, finding.path, _short(finding.expected), _short(finding.found), finding.why


def _short(text: str) -> str:
    return text if len(text) <= SHOWN else f"{text[: SHOWN - 1]}…"


def _code(text: str) -> str:
    """The text as inline code, whatever is in it: somebody who names an object must not write into a pull request."""
    plain = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (plain.count("`") + 1)
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}" if plain else ""


def _escaped(text: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_[]<>|#@" else each for each in " ".join(text.split()))
