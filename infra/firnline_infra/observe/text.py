"""A report for people: a table for a terminal, Markdown for a pull request."""

import textwrap
from collections.abc import Iterator, Sequence

from firnline_infra.observe.finding import Finding, Verdict
from firnline_infra.observe.report import Report
from firnline_infra.terminal import in_a_line, text_table

COLUMNS = ("object", "property", "expected", "found", "why")
WIDTH, INDENT = 100, " " * 9
CAUSE = " was refused: "
"""In an error of a service: what was asked before it, why not behind it."""
SHOWN = 60
"""Characters of a value in a table; policies have thousands. JSON has all of them."""
MARKDOWN_ROWS = 200
"""A comment on GitHub holds 65,536 characters."""


def report_table(report: Report) -> str:
    return "\n".join(_listing(report) if report.suite.lists_good else _table(report))


def _listing(report: Report) -> Iterator[str]:
    """By cause, in the order of the checks: what is good in a line for each area, what is not with its objects and next step."""
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for each in report.findings:
        is_good = each.verdict is Verdict.GOOD
        cause = (each.rule,) if is_good else (each.found.rpartition(CAUSE)[2], each.next_step)
        groups.setdefault((each.verdict.value, *cause), []).append(each)
    order = sorted(groups.items(), key=lambda group: group[0][0] != Verdict.GOOD.value)
    for (verdict, *_), found in order:
        if verdict == Verdict.GOOD.value:
            yield _wrapped(
                f"good     {found[0].rule}: ", "; ".join(f"{each.object} {each.found}".strip() for each in found)
            )
            continue
        areas, objects = (", ".join(dict.fromkeys(names)) for names in ([one.rule for one in found], _objects(found)))
        yield f"\n{_wrapped(f'{verdict.upper():<8} {areas}: ', objects)}"
        yield _wrapped(INDENT, found[0].found.rpartition(CAUSE)[2].strip())
        if found[0].next_step:
            yield _wrapped(f"{INDENT}Next: ", f"{found[0].next_step.rstrip('.')}.")


def _objects(found: Sequence[Finding]) -> Iterator[str]:
    """With what was asked for, where one cause has several."""
    return (
        " ".join((each.object, each.found.partition(CAUSE)[0] if CAUSE in each.found else "")).strip() for each in found
    )


def _wrapped(beginning: str, text: str) -> str:
    plain = in_a_line(text)
    return textwrap.fill(
        plain, WIDTH, initial_indent=beginning, subsequent_indent=INDENT, break_long_words=False, break_on_hyphens=False
    )


def _table(report: Report) -> Iterator[str]:
    if report.differences:
        yield text_table(COLUMNS, [_row(each) for each in report.differences])
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


def summary(report: Report) -> str:
    count = len(report.differences)
    noun = report.suite.noun
    differences = f"{count} {noun}{'' if count == 1 else 's'}" if count else f"no {noun}"
    ignored = f", {len(report.ignored)} ignored" if report.ignored else ""
    blind = f", and {len(report.unseen)} could not be seen" if report.unseen else ""
    return f"{report.environment}: {differences}{ignored}{blind}."


def report_markdown(report: Report) -> str:
    return "\n".join(_markdown(report)) + "\n"


def _markdown(report: Report) -> Iterator[str]:
    yield f"### {report.suite.name.title()}: {_escaped(summary(report))}"
    if report.differences:
        yield ""
        yield f"| {' | '.join(COLUMNS)} |"
        yield f"|{'---|' * len(COLUMNS)}"
        yield from (f"| {' | '.join(map(_code, _row(each)))} |" for each in report.differences[:MARKDOWN_ROWS])
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
    """Whatever is in it: somebody who names an object must not write into a pull request."""
    plain = " ".join(text.split()).replace("|", "\\|")
    fence = "`" * (plain.count("`") + 1)
    pad = " " if "`" in plain else ""
    return f"{fence}{pad}{plain}{pad}{fence}" if plain else ""


def _escaped(text: str) -> str:
    return "".join(f"\\{each}" if each in "\\`*_[]<>|#@" else each for each in " ".join(text.split()))
