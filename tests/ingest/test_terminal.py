from decimal import Decimal

import pytest

from firnline_ingest.terminal import folded, in_a_line, text_table


def test_numbers_stand_to_the_right_and_text_to_the_left() -> None:
    assert text_table(["NAME", "COUNT", "SHARE"], [["orders", 12, Decimal("1.5")], ["a", 1_000, None]]) == (
        "NAME    COUNT  SHARE\n"
        "------  -----  -----\n"
        "orders     12    1.5\n"
        "a        1000   NULL"
    )  # fmt: skip # as it is seen


def test_a_row_is_one_line_whatever_is_in_it() -> None:
    assert text_table(["V"], [["a\nb"], ["c"]]) == "V\n----\na\\nb\nc"


def test_what_others_wrote_steers_no_terminal() -> None:
    assert text_table(["V"], [["a\x1b[2Jb\r\t\x9b\u2028"]]).splitlines()[-1] == r"a\x1b[2Jb\x0d\t\x9b\x2028"
    assert in_a_line("größe 'a b'\n\ud800") == r"größe 'a b'\n\ud800"


def test_no_rows_leave_the_heading() -> None:
    assert text_table(["A", "B"], []) == "A  B\n-  -"


def test_a_table_that_is_too_wide_cuts_its_widest_columns() -> None:
    rows = [("orders", "x" * 200, 12), ("clicks", "short", 7)]
    lines = text_table(("stream", "what", "n"), rows, width=40, cuts=True).splitlines()
    assert max(map(len, lines)) == 40
    assert lines[2].startswith("orders  xxxx")
    assert "…" in lines[2]
    assert lines[3].split() == ["clicks", "short", "7"]
    assert text_table(("a",), [("b",)], width=40) == text_table(("a",), [("b",)])
    assert text_table(("a" * 9,) * 9, [], width=3, cuts=True).splitlines()[0].count("…") == 9, (
        "no narrower than six letters each"
    )


def test_a_table_that_is_too_wide_has_cells_of_several_lines_between_words() -> None:
    rows = [("orders", "the first words and the last ones", 12), ("clicks", "short", 7)]
    assert text_table(("stream", "what", "n"), rows, width=30).splitlines() == [
        "stream  what                 n",
        "------  ------------------  --",
        "orders  the first words     12",
        "        and the last ones",
        "clicks  short                7",
    ]


def test_rows_whose_words_do_not_fit_side_by_side_are_paragraphs_that_cut_no_word() -> None:
    rows = [("a" * 20, "b" * 30, "", "one and another"), ("c", "d", 5, "e")]
    assert text_table(("host", "endpoint", "port", "why"), rows, width=25).splitlines() == [
        "a" * 20,
        f"  endpoint  {'b' * 30}",
        "  why       one and",
        "            another",
        "",
        "c",
        "  endpoint  d",
        "  port      5",
        "  why       e",
    ]


@pytest.mark.parametrize(("columns", "longest"), [("60", 60), ("300", 100), ("", 80)])
def test_sentences_are_folded_to_the_terminal_and_no_line_is_longer_than_one_can_read(
    columns: str, longest: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    lines = folded("word " * 99, first="First: ", indent="  ").splitlines()
    assert longest - 5 < max(map(len, lines)) <= longest
    assert folded("", first="First: ") == "First:"
    assert folded("x" * 200) == "x" * 200, "what a person copies stays whole"


def test_a_table_knows_the_width_of_its_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = text_table(("what",), [("word " * 30,)])
    monkeypatch.setenv("COLUMNS", "40")
    assert max(map(len, text_table(("what",), [("word " * 30,)]).splitlines())) <= 40 < max(map(len, wide.splitlines()))
