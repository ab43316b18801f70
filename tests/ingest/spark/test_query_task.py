"""The socket between the two processes of a query's round: nobody else can listen or speak there."""

import json
import socket
import tempfile
import threading
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from firnline_ingest.records.queried import QueriedRows, Raised
from firnline_ingest.shard.queries import PageQueries, ShardQuery
from firnline_ingest.spark import query_task
from firnline_ingest.spark.query_isolation import PageVerdict, decision


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


class StandInGroup:
    """Stands for as much of a group as a round asks for."""

    def __init__(self) -> None:
        self.queries = PageQueries()
        self.services = self
        self.ledger = None

    def are_over(self, stream: str) -> bool:
        return stream == "over"


def test_a_page_goes_to_the_driver_and_its_verdicts_come_back_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    group: Any = StandInGroup()
    watch: Any = type("Watch", (), {"__init__": lambda *_: None, "wants_a_stop": lambda _: False})
    for name, stand_in in (("group_here", lambda *_: group), ("Watch", watch)):
        monkeypatch.setattr(query_task, name, stand_in)
    context: Any = type(
        "Context", (), {"get": staticmethod(lambda: context), "getLocalProperty": staticmethod(lambda _: None)}
    )
    monkeypatch.setattr("pyspark.TaskContext", context)
    order = {"stream": "orders", "run_id": "r", "content_hash": "h", "assignment": ""}
    documents = [b'{"n":%d,"s":"\xc3\xa9"}' % n for n in range(3)]
    maker = QueriedRows.__new__(QueriedRows)
    found: list[Any] = []
    maker._query = ShardQuery("orders", group.queries, lambda each: each, lambda: None)
    waits = threading.Thread(target=lambda: found.extend(maker._answers(documents)), daemon=True)
    waits.start()
    for most, number in ((0, 0), (1, 3), (1, 1)):
        (answer,) = query_task.gather_partition([json.dumps({**order, "most_pages": most})])
        told = json.loads(answer)
        assert (len(told["documents"]), told["is_over"], told["is_stop_wanted"]) == (number, False, False)
        if number:
            first = told["documents"][0][0]
            rows, raised = ([(first, '{"n":0}'), (first, '{"n":9}')], {first + 1: "words"}) if number == 3 else ([], {})
            verdict = PageVerdict(first + 1 if number == 3 else first, rows, raised)
            assert list(query_task.decide_partition([decision(json.dumps(order), told["token"], verdict)])) == []
        until(lambda: not waits.is_alive() or len(group.queries._unanswered("orders")) == 1)
    waits.join(10)
    assert found == [[b'{"n":0}', b'{"n":9}'], Raised("words"), ()]


def until(condition: Callable[[], bool]) -> None:
    over = threading.Event()
    for _ in range(1000):
        if condition():
            return
        over.wait(0.01)
    raise AssertionError("it did not come about")
