"""Tokens, by Snowflake's rules for comments, quotes and escapes."""

import pytest

from firnline_local.snowflake.catalog.errors import SyntaxFault
from firnline_local.snowflake.sql.statement import TokenKind, tokenize


def texts(sql: str) -> list[str]:
    return [token.text for token in tokenize(sql)]


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        ("'it''s'", "it's"),
        (r"'it\'s'", "it's"),
        (r"'a\\b'", r"a\b"),
        (r"'\n\t\x41é\q'", "\n\tAéq"),
        ("$$raw 'x' \\n$$", "raw 'x' \\n"),
        ("'--no comment'", "--no comment"),
        ("'two\nlines'", "two\nlines"),
    ],
)
def test_a_string_has_the_value_that_its_escapes_say(literal: str, value: str) -> None:
    (token,) = tokenize(literal)

    assert (token.kind, token.text) == (TokenKind.STRING, value)


def test_comments_are_left_out_also_without_a_newline_behind_them() -> None:
    assert texts("SELECT /* a\nb */ 1 // c\n, 2 -- {json}") == ["SELECT", "1", ",", "2"]


def test_symbols_of_several_characters_stay_together() -> None:
    assert texts("a=>1::int||b<=c") == ["a", "=>", "1", "::", "int", "||", "b", "<=", "c"]


def test_a_quoted_identifier_is_no_keyword() -> None:
    quoted, word = tokenize('"select" select')

    assert (quoted.kind, quoted.word, word.word) == (TokenKind.QUOTED, "", "SELECT")


@pytest.mark.parametrize("sql", ["SELECT 'open", 'SELECT "open', "SELECT /* open", "SELECT $$open"])
def test_what_is_left_open_is_a_syntax_error(sql: str) -> None:
    with pytest.raises(SyntaxFault, match="line 1 at position 7"):
        tokenize(sql)
