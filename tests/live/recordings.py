"""Answers of an account, as files that people review: names of columns, codes, states and texts; never a value of a row,
a key or the number of an account.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

RECORDED = Path(__file__).parent / "recorded"
Answers = dict[str, Any]


@dataclass(frozen=True, kw_only=True)
class Difference:
    question: str
    recorded: Any
    answered: Any

    def __str__(self) -> str:
        return f"{self.question}: the account said {self.recorded}, here it is {self.answered}"


def write(folder: Path, asked_of: str, answers: Mapping[str, Any]) -> Path:
    """`asked_of`: snowflake, aws or redshift."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{asked_of}.json"
    path.write_text(json.dumps(dict(sorted(answers.items())), indent=2) + "\n", encoding="utf-8")
    return path


def read(folder: Path = RECORDED) -> dict[str, Answers]:
    """By what was asked; empty as long as no account was."""
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(folder.glob("*.json"))}


def differences(
    recorded: Mapping[str, Any], answered: Mapping[str, Any], known: Sequence[str] = ()
) -> tuple[Difference, ...]:
    """A question that is no longer asked, or that is new, is not a difference. `known` are questions that the emulation answers
    otherwise on purpose."""
    return tuple(
        Difference(question=each, recorded=recorded[each], answered=answered[each])
        for each in sorted(set(recorded) & set(answered) - set(known))
        if recorded[each] != answered[each]
    )


def anonymous(text: str, placeholders: Mapping[str, str]) -> str:
    """With placeholders for names of the run and of the account, and in one line."""
    for name, placeholder in placeholders.items():
        for each in {name, name.lower(), name.upper()}:
            text = text.replace(each, placeholder)
    return " ".join(text.split())
