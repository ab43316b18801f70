import gzip
from pathlib import Path

import pytest

from firnline_ingest.sink.errors import LinesUnreadable
from firnline_ingest.sink.lines import lines_of, whole

LINES = b'{"id": 1}\r\n\nnot json \xff\n{"id": 2}'
EVENTS = [b'{"id": 1}', b"not json \xff", b'{"id": 2}']


def test_lines_come_as_they_are_but_for_their_ends(tmp_path: Path) -> None:
    (tmp_path / "orders.ndjson").write_bytes(LINES)
    assert list(lines_of(tmp_path / "orders.ndjson")) == EVENTS


def test_a_gzipped_file_is_known_by_its_first_bytes_not_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "orders.ndjson").write_bytes(gzip.compress(LINES))
    assert list(lines_of(tmp_path / "orders.ndjson")) == EVENTS


def test_an_empty_file_holds_no_events(tmp_path: Path) -> None:
    (tmp_path / "none").write_bytes(b"")
    assert list(lines_of(tmp_path / "none")) == []


@pytest.mark.parametrize("spoilt", [gzip.compress(LINES)[:-9], gzip.compress(LINES)[:10] + b"\xff" * 9])
def test_a_gzipped_file_that_breaks_off_is_named(tmp_path: Path, spoilt: bytes) -> None:
    (tmp_path / "cut.gz").write_bytes(spoilt)
    with pytest.raises(LinesUnreadable, match=r"cut\.gz can't be read to its end"):
        list(lines_of(tmp_path / "cut.gz"))


def test_a_whole_file_is_one_record_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "orders.avro").write_bytes(LINES)
    (tmp_path / "none").write_bytes(b"")
    assert list(whole(tmp_path / "orders.avro")) == [LINES]
    assert list(whole(tmp_path / "none")) == []
