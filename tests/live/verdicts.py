"""Verdicts on docs/design/beliefs.md by the answers of a run: which belief each question settles, whether the account
said what the embedded environment says, and the page with that in it.

A belief is what the embedded environment answers (believed/). It holds where all of its questions were asked and answered so;
one other answer refutes it. A belief of which a question was not asked keeps its row as it is.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import Any

from docs.tools.beliefs import PAGE, page
from tests.live import life
from tests.live.questions import aws, environment, redshift, snowflake, streaming

BELIEVED = Path(__file__).parent / "believed"
Answers = Mapping[str, Mapping[str, Any]]
"""By what was asked (snowflake, aws …), then by question."""
ROW = re.compile(r"\| (B\d+) \|")
OF_OURS = "[FL-6040]"
BEFORE = ". Before: "
NOT_ASKED = "Not by a script: "
"""How the last cell of a row says that a person has to look, and who."""


class Outcome(StrEnum):
    HOLDS = "as believed"
    REFUTED = "otherwise"
    IN_PART = "in part"


@dataclass(frozen=True, kw_only=True)
class Question:
    """One answer of a run, beside the one that was believed."""

    asked_of: str
    name: str
    answered: Any
    believed: Any

    @property
    def is_judged(self) -> bool:
        """True unless the embedded environment refuses it by name: that is not a belief about Snowflake."""
        return not (isinstance(self.believed, dict) and OF_OURS in str(self.believed.get("text")))

    @property
    def holds(self) -> bool:
        return not self.is_judged or bool(self.answered == self.believed)

    def __str__(self) -> str:
        return f"{self.asked_of}: {self.name}"


@dataclass(frozen=True, kw_only=True)
class Verdict:
    belief: str
    asked: tuple[Question, ...]
    unasked: tuple[str, ...]

    @property
    def outcome(self) -> Outcome:
        if not all(each.holds for each in self.asked):
            return Outcome.REFUTED
        return Outcome.IN_PART if self.unasked else Outcome.HOLDS

    def cell(self, day: date, before: str) -> str:
        """The row's "how sure", with what it was before the first account was asked."""
        before = before.partition(BEFORE)[2] or before
        if self.outcome is Outcome.REFUTED:
            other = "; ".join(f"{each} is {_short(each.answered)}" for each in self.asked if not each.holds)
            return f"refuted by an account on {day} ({other}){BEFORE}{before}"
        names = "; ".join(map(str, self.asked))
        return f"answered by an account on {day} ({names}){BEFORE}{before}"


def settled_by() -> dict[str, dict[str, tuple[str, ...]]]:
    """The ids of beliefs, by what is asked and by question."""
    return {
        "snowflake": snowflake.SETTLES | streaming.SETTLES,
        "aws": aws.SETTLES,
        "redshift": redshift.SETTLES,
        "life": life.SETTLES | environment.SETTLES,
        "contract": {"the ledger on DynamoDB": ("B89",)},
    }


def asked_about() -> frozenset[str]:
    return frozenset(belief for part in settled_by().values() for ids in part.values() for belief in ids)


def settled_in(part: str) -> str:
    """The ids that a part of the run settles, in their order, with blanks between them."""
    ids = {belief for settled in settled_by()[part].values() for belief in settled}
    return " ".join(sorted(ids, key=lambda belief: int(belief[1:])))


def verdicts(answers: Answers, believed: Answers) -> tuple[Verdict, ...]:
    """Returns a verdict on each belief that a question was answered about, in their order.

    An answer without one of the embedded environment beside it (believed/) judges nothing: the belief is settled in part.
    """
    asked: dict[str, list[Question]] = {}
    unasked: dict[str, list[str]] = {}
    for part, settled in settled_by().items():
        for name, ids in settled.items():
            for belief in ids:
                if name in answers.get(part, {}) and name in believed.get(part, {}):
                    said = answers[part][name]
                    question = Question(asked_of=part, name=name, answered=said, believed=believed[part][name])
                    asked.setdefault(belief, []).append(question)
                else:
                    unasked.setdefault(belief, []).append(f"{part}: {name}")
    return tuple(
        Verdict(belief=belief, asked=tuple(asked[belief]), unasked=tuple(unasked.get(belief, ())))
        for belief in sorted(asked, key=lambda each: int(each[1:]))
    )


