"""Causes of a shard that the service does not know: the stream is gone, or another one, or the shard has expired.

A stream that was deleted and created again under its name answers for the one before: iterators are asked for by name.
"""

import math
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from firnline_ingest.errors import FirnlineError
from firnline_ingest.kinesis.aws_errors import answered
from firnline_ingest.kinesis.errors import ShardExpired, StreamMissing, StreamReplaced, StreamUnreachable
from firnline_ingest.kinesis.lineage import read_lineage, read_summary
from firnline_ingest.kinesis.turns import QuestionTimes
from firnline_ingest.values import ShardKey

if TYPE_CHECKING:
    from mypy_boto3_kinesis import KinesisClient

QUESTION_INTERVAL_S = 1.0
"""The least time between two questions for one stream, of a process of the engine."""
LOOKS = 3
"""So many times in a row the shard has to be unknown, and unlisted, before it is taken for expired."""


def gone_shards(client: "KinesisClient", stream: str, suspects: Iterable[str]) -> frozenset[str]:
    """The shards that the service itself does not know any more, whatever a listing says. Makes two calls for each that is
    gone.

    Raises the errors of kinesis/errors.py.
    """
    return frozenset(shard for shard in suspects if not any(_is_there(client, stream, shard) for _ in range(2)))


def _is_there(client: "KinesisClient", stream: str, shard: str) -> bool:
    call = partial(client.get_shard_iterator, StreamName=stream, ShardId=shard, ShardIteratorType="TRIM_HORIZON")
    try:
        answered(call, operation="GetShardIterator", stream=stream, needs="ShardIterator")
    except StreamMissing:
        return False
    return True


def why_missing(client: "KinesisClient", key: ShardKey, *, times: int) -> FirnlineError:
    """StreamMissing, StreamReplaced or ShardExpired; what passes where the service contradicts itself."""
    try:
        lineage = read_lineage(client, key.stream)
    except FirnlineError as cause:
        return cause
    if lineage.stream_created_ms != key.stream_created_ms:
        return StreamReplaced(key.stream)
    if key.shard_id in lineage.shards or times < LOOKS:
        return StreamUnreachable(key.stream, "GetRecords", f"{key.shard_id} is not known, but the stream is")
    return ShardExpired(str(key))


@dataclass(slots=True)
class _Question:
    """One call of DescribeStreamSummary, for all who want its answer."""

    is_answered: threading.Event = field(default_factory=threading.Event)
    answer: int | Exception | None = None


class Incarnations:
    """Creation times of streams, as the service has them now.

    Thread-safe: the shards of a process that ask at once, or before the next question is due, share a call.

    DescribeStreamSummary may be called 20 times a second by a whole account (kinesis/lineages.py): shards that all begin at
    once, at a first start, must not take that from the account's other users, nor from one another (QuestionTimes).
    """

    def __init__(
        self,
        client: "KinesisClient",
        *,
        interval_s: float = 0.0,
        times: QuestionTimes | None = None,
        clock_s: Callable[[], float] = time.monotonic,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._client = client
        self._interval_s = interval_s
        self._times = times
        self._clock_s = clock_s
        self._sleep = sleep
        self._asked_s: dict[str, float] = {}
        self._lock = threading.Lock()
        self._under_way: dict[str, _Question] = {}
        self._next: dict[str, _Question] = {}

    def make_sure_of(self, key: ShardKey) -> None:
        """Raises StreamReplaced if the stream is not the shard's any more, and the other errors of kinesis/errors.py.

        What was read of the stream before this call is the shard's if it returns.
        """
        if self.created_ms(key.stream) != key.stream_created_ms:
            raise StreamReplaced(key.stream)

    def created_ms(self, stream: str) -> int:
        """Returns it by a call that began after this one, and `interval_s` or more after the question before it."""
        with self._lock:
            is_first = stream not in self._next
            question = self._next.setdefault(stream, _Question())
            before = self._under_way.get(stream)
        if is_first:
            if before is not None:
                before.is_answered.wait()
            self._ask(stream, question)
        question.is_answered.wait()
        if isinstance(question.answer, Exception):
            raise question.answer
        assert question.answer is not None, "who asked is being killed, and so is who waits"
        return question.answer

    def _ask(self, stream: str, question: _Question) -> None:
        """Asks, and shares the answer with everyone who waits for a turn meanwhile."""
        due_s = self._asked_s.get(stream, -math.inf) + self._interval_s
        if self._times is not None:
            due_s = self._times.reserve(due_s)
        self._sleep(max(0.0, due_s - self._clock_s()))
        with self._lock:
            self._under_way[stream] = self._next.pop(stream)
            self._asked_s[stream] = self._clock_s()
        try:
            question.answer = read_summary(self._client, stream).created_ms
        except Exception as error:
            question.answer = error
        finally:
            with self._lock:
                if self._under_way.get(stream) is question:
                    del self._under_way[stream]
            question.is_answered.set()
