from firnline_ingest.records.key_shape import REMEMBERED_KEYS, KeyShapes, column_key


def test_keys_that_some_way_of_folding_case_makes_equal_are_one_column() -> None:
    for one, other in [
        ("id", "ID"),
        ("é", "É"),
        ("ß", "SS"),
        ("\u0131", "I"),
        ("\u212a", "k"),
        ("\u017f", "s"),
        ("ς", "Σ"),
    ]:
        assert column_key(one) == column_key(other), (one, other)
    assert column_key("a_b") != column_key("a-b")
    assert column_key("e") != column_key("é")


def test_a_list_of_keys_is_judged_once() -> None:
    shapes = KeyShapes(["META"])
    assert shapes["a", "b"] is shapes["a", "b"]


def test_keys_that_are_data_do_not_fill_the_memory() -> None:
    shapes = KeyShapes(["META"])
    for number in range(3 * REMEMBERED_KEYS // 4):
        assert shapes[f"key-{number}", "a", "b"].fault is None
    assert sum(len(keys) for keys in shapes) <= REMEMBERED_KEYS

    wide = tuple(f"k{number}" for number in range(REMEMBERED_KEYS + 1))
    assert shapes[wide].fault is None
    assert wide not in shapes


def test_the_least_bytes_of_keys_are_those_of_the_shortest_way_to_write_them() -> None:
    shape = KeyShapes(())["a", 'q"', "\n", "\x01", "é", "😀", "\x7f"]
    assert shape.bytes_in_ascii == len(b'{"a":,"q\\"":,"\\n":,"\\u0001":,"\\u00e9":,"\\ud83d\\ude00":,"\x7f":}')
    assert shape.bytes_in_utf8 == len('{"a":,"q\\"":,"\\n":,"\\u0001":,"é":,"😀":,"\x7f":}'.encode())


def test_no_keys_take_two_braces() -> None:
    shape = KeyShapes(())[()]
    assert (shape.bytes_in_ascii, shape.bytes_in_utf8, shape.spaced_around([])) == (2, 2, b"{}")
