"""No retired word comes back (docs/tools/words.py), and no more sentences have a puzzling pattern (docs/tools/sentences.py)."""

import re

import pytest

from docs.tools import sentences
from docs.tools.sentences import PATTERNS, Kind, Pattern
from docs.tools.words import HERE, OTHER_MEANINGS, WORDS, OtherMeaning, RetiredWord, uses_of

CEILING = {
    "is no": {Kind.HOW_TOS: 0, Kind.MESSAGES: 1},
    "where for if": {Kind.HOW_TOS: 3, Kind.MESSAGES: 2},
    "of for possession": {Kind.HOW_TOS: 4, Kind.MESSAGES: 6},
    "say for set": {Kind.HOW_TOS: 1, Kind.MESSAGES: 0},
    "make for create": {Kind.HOW_TOS: 2, Kind.MESSAGES: 4},
    "a clause as subject": {Kind.HOW_TOS: 1, Kind.MESSAGES: 4},
}
"""Uses of each pattern in how-tos, and in messages. Each number may only fall."""


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.name)
def test_a_retired_word_does_not_come_back(word: RetiredWord) -> None:
    assert list(uses_of(word)) == [], f"write: {word.instead}"


@pytest.mark.parametrize("other", OTHER_MEANINGS, ids=lambda other: f"{other.name} in {other.path}")
def test_a_file_with_another_meaning_has_the_word(other: OtherMeaning) -> None:
    [word] = [each for each in WORDS if each.name == other.name]
    assert re.search(word.pattern, (HERE / other.path).read_text(encoding="utf-8"))


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.name)
@pytest.mark.parametrize("kind", Kind, ids=lambda kind: kind.name)
def test_no_more_sentences_have_a_pattern_than_did(pattern: Pattern, kind: Kind) -> None:
    uses = list(sentences.uses_of(pattern, kind))
    assert len(uses) <= CEILING[pattern.name][kind], "\n".join((f"write: {pattern.instead}", *uses))
    assert len(uses) == CEILING[pattern.name][kind], "set the ceiling to this number"


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ("is no", "The key is no column."),
        ("where for if", "It goes on. Where a table is missing, it stops."),
        ("of for possession", "The row is of another stream."),
        ("say for set", "For that say `audit: off`."),
        ("make for create", "`firnline up` makes the table."),
        ("a clause as subject", "What was rejected is a dead letter."),
    ],
)
def test_a_pattern_is_found(pattern: str, text: str) -> None:
    (found,) = [each.name for each in PATTERNS if re.search(each.regex, text)]
    assert found == pattern


@pytest.mark.parametrize(
    "text",
    [
        "There is no stream of that name.",
        "Set where the engine runs. Where does it run? On the machine where it was started.",
        "It is of no use to set it. What helps? The report says so.",
        "A pipeline makes rows, and the secret is made of two parts.",
    ],
)
def test_no_pattern_is_found_in_plain_english(text: str) -> None:
    assert [each.name for each in PATTERNS if re.search(each.regex, text)] == []