def updated(text: str, found: Sequence[Verdict], day: date) -> str:
    """The page of beliefs with what an account has answered, and counted anew."""
    by_belief = {each.belief: each for each in found if each.outcome is not Outcome.IN_PART}
    lines = [_row(line, by_belief, day) for line in text.split("\n")]
    return page("\n".join(lines))


def _row(line: str, found: Mapping[str, Verdict], day: date) -> str:
    matched = ROW.match(line)
    if matched is None or matched[1] not in found:
        return line
    cells = line.strip().strip("|").split(" | ")
    cells[3] = found[matched[1]].cell(day, cells[3].strip()).replace("|", "/")
    return f"| {' | '.join(each.strip() for each in cells)} |"


def report(found: Sequence[Verdict], answers: Answers, *, day: date, heading: str, lines: Sequence[str]) -> str:
    """Writes what was asked and answered, for people: `lines` say what was done, and what is left."""
    return "\n".join(_report(found, answers, day=day, heading=heading, lines=lines)) + "\n"


def _report(
    found: Sequence[Verdict], answers: Answers, *, day: date, heading: str, lines: Sequence[str]
) -> Iterator[str]:
    yield f"# {heading}, {day}\n"
    yield from (f"* {line}" for line in lines)
    answered = {f"{part}: {name}" for part, said in answers.items() for name in said}
    counted = {outcome: [each for each in found if each.outcome is outcome] for outcome in Outcome}
    yield "\n" + ", ".join(f"{len(rows)} {outcome}" for outcome, rows in counted.items()) + ".\n"
    yield "| belief | outcome | question | account | believed |\n|---|---|---|---|---|"
    for outcome in (Outcome.REFUTED, Outcome.IN_PART, Outcome.HOLDS):
        for verdict in counted[outcome]:
            for each in verdict.asked:
                shown = ("the same", "") if each.holds else (_short(each.answered), _short(each.believed))
                yield f"| {verdict.belief} | {outcome} | {each} | {shown[0]} | {shown[1]} |"
            unasked = [each for each in verdict.unasked if each not in answered]
            yield from (f"| {verdict.belief} | {outcome} | {each} | not asked | |" for each in unasked)
    yield from _questions(found, answers)
    known = {(part, name) for part, settled in settled_by().items() for name in settled}
    for part, said in sorted(answers.items()):
        for name in sorted(set(said) - {name for of, name in known if of == part}):
            yield f"| none | | {part}: {name} | {_short(said[name])} | |"


def _questions(found: Sequence[Verdict], answers: Answers) -> Iterator[str]:
    """Yields what was answered with nothing recorded beside it: whoever reads the report has to judge it."""
    judged = {(each.asked_of, each.name) for verdict in found for each in verdict.asked}
    for part, settled in settled_by().items():
        for name, ids in settled.items():
            if ids and name in answers.get(part, {}) and (part, name) not in judged:
                said = _short(answers[part][name])
                yield f"| {' '.join(ids)} | question | {part}: {name} | {said} | nothing is recorded beside it: is it so? |"


def _short(answer: Any) -> str:
    text = " ".join(str(answer).split()).replace("|", "/")
    return text if len(text) <= 200 else f"{text[:197]}..."


def open_rows(text: str = PAGE.read_text(encoding="utf-8")) -> dict[str, str]:
    """The last cell of each row, by its id."""
    rows = (line for line in text.splitlines() if ROW.match(line))
    return {line.split(" | ")[0].strip("| "): line.strip().strip("|").split(" | ")[-1].strip() for line in rows}
