"""No retired word comes back: the list is docs/tools/words.py."""

import re

import pytest

from docs.tools.words import HERE, OTHER_MEANINGS, WORDS, OtherMeaning, RetiredWord, uses_of


@pytest.mark.parametrize("word", WORDS, ids=lambda word: word.name)
def test_a_retired_word_does_not_come_back(word: RetiredWord) -> None:
    assert list(uses_of(word)) == [], f"write: {word.instead}"


@pytest.mark.parametrize("other", OTHER_MEANINGS, ids=lambda other: f"{other.name} in {other.path}")
def test_a_file_with_another_meaning_has_the_word(other: OtherMeaning) -> None:
    [word] = [each for each in WORDS if each.name == other.name]
    assert re.search(word.pattern, (HERE / other.path).read_text(encoding="utf-8"))
