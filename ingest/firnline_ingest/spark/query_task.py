"""A round of a query inside one task: one Python process hands its shards' pages to Spark, another one brings the rows back.

Spark runs both in one task, on one machine: the process that has the shards listens on a socket named after the task's attempt,
and the other one finds it there. A retried attempt has a name, and a round, of its own.
"""

import json
import os
import socket
import stat
import struct
import tempfile
import threading
from collections.abc import Iterable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from firnline_ingest.shard.group import ShardGroup, Watch
from firnline_ingest.shard.queries import PageQueries, Round
from firnline_ingest.spark.assignment import Assignment
from firnline_ingest.spark.task import begin_partition, group_here

GATHER_S = 0.2
"""For the pages of a round; the driver pauses between two."""
CONFIRMED = "firnline.confirmed"
"""The local property of a round's job that names the rounds which have succeeded; all else of an epoch's jobs is the same."""
REPORTS_S = 600.0
"""For the rows of a round to come back; another attempt comes sooner where one was lost."""
END = b"\xff\xff\xff\xff"
LONGEST_PLACE = 50
"""Bytes of a temporary folder in which a socket's name has room; a YARN container's can be longer."""


def feed_partition(orders: Iterable[str]) -> Iterator[bytes]:
    """Yields the objects of all pages of a stream that wait, as JSON with their `_position`. An order is of `feed_order`."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None, "Spark runs it"
    for text in orders:
        order = json.loads(text)
        group, of = _begun(order, context)
        answer = {**_answer(order, group, of), "attempt": context.attemptNumber()}
        listener = _listen(_address(order["run_id"], context.taskAttemptId()))
        threading.Thread(
            target=_take, args=(listener, group.services.queries, of, answer), name="query-rows", daemon=True
        ).start()
        for position, document in of.positions():
            yield with_position(position, document)


def gather_partition(orders: Iterable[str]) -> Iterator[str]:
    """Yields the objects of pages of a stream that wait, as many as are asked for, for the driver, which decides about them."""
    from pyspark import TaskContext

    for text in orders:
        order = json.loads(text)
        group, of = _begun(order, TaskContext.get(), order["most_pages"])
        found = [(position, document.decode()) for position, document in of.positions()]
        yield json.dumps({**_answer(order, group, of), "documents": found})


def decide_partition(decisions: Iterable[str]) -> Iterator[str]:
    """Hands out what the driver has found of the objects that this process gave it. Yields nothing."""
    for text in decisions:
        decided = json.loads(text)
        group = group_here(decided["content_hash"], decided["run_id"])
        if group is not None:
            rows = ((position, row.encode()) for position, row in decided["rows"])
            raised = {position: str(words) for position, words in decided["raised"]}
            group.services.queries.decide(decided["token"], rows, raised, decided["through"])
        yield from ()


def back_partition(rows: Iterable[bytes], run_id: str) -> Iterator[str]:
    """Takes the query's rows, each a position, a blank and JSON, to the process that waits for them. Yields its answer."""
    from pyspark import TaskContext

    context = TaskContext.get()
    assert context is not None, "Spark runs it"
    address = _address(run_id, context.taskAttemptId())
    found = iter(rows)
    first = next(found, None)  # by then the other process has begun, and listens
    with closing(socket.socket(socket.AF_UNIX)) as connection:
        connection.settimeout(REPORTS_S)
        connection.connect(str(address))
        with connection.makefile("rwb") as stream:
            if first is not None:
                _write(stream, first)
            for row in found:
                _write(stream, row)
            stream.write(END)
            stream.flush()
            yield stream.readline().decode()


def with_position(position: int, document: bytes) -> bytes:
    """Returns an object as the query's source reads it."""
    return b'{"_position":%d%b' % (position, b"," + document[1:] if len(document) > 2 else b"}")


def feed_order(assignment: Assignment, stream: str) -> str:
    """Returns what a task of an epoch's rounds is told."""
    return json.dumps(
        {
            "stream": stream,
            "run_id": assignment.run_id,
            "content_hash": assignment.config.content_hash,
            "assignment": assignment.to_json(),
        }
    )


def _begun(order: dict[str, Any], context: Any, most_pages: int | None = None) -> tuple[ShardGroup, Round]:
    group = _group(order)
    group.services.queries.confirm(json.loads(context.getLocalProperty(CONFIRMED) or "[]"))
    return group, group.services.queries.begin(order["stream"], GATHER_S, most_pages)


def _answer(order: dict[str, Any], group: ShardGroup, of: Round) -> dict[str, object]:
    return {
        "token": of.token,
        "pages": len(of.pages),
        "is_full": of.full_pages > 0,
        "is_over": group.are_over(order["stream"]),
        "is_stop_wanted": Watch(group.services.ledger, order["run_id"]).wants_a_stop(),
    }


def _group(order: dict[str, str]) -> ShardGroup:
    """Returns this process' group; one that was lost since the epoch began is begun again."""
    found = group_here(order["content_hash"], order["run_id"])
    if found is None:
        list(begin_partition([order["assignment"]]))
        found = group_here(order["content_hash"], order["run_id"])
    assert found is not None, "it was just begun"
    return found


def _take(listener: socket.socket, queries: PageQueries, of: Round, answer: dict[str, object]) -> None:
    """Keeps the rows of a round when all of them are here; of one that was cut off nothing is kept."""
    with closing(listener), suppress(OSError, EOFError):
        listener.settimeout(REPORTS_S)
        connection, _ = listener.accept()
        Path(listener.getsockname()).unlink(missing_ok=True)
        with closing(connection), connection.makefile("rwb") as stream:
            queries.keep(of, _read(stream))
            stream.write(json.dumps(answer).encode() + b"\n")
            stream.flush()


def _read(stream: Any) -> Iterator[tuple[int, bytes]]:
    """Raises EOFError where they end without their end."""
    while (head := _exactly(stream, 4)) != END:
        position, _, row = _exactly(stream, struct.unpack(">I", head)[0]).partition(b" ")
        yield int(position), row


def _exactly(stream: Any, count: int) -> bytes:
    found: bytes = stream.read(count)
    if len(found) < count:
        raise EOFError
    return found


def _write(stream: Any, row: bytes) -> None:
    stream.write(struct.pack(">I", len(row)))
    stream.write(row)


def _listen(address: Path) -> socket.socket:
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(address))
    listener.listen(1)
    return listener


def _address(run_id: str, attempt: int) -> Path:
    return _folder() / f"{run_id[:16]}-{attempt}"


def _folder() -> Path:
    """Returns this user's own folder for sockets, whose names may have a hundred bytes. Raises PermissionError where others can
    get at it.
    """
    place = Path(tempfile.gettempdir())
    folder = (place if len(os.fsencode(place)) <= LONGEST_PLACE else Path("/tmp")) / f"firnline-{os.getuid()}"  # noqa: S108
    folder.mkdir(mode=0o700, exist_ok=True)
    status = folder.lstat()
    if not stat.S_ISDIR(status.st_mode) or status.st_uid != os.getuid() or stat.S_IMODE(status.st_mode) & 0o077:
        raise PermissionError(f"{folder} must be a folder of this user alone (mode 700), and is not; remove it")
    return folder
