"""The picture of the demo is drawn from its recording, plays without a script, and can be read by who wants no motion."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest

from docs.tools.recording import CAST, COLUMNS, LONGEST_S, PICTURE, UNTIL, drawn_lines, record, svg


def cast(*events: tuple[float, str]) -> str:
    return "\n".join(json.dumps(line) for line in ({"version": 2}, *([at_s, "o", text] for at_s, text in events)))


def test_the_picture_is_what_the_recording_makes() -> None:
    """`python -m docs.tools.recording --draw` draws it anew."""
    assert PICTURE.read_text(encoding="utf-8") == svg(CAST.read_text(encoding="utf-8"))


def test_the_recording_ends_with_the_proof_and_names_no_folder_of_a_person() -> None:
    text = CAST.read_text(encoding="utf-8")
    shown = [line.text for line in drawn_lines(text) if line.end_s is None]
    assert any(line.strip().startswith("PROVEN: each of 40,000 records") for line in shown)
    assert shown[-1].split() == ["lost", "or", "doubled", "none"]
    assert max(map(len, shown)) <= COLUMNS
    assert not any(folder in text for folder in ("/home/", "/work/", "/Users/", "/root"))


def test_the_picture_is_small_and_asks_no_host_for_anything() -> None:
    picture = PICTURE.read_text(encoding="utf-8")
    root = ElementTree.fromstring(picture)
    assert {element.tag.rpartition("}")[2] for element in root.iter()} == {"svg", "title", "style", "rect", "text"}
    assert len(picture) < 40_000
    assert "prefers-reduced-motion" in picture
    assert picture.count("http") == picture.count("http://127.0.0.1") + picture.count("https://127.0.0.1") + 1, (
        "but its namespace"
    )


def test_a_live_line_is_replaced_by_the_next_one_and_one_that_stood_too_short_is_not_drawn() -> None:
    first, second, last = drawn_lines(
        cast((0, "read 1"), (1, "\rread 2"), (1.1, "\rread 3"), (2, "\r\n\x1b[1mdone\x1b[0m\r\n"))
    )
    assert [first.text, first.at_s, first.end_s] == ["read 1", 0, 1]
    assert (second.text, second.at_s, second.end_s) == ("read 3", 1, None)
    assert (last.text, last.is_bold) == ("done", True)


def test_pauses_are_short_and_what_follows_the_proof_is_not_drawn() -> None:
    lines = drawn_lines(cast(*((100.0 * n, f"{n}\r\n") for n in range(90)), (9000, UNTIL), (9001, "{}")))
    assert [line.text for line in lines] == [str(n) for n in range(90)]
    assert lines[-1].at_s <= LONGEST_S


def test_what_a_command_prints_in_a_terminal_is_recorded_and_one_that_fails_is_not(tmp_path: Path) -> None:
    recorded = record(["sh", "-c", "tput cols 2>/dev/null || stty size; printf 'größe <&\\n'"])
    assert "80" in recorded
    assert "größe &lt;&amp;" in svg(recorded)
    with pytest.raises(RuntimeError, match="ended with 3"):
        record(["sh", "-c", "exit 3"])
