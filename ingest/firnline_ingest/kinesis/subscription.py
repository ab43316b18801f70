"""One subscription of SubscribeToShard: its events as they come, taken off the wire by a thread of its own.

botocore reads a stream by waiting on its socket, and a shard's thread has books to keep meanwhile. What was read ahead and
not taken is bounded: behind it the socket fills up, and the service waits.
"""

import threading
from collections import deque
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from botocore.eventstream import ParserError
from urllib3.exceptions import HTTPError

from firnline_ingest.kinesis.aws_errors import kinesis_error
from firnline_ingest.kinesis.errors import PageUnreadable, StreamUnreachable
from firnline_ingest.kinesis.page import ShardEvent
from firnline_ingest.kinesis.service_time import service_time_ms

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

AHEAD_BYTES = 2_000_000
"""Of records that were read and not taken; a shard gives as much a second. One event more is in the thread's hands."""
OPERATION = "SubscribeToShard"


class Subscription:
    """Made by one thread, which alone takes from it and closes it."""

    def __init__(self, answer: Mapping[str, Any], stream: str) -> None:
        self.answered_ms = service_time_ms(answer)
        """The service's time when it began."""
        self.is_over = False
        """There is nothing more to take. It ends by itself after five minutes."""
        self._events: Any = answer["EventStream"]
        self._stream = stream
        self._ahead: deque[ShardEvent | Exception | None] = deque()
        self._ahead_bytes = 0
        self._lock = threading.Lock()
        self._arrived, self._taken = threading.Event(), threading.Event()
        self._is_closed = False
        threading.Thread(target=self._pump, name="subscription", daemon=True).start()

    def take(self, seconds: float) -> ShardEvent | None:
        """The next event; None where none came for so long, and where there is none any more. Raises what ended it."""
        if not self._ahead:
            self._arrived.wait(seconds)
        with self._lock:
            if not self._ahead:
                return None
            event = self._ahead.popleft()
            if isinstance(event, ShardEvent):
                self._ahead_bytes -= _size(event)
            if not self._ahead:
                self._arrived.clear()
        self._taken.set()
        if isinstance(event, ShardEvent):
            return event
        self.is_over = True
        if event is not None:
            raise event
        return None

    def close(self) -> None:
        """Waits for nothing: the thread ends with its socket."""
        self.is_over = self._is_closed = True
        self._taken.set()
        _shut(self._events)

    def _pump(self) -> None:
        try:
            for event in self._pushed():
                self._offer(event)
                if self._is_closed:
                    break
            self._put(None)
        except Exception as error:  # whatever it is, the shard's thread has to hear of it
            self._put(_mapped(error, self._stream))
        finally:
            self._events.close()

    def _pushed(self) -> Iterator[ShardEvent]:
        for pushed in self._events:
            event = pushed.get("SubscribeToShardEvent")
            if event is not None:
                yield event

    def _offer(self, event: ShardEvent) -> None:
        """Waits for room."""
        while self._ahead_bytes >= AHEAD_BYTES and not self._is_closed:
            self._taken.clear()
            if self._ahead_bytes >= AHEAD_BYTES and not self._is_closed:
                self._taken.wait()
        self._put(event)

    def _put(self, event: ShardEvent | Exception | None) -> None:
        with self._lock:
            self._ahead.append(event)
            if isinstance(event, ShardEvent):
                self._ahead_bytes += _size(event)
            self._arrived.set()


def subscribe(client: "KinesisClient", stream: str, request: Mapping[str, Any]) -> Subscription:
    """Raises the errors of kinesis/errors.py."""
    try:
        answer: Any = client.subscribe_to_shard(**request)
    except Exception as error:
        raise _mapped(error, stream) from error
    return Subscription(answer, stream)


def _size(event: ShardEvent) -> int:
    return sum(len(record.Data) for record in event.Records)


def _mapped(error: Exception, stream: str) -> Exception:
    if isinstance(error, ParserError):
        return PageUnreadable(stream, OPERATION, f"{type(error).__name__}: {error}")
    if isinstance(error, HTTPError | OSError):
        return StreamUnreachable(stream, OPERATION, f"{type(error).__name__}: {error}")
    return kinesis_error(error, operation=OPERATION, stream=stream)


def _shut(events: Any) -> None:
    """Wakes the thread that waits on the socket, which `close` from another thread would wait for."""
    shutdown = getattr(getattr(events, "_raw_stream", None), "shutdown", None)
    if shutdown is not None:
        try:
            shutdown()
        except (HTTPError, OSError, ValueError, RuntimeError):
            return  # it is closed already, or was read to its end
