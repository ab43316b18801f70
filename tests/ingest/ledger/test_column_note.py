import pytest

from firnline_ingest.ledger.column_note import MOST_BYTES, ColumnNote, note_from_bytes

BEGUN = ColumnNote.begun("2026", ["A"], evolves=False)


def test_a_column_that_was_there_from_the_beginning_is_older_than_all_rows() -> None:
    assert BEGUN.since_ms == {"A": 0}
    assert BEGUN.after(["A"], evolves=False, now_ms=5) is BEGUN


def test_a_column_that_somebody_added_is_as_old_as_the_look_that_saw_it_first() -> None:
    note = BEGUN.after(["A", "B"], evolves=False, now_ms=5)
    assert (note.since_ms, note.number) == ({"A": 0, "B": 5}, 2)
    assert note.after(["A", "B"], evolves=False, now_ms=9) is note
    again = note.after(["A"], evolves=False, now_ms=10).after(["A", "B"], evolves=False, now_ms=11)
    assert again.since_ms == {"A": 0, "B": 11}, "dropped and added: what it held is gone"


def test_a_column_that_evolution_added_is_older_than_the_rows_with_its_key() -> None:
    note = ColumnNote.begun("2026", ["A"], evolves=True).after(["A", "B"], evolves=True, now_ms=5)
    assert note.since_ms == {"A": 0, "B": 0}


def test_but_not_than_those_from_before_the_table_evolved() -> None:
    evolving = BEGUN.after(["A"], evolves=True, now_ms=5)
    assert evolving.after(["A", "B"], evolves=True, now_ms=9).since_ms == {"A": 0, "B": 5}
    fixed = evolving.after(["A"], evolves=False, now_ms=11)
    assert fixed.after(["A", "B"], evolves=False, now_ms=12).since_ms == {"A": 0, "B": 12}


def test_a_note_is_kept_in_bytes() -> None:
    note = BEGUN.after(["A", "Ä\n"], evolves=False, now_ms=5)
    assert note_from_bytes(note.to_bytes()) == note


@pytest.mark.parametrize("data", [b"", b"x\x9c", ColumnNote.begun("", (), evolves=True).to_bytes()[:-3]])
def test_what_another_release_wrote_is_no_note(data: bytes) -> None:
    assert note_from_bytes(data) is None


def test_a_note_that_no_item_holds_is_not_kept() -> None:
    import hashlib

    names = [hashlib.sha512(bytes([n % 256, n // 256])).hexdigest() * 2 for n in range(9_000)]
    assert not ColumnNote.begun("2026", names, evolves=False).can_be_kept
    assert len(BEGUN.to_bytes()) < MOST_BYTES
