"""A report for a terminal that lists what is good too: by cause, in the order of the checks.

What is good is a line for each area; what is not comes behind it, with its objects and the next step.
"""

from collections.abc import Iterator, Sequence

from firnline_ingest.checks.finding import Finding, Verdict
from firnline_ingest.checks.report import Report
from firnline_ingest.terminal import folded

INDENT = " " * 9
CAUSE = " was refused: "
"""In an error of a service: what was asked before it, why not behind it."""


def report_listing(report: Report) -> str:
    return "\n".join(_lines(report))


def _lines(report: Report) -> Iterator[str]:
    groups: dict[tuple[str, ...], list[Finding]] = {}
    for each in report.findings:
        is_good = each.verdict is Verdict.GOOD
        cause = (each.rule,) if is_good else (each.error, each.found.rpartition(CAUSE)[2], each.next_step)
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
        id_ = f"[{found[0].error}] " if found[0].error else ""
        yield _wrapped(INDENT, f"{id_}{found[0].found.rpartition(CAUSE)[2].strip()}")
        if found[0].next_step:
            yield _wrapped(f"{INDENT}Next: ", f"{found[0].next_step.rstrip('.')}.")


def _objects(found: Sequence[Finding]) -> Iterator[str]:
    """Yields the objects; where one cause stands for several, each with what it was asked for."""
    return (
        " ".join((each.object, each.found.partition(CAUSE)[0] if CAUSE in each.found else "")).strip() for each in found
    )


def _wrapped(beginning: str, text: str) -> str:
    return folded(text, first=beginning, indent=INDENT)
