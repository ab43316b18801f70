import pytest
from click import unstyle

from firnline_infra.cli.colour import coloured, wants_colour


@pytest.mark.parametrize(
    ("variables", "wanted"),
    [
        ({}, None),
        ({"NO_COLOR": "1"}, False),
        ({"NO_COLOR": ""}, None),
        ({"FORCE_COLOR": "1"}, True),
        ({"NO_COLOR": "1", "FORCE_COLOR": "1"}, False),
    ],
)
def test_the_variables_decide_and_else_the_terminal(variables: dict[str, str], wanted: bool | None) -> None:
    assert wants_colour(variables) is wanted


@pytest.mark.parametrize(
    "text",
    [
        "[FL-3011] Snowflake refused.\n  Next: GRANT …",
        "WRONG    tools: Python\n         Next: install it\n\nUNKNOWN  clock\ngood     names",
        "NOT PROVEN, of 402 records\n",
        "PROVEN: each of 5 records",
        "orders  shardId-000000000000  NOT READ  3 min ago",
    ],
)
def test_colour_changes_no_word(text: str) -> None:
    assert coloured(text) != text
    assert unstyle(coloured(text)) == text


def test_what_is_no_verdict_has_no_colour() -> None:
    plain = "what is WRONG with it is good to know; see FL-3011, and what comes Next: nothing"
    assert coloured(plain) == plain
