from decimal import Decimal

from firnline_infra.terminal import in_a_line, text_table


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
