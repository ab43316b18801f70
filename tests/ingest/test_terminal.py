from decimal import Decimal

from firnline_ingest.terminal import in_a_line, text_table


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
    lines = text_table(("stream", "what", "n"), rows, width=40).splitlines()
    assert max(map(len, lines)) == 40
    assert lines[2].startswith("orders  xxxx")
    assert "…" in lines[2]
    assert lines[3].split() == ["clicks", "short", "7"]
    assert text_table(("a",), [("b",)], width=40) == text_table(("a",), [("b",)])
    assert text_table(("a" * 9,) * 9, [], width=3).splitlines()[0].count("…") == 9, "no narrower than six letters each"
