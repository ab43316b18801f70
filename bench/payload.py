"""Payloads as an application writes them: compact JSON of about a kilobyte, nested, half of them with letters beyond ASCII.

The same ones in every run and in every process, so that figures compare and servers need not be told what they serve.
"""

import json
import random
import statistics
from collections.abc import Sequence
from typing import Any

SIZE_BYTES = 1024
COUNT = 4000
SEED = 49_590
LARGE_BYTES = 1_000_000
PLAIN_NAMES = ("Maria Jensen", "John Baker", "Ines Ferreira", "Tom Hale")
NAMES = ("Zoë Møller", "Łukasz Wójcik", "Søren Åberg", "山田 花子")


def payloads(count: int = COUNT, *, size_bytes: int = SIZE_BYTES) -> Sequence[bytes]:
    """`count` different JSON objects, each of `size_bytes` or a little less."""
    choice = random.Random(SEED)  # noqa: S311 - content, not a secret
    return [_payload(number, choice, size_bytes) for number in range(count)]


def stream_payloads(size_bytes: int = SIZE_BYTES) -> Sequence[bytes]:
    """Returns what the canned stream gives, over and over: about 4 MB of it, whatever the size of one."""
    return payloads(max(1, COUNT * SIZE_BYTES // size_bytes), size_bytes=size_bytes)


def mean_bytes(size_bytes: int = SIZE_BYTES) -> float:
    """Returns the mean size of a record of the canned stream."""
    return statistics.fmean(map(len, stream_payloads(size_bytes)))


def _payload(number: int, choice: random.Random, size_bytes: int) -> bytes:
    order = _order(number, choice)
    if size_bytes >= LARGE_BYTES:  # by items, one after the other, it would take a minute
        order["comment"] = "x" * (size_bytes - len(_compact(order)) - SIZE_BYTES)
    while len(text := _compact(order)) <= size_bytes:
        written = text
        order["items"].append(_item(choice))
    return written


def _order(number: int, choice: random.Random) -> dict[str, Any]:
    return {
        "event_id": f"{choice.getrandbits(128):032x}",
        "type": "order.placed",
        "number": number,
        "placed_at": f"2026-03-{1 + number % 28:02d}T{number % 24:02d}:17:42.{number % 1000:03d}Z",
        "customer": {
            "id": choice.randrange(10**9),
            "name": choice.choice(NAMES if number % 2 else PLAIN_NAMES),
            "tier": choice.choice(["basic", "plus", None]),
            "address": {"city": "Århus" if number % 2 else "Austin", "zip": f"{choice.randrange(10**5):05d}"},
        },
        "total": round(choice.random() * 1000, 2),
        "currency": "EUR",
        "is_gift": number % 5 == 0,
        "items": [],
    }


def _item(choice: random.Random) -> dict[str, Any]:
    return {
        "sku": f"SKU-{choice.randrange(10**6):06d}",
        "quantity": 1 + choice.randrange(9),
        "price": round(choice.random() * 99, 2),
        "note": 'wrap as "fragile"\n' if choice.random() < 0.2 else "",
    }


def _compact(value: object) -> bytes:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False).encode()
