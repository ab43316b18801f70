"""An engine's problems by their causes: many shards that have the same one are one problem, which names them. Pure."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from firnline_ingest.ledger.engine_report import EngineProblem, EngineReport

LASTING_MS = 120_000
"""A transient that lasts so long is waited for by a person, too."""
MEASURED = re.compile(r"\d[\d,.]* (s|min|h|bytes|rows|records)\b")
"""What differs between two shards that have the same cause."""


@dataclass(frozen=True, slots=True)
class ProblemCause:
    """A problem that was met first by one shard, and the shards that have it."""

    problem: EngineProblem
    """That shard's, with the most tries of all, and stopped where one of them is; of no shard where several have it."""
    shards: Sequence[str]
    """Sorted; empty where it is a pipeline's or the engine's."""


def by_cause(problems: Iterable[EngineProblem]) -> Sequence[ProblemCause]:
    """The causes in the order in which they were given. A step that names its shard is that one's alone."""
    causes = dict[tuple[str, ...], list[EngineProblem]]()
    for each in problems:
        what = each.what.replace(each.shard, "") if each.shard else each.what
        causes.setdefault((each.id, each.stream, MEASURED.sub("", what), each.next_step), []).append(each)
    return tuple(map(_cause, causes.values()))


def is_lasting(problem: EngineProblem, report: EngineReport) -> bool:
    """Returns whether the run that has it has had it for long; what it found of the run before is not yet its own."""
    return report.at_ms - max(problem.since_ms, report.began_ms) >= LASTING_MS


def _cause(same: Sequence[EngineProblem]) -> ProblemCause:
    first = min(same, key=lambda each: each.since_ms)
    tries = [each.next_try_ms for each in same if each.next_try_ms]
    problem = replace(
        first,
        shard=first.shard if len(same) == 1 else "",
        tries=max(each.tries for each in same),
        has_stopped=any(each.has_stopped for each in same),
        next_try_ms=min(tries, default=0),
    )
    return ProblemCause(problem, tuple(sorted(each.shard for each in same if each.shard)))
