"""The socket between the two processes of a query's round: nobody else can listen or speak there."""

import socket
import tempfile
import threading
import uuid
from pathlib import Path

import pytest

from firnline_ingest.shard.queries import PageQueries
from firnline_ingest.spark import query_task


def test_a_long_temporary_folder_leaves_room_for_a_sockets_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / ("usercache-" * 10)
    place.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(place))
    address = query_task._address(uuid.uuid4().hex, 2**31)
    with query_task._listen(address) as listener:
        assert listener.getsockname() == str(address)
    address.unlink()


@pytest.mark.parametrize("planted", ["open folder", "link", "file"])
def test_a_folder_that_others_can_get_at_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, planted: str
) -> None:
    monkeypatch.setattr(query_task, "LONGEST_PLACE", 1000)
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = query_task._folder()
    assert folder.parent == tmp_path
    folder.rmdir()
    if planted == "open folder":
        folder.mkdir()
        folder.chmod(0o770)
    elif planted == "link":
        (tmp_path / "elsewhere").mkdir(mode=0o700)
        folder.symlink_to(tmp_path / "elsewhere")
    else:
        folder.write_text("")
    with pytest.raises((PermissionError, FileExistsError), match="firnline-"):
        query_task._address("0123", 1)


def test_rows_that_end_without_their_end_are_not_kept() -> None:
    """Stands for a process that was killed while it sent them."""
    queries = PageQueries()
    of = queries.begin("orders", 0.0)
    address = query_task._address(uuid.uuid4().hex, 1)
    taking = threading.Thread(target=query_task._take, args=(query_task._listen(address), queries, of, {}), daemon=True)
    taking.start()
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(str(address))
        with connection.makefile("wb") as stream:
            query_task._write(stream, b'1 {"ID": 1}')
    taking.join(10)
    assert not taking.is_alive()
    assert of.answers is None
    assert not address.exists()
