"""A web shop's events as the demo streams them: nested objects, fields that appear half-way, a few broken records.

The same seed makes the same events, so that a run can be compared with another one.
"""

import json
import random
import threading
import time
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from firnline_local.running import RunningEnvironment


BROKEN_EVERY = 2_500
BROKEN = (b"\xff\xfe not text at all", b'{"order_id": "cut off', b"[1, 2, 3]", b"")
CITIES = ("Zürich", "Lisboa", "Kraków", "Tromsø", "Genève", "Malmö", "Galway", "Brno")
KINDS = ("order_placed", "order_paid", "order_shipped", "order_returned")


def shop_events(count: int, seed: int = 7) -> Iterator[bytes]:
    """`count` payloads of 0.5 to 1.5 KB; about one in 2,500 is not a JSON object."""
    random_source = random.Random(seed)  # noqa: S311 - test data, not a secret
    for number in range(count):
        if number % BROKEN_EVERY == BROKEN_EVERY // 2:
            yield BROKEN[number // BROKEN_EVERY % len(BROKEN)]
        else:
            yield json.dumps(_event(number, count, random_source), ensure_ascii=False).encode()


def _event(number: int, count: int, source: random.Random) -> dict[str, object]:
    event: dict[str, object] = {
        "event_id": f"{source.getrandbits(64):016x}",
        "kind": source.choice(KINDS),
        "order_id": 10_000_000 + number,
        "customer": {
            "id": source.randrange(1_000_000),
            "city": source.choice(CITIES),
            "returning": source.random() < 0.4,
        },
        "items": [_item(source) for _ in range(source.randint(2, 8))],
        "total": round(source.uniform(5, 900), 2),
        "note": "ring the bell twice\nand wait" if number % 97 == 0 else None,
    }
    if number > count // 2:  # a producer was deployed: new fields, with no warning and no ALTER TABLE
        event["channel"] = source.choice(("web", "app", "store"))
        event["loyalty"] = {"tier": source.choice(("silver", "gold")), "points": source.randrange(5_000)}
    return event


def _item(source: random.Random) -> dict[str, object]:
    sku = f"SKU-{source.randrange(10**6):06d}"
    return {"sku": sku, "quantity": source.randint(1, 5), "price": round(source.uniform(1, 200), 2), "gift": False}


BATCH = 500
RECORDS_PER_S = 4_000.0


class Producer:
    """A context manager; the block waits for its end, and what went wrong in it is raised there."""

    def __init__(self, environment: "RunningEnvironment", stream: str, events: Sequence[bytes]) -> None:
        self._environment = environment
        self._stream = stream
        self._events = events
        self._failure: Exception | None = None
        self._abandoned = threading.Event()
        self._thread = threading.Thread(target=self._produce, name="producer", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is not None:
            self._abandoned.set()
        self.wait()

    def wait(self) -> None:
        """Returns when every event was put; raises what kept one from it."""
        self._thread.join()
        if self._failure is not None:
            raise self._failure

    def _produce(self) -> None:
        try:
            for first in range(0, len(self._events), BATCH):
                if self._abandoned.is_set():
                    return
                self._environment.put_events(self._stream, self._events[first : first + BATCH])
                time.sleep(BATCH / RECORDS_PER_S)
        except Exception as error:
            self._failure = error
