"""Puts the records of one request, and those that were refused alone again, until all are in.

A request is not a transaction: each record has an answer of its own. An answer that is lost may have put records, which are then
put again: at least once.
"""

import random
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from firnline_ingest.sink.errors import RecordsRefused
from firnline_ingest.sink.options import SinkOptions
from firnline_ingest.sink.waiting import Entry, InAnyOrder

FIRST_PAUSE_S, LONGEST_PAUSE_S = 0.05, 3.0

Put = Callable[[Sequence[Entry]], Sequence[str | None]]
"""One request: for each record None, or why it was refused for now. Raises what no later request would fix."""


def _nothing(_: list[Entry]) -> None:
    return None


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class SendRetryBudget:
    """The number of attempts in vain, and the time between them."""

    attempts: int = 10
    pause: Callable[[float], object] = time.sleep
    jitter: Callable[[], float] = random.random

    def wait(self, in_vain: int) -> None:
        """Longer each time: from half of it to all of it, so that many senders don't come at once."""
        longest_s = min(LONGEST_PAUSE_S, FIRST_PAUSE_S * 2**in_vain)
        self.pause(longest_s * (0.5 + self.jitter() / 2))


def send(
    put: Put,
    stream: str,
    entries: list[Entry],
    budget: SendRetryBudget,
    *,
    settled: Callable[[list[Entry]], object] = _nothing,
    is_given_up: Callable[[], bool] = _never,
) -> None:
    """Returns when all are in, or when the caller wants no more of them. `settled` gets those that are in, as soon as they are.

    Raises RecordsRefused after `attempts` requests in a row that got nothing in, and what `put` raises.
    """
    in_vain = 0
    while entries and not is_given_up():
        causes = put(entries)
        refused = [each for each, cause in zip(entries, causes, strict=True) if cause is not None]
        if len(refused) < len(entries):
            settled([each for each, cause in zip(entries, causes, strict=True) if cause is None])
            in_vain = 0
        in_vain += 1
        entries = refused
        if refused and not is_given_up():
            if in_vain >= budget.attempts:
                cause = next(each for each in reversed(causes) if each is not None)
                raise RecordsRefused(stream, refused=len(refused), attempts=in_vain, cause=cause)
            budget.wait(in_vain - 1)


def requests_of(entries: Iterable[Entry], options: SinkOptions) -> Iterator[list[Entry]]:
    """In their order, cut into what requests take."""
    backlog = InAnyOrder(options)
    for each in entries:
        backlog.add(each)
        if backlog.is_full():
            yield backlog.take()
    while rest := backlog.take():
        yield rest
